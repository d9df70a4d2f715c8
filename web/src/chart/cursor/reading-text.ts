import type { OverviewReply } from "@lossless/client";
import {
  countText,
  digitsBetween,
  spanText,
  timeText,
  usualDigits,
  valueText,
} from "../../parts/words.ts";
import type { GroupReading, Reading } from "./reading.ts";

type Axis = Pick<OverviewReply, "xAxis" | "xSeriesName"> & Partial<Record<"start" | "end", number>>;

/**
 * Describes a value, and its place unless it was named already: another line may have no point
 * there. Mean and band of a group have the same number of digits.
 */
export function readingText(
  axis: Axis,
  reading: Reading,
  toldX: number | undefined,
  digits = usualDigits,
): string {
  const { x, min, max, smoothed, earlier = [], group, isLastFinite } = reading;
  const text = (value: number) => valueText(value, digits);
  if (group?.recorded === 0) return betweenText(axis, group);
  const point = Object.is(min, max) ? text(max) : `${text(min)} … ${text(max)}`;
  const own = point + earlierText(earlier.map(text));
  const value =
    group !== undefined
      ? `${text(group.mean)}, N ${countsText(group)} (${text(min)} … ${text(max)})`
      : smoothed === undefined
        ? own
        : `${text(smoothed)} (${own})`;
  if (isLastFinite) return `${value} (last finite value)`;
  return Number.isNaN(x) || x === toldX ? value : `${value} at ${placeText(axis, x)}`;
}

/** Earlier values named at most. */
const earlierShown = 2;

function earlierText(values: readonly string[]): string {
  if (values.length === 0) return "";
  const rest = values.length - earlierShown;
  const more = rest > 0 ? ` and ${countText(rest)} more` : "";
  return `, earlier ${values.slice(0, earlierShown).join(", ")}${more}`;
}

/** Describes the counts: members without a point there count with their interpolated value. */
function countsText({ count, recorded }: GroupReading): string {
  return recorded < count ? `${count}, ${recorded} recorded here` : String(count);
}

function betweenText(axis: Axis, { around: { before, after } }: GroupReading): string {
  const places = [before, after].flatMap((x) => (x === undefined ? [] : placeText(axis, x)));
  return places.length < 2 ? "no point here" : `no point between ${places.join(" and ")}`;
}

/** A place on an axis, in words. */
export function placeText({ xAxis, xSeriesName, start = 0, end = 0 }: Axis, x: number): string {
  if (xAxis === "timestamp") return timeText(x);
  if (xAxis === "elapsed") {
    // In a small part of a long time the two largest units are the same everywhere.
    const isClose = end > start && (end - start) * 100 < x;
    return `after ${spanText(x, isClose ? Infinity : 2)}`;
  }
  if (xAxis === "metric") return `${xSeriesName} ${valueText(x, digitsBetween(start, end))}`;
  return xAxis === "offset" ? `step + ${countText(x)}` : `step ${countText(x)}`;
}
