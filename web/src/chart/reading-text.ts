import type { OverviewReply } from "@lossless/client";
import { countText, spanText, timeText, valueText } from "../parts/words.ts";
import type { Reading } from "./axis-x.ts";

type Axis = Pick<OverviewReply, "xAxis" | "xSeriesName">;

/** A value, and where it is unless that is told already: another line may have no point there. */
export function readingText(axis: Axis, reading: Reading, toldX: number | undefined): string {
  const { x, min, max, smoothed, group } = reading;
  const own = min === max ? valueText(max) : `${valueText(min)} … ${valueText(max)}`;
  const value =
    group !== undefined
      ? `${valueText(group.mean)}, N ${group.count} (${bandText(min, max)})`
      : smoothed === undefined
        ? own
        : `${valueText(smoothed)} (${own})`;
  return Number.isNaN(x) || x === toldX ? value : `${value} at ${placeText(axis, x)}`;
}

/** Four digits are enough beside the mean. */
function bandText(low: number, high: number): string {
  return [low, high].map((each) => valueText(Number(each.toPrecision(4)))).join(" … ");
}

/** A place on an axis, as people say it. */
export function placeText({ xAxis, xSeriesName }: Axis, x: number): string {
  if (xAxis === "timestamp") return timeText(x);
  if (xAxis === "elapsed") return `after ${spanText(x)}`;
  if (xAxis === "metric") return `${xSeriesName} ${valueText(x)}`;
  return xAxis === "offset" ? `step + ${countText(x)}` : `step ${countText(x)}`;
}
