import type { OverviewReply } from "@lossless/client";
import { axisRange, isInclusive, valueAt } from "./axis-x.ts";
import type { ChartView, Range } from "../view.ts";

/** The overview that is drawn, and the view that was asked for. */
interface ShownRange {
  overview: OverviewReply;
  /** Whether the overview is that of the view, and not of the previous one. */
  isCurrent: boolean;
  view: Pick<ChartView, "range">;
}

/**
 * The range to draw: until the exact overview of another range arrives, the old one is stretched.
 */
export function rangeOf({ overview, isCurrent, view: { range } }: ShownRange): [number, number] {
  const own = axisRange(overview);
  if (range === undefined || isCurrent) return own;
  if (overview.xScale === "log" && range.start <= 0) return own;
  return axisRange({ ...overview, ...range });
}

/** The range zoomed by a factor around the value at a share of its width. */
export function zoomed(
  overview: OverviewReply,
  range: readonly [number, number],
  at: number,
  factor: number,
): Range {
  return wholeRange(overview, range, at - at * factor, at + (1 - at) * factor);
}

/** The range between two shares of the visible one: at least one step, and not below 0. */
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
  // A point on an inclusive edge is selected with it.
  const behind = isInclusive(overview) ? Math.floor(end) + 1 : Math.ceil(end);
  return { start: first, end: Math.max(first + 1, behind) };
}

/** Rounds a share to the right edge if the sum of pixels is a rounding error away. */
function snapped(share: number): number {
  return Math.abs(share - 1) < 1e-9 ? 1 : share;
}

/**
 * The range moved by a share of its width, not below 0. It moves the requested range, as the
 * service may have answered with a wider one.
 */
export function panned(
  { overview, view, range }: Omit<ShownRange, "isCurrent"> & { range: readonly [number, number] },
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
