import type { OverviewReply } from "@lossless/client";
import { axisRange, isInclusive, valueAt } from "./axis-x.ts";
import type { Drawing, Shown } from "./drawing.ts";
import type { Range } from "./view.ts";

/** While the exact picture of another range is on its way, the one that is there is stretched. */
export function rangeOf({
  overview,
  isCurrent,
  view: { range },
}: Pick<Drawing, "overview" | "isCurrent" | "view">): [number, number] {
  const own = axisRange(overview);
  if (range === undefined || isCurrent) return own;
  if (overview.xScale === "log" && range.start <= 0) return own;
  return axisRange({ ...overview, ...range });
}

/** The range that has this factor of the width, with the same value at a share of it. */
export function zoomed(
  overview: OverviewReply,
  range: readonly [number, number],
  at: number,
  factor: number,
): Range {
  return wholeRange(overview, range, at - at * factor, at + (1 - at) * factor);
}

/** From one share of what is shown to another: at least one step, and none below 0. */
export function wholeRange(
  overview: OverviewReply,
  range: readonly [number, number],
  from: number,
  to: number,
): Range {
  const { xAxis, xScale } = overview;
  const [start, end] = [from, to].map((share) => valueAt(range, xScale, snapped(share)));
  if (xAxis === "metric") return { start, end };
  const first = Math.max(xScale === "log" ? 1 : 0, Math.floor(start));
  // What stands on an inclusive edge is selected with it.
  const behind = isInclusive(overview) ? Math.floor(end) + 1 : Math.ceil(end);
  return { start: first, end: Math.max(first + 1, behind) };
}

/** The right edge is meant also where a sum of pixels is a rounding away from it. */
function snapped(share: number): number {
  return Math.abs(share - 1) < 1e-9 ? 1 : share;
}

/**
 * As wide as before, moved by a share of what is shown, and none of it below 0. It is the range
 * asked for that moves, because the service may have answered with a wider one.
 */
export function panned(
  { overview, view, range }: Pick<Shown, "overview" | "view" | "range">,
  share: number,
): Range | undefined {
  if (share === 0) return view.range;
  const { xAxis, xScale } = overview;
  const isLog = xScale === "log";
  const asked = view.range ?? overview;
  const { start, end } = isLog && asked.start <= 0 ? overview : asked;
  if (isLog) {
    const factor = (range[1] / range[0]) ** share;
    if (xAxis === "metric") return { start: start * factor, end: end * factor };
    const kept = Math.max(factor, 1 / start);
    const first = Math.round(start * kept);
    return { start: first, end: Math.max(first + 1, Math.round(end * kept)) };
  }
  const moved = start + share * (range[1] - range[0]);
  if (xAxis === "metric") return { start: moved, end: moved + (end - start) };
  const first = Math.max(0, Math.round(moved));
  return { start: first, end: first + Math.ceil(end - start) };
}
