import type { OverviewReply } from "@lossless/client";
import { axisRange, valueAt } from "./axis-x.ts";
import type { Drawing } from "./drawing.ts";
import type { Range } from "./view.ts";

/** While the exact picture of another range is on its way, the one that is there is stretched. */
export function rangeOf({
  overview,
  isCurrent,
  view: { range },
}: Pick<Drawing, "overview" | "isCurrent" | "view">): [number, number] {
  const own = axisRange(overview);
  if (range === undefined || isCurrent) return own;
  return overview.xScale === "log" && range.start <= 0 ? own : [range.start, range.end];
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
  { xAxis, xScale }: Pick<OverviewReply, "xAxis" | "xScale">,
  range: readonly [number, number],
  from: number,
  to: number,
): Range {
  const [start, end] = [from, to].map((share) => valueAt(range, xScale, share));
  if (xAxis === "metric") return { start, end };
  const first = Math.max(xScale === "log" ? 1 : 0, Math.floor(start));
  return { start: first, end: Math.max(first + 1, Math.ceil(end)) };
}
