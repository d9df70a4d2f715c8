import { limits } from "@lossless/protocol/limits";
import type { OverviewBody } from "@lossless/protocol";
import type { Extent, Line } from "./line.ts";
import { type PlacedSmoothing, smootherOf } from "./smoothing.ts";

/** The bounds of a line, by which the unit of a smoothing is chosen. */
export interface BoundedLine {
  bounds(): ReturnType<Line["bounds"]>;
  /** The least x above 0. */
  leastAbove0(): Promise<number>;
}

/**
 * The smoothing with its unit. By default that is a part of all points' distance and not of the
 * range's, so that a zoom changes no value.
 */
export async function placedSmoothing(
  { smooth, xScale }: Pick<OverviewBody, "smooth" | "xScale">,
  lines: readonly BoundedLine[],
): Promise<PlacedSmoothing | undefined> {
  if (smooth?.kind !== "x") return smooth;
  const isLog = xScale === "log";
  return { ...smooth, unit: smooth.unit ?? (await usualUnit(lines, isLog)), isLog };
}

const unitsOfAll = 1_000;

async function usualUnit(lines: readonly BoundedLine[], isLog: boolean): Promise<number> {
  let [first, last] = [Infinity, -Infinity];
  for (const line of lines) {
    const bounds = line.bounds();
    if (bounds === undefined) continue;
    first = Math.min(first, isLog ? await line.leastAbove0() : bounds.first);
    last = Math.max(last, bounds.last);
  }
  // All points are in one place, or there are none.
  if (!(first < last)) return 1;
  const bent = (x: number) => (isLog ? Math.log(x) : x);
  return Math.max(bent(last) / unitsOfAll - bent(first) / unitsOfAll, limits.smoothUnitMin);
}

/** One point on either side is drawn, too, and smoothed like those in the range. */
export function neededAround(smooth: PlacedSmoothing | undefined): Omit<Extent, "start" | "end"> {
  if (smooth === undefined) return { before: 1, after: 1 };
  const smoother = smootherOf(smooth);
  const { before, after } = smoother;
  const counts = { before: before + 1, after: after + 1 };
  return smoother.from === undefined ? counts : { ...counts, from: (x) => smoother.from!(x) };
}
