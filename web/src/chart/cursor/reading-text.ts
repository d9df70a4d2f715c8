import type { OverviewReply } from "@lossless/client";
import { measureText } from "../../parts/units.ts";
import {
  countedText,
  countText,
  digitsBetween,
  spanText,
  timeText,
  usualDigits,
  valueText,
} from "../../parts/words.ts";
import { drawnOf, type Away, type GroupReading, type Reading } from "./reading.ts";

type Axis = Pick<OverviewReply, "xAxis" | "xSeriesName"> & Partial<Record<"start" | "end", number>>;

/**
 * Describes a value, and its place unless it was named already: another line may have no point
 * there. Mean and band of a group have the same number of digits.
 */
export function readingText(
  axis: Axis,
  reading: Reading,
  toldPlace: string | undefined,
  digits = usualDigits,
): string {
  const { x, group, isLastFinite, next } = reading;
  if (group?.recorded === 0) return noPointText(axis, group);
  const value = valuesText(reading, digits);
  if (isLastFinite) return `${value} (last finite value)`;
  if (reading.away !== undefined) return `${awayText(axis, x, reading.away)}: ${value}`;
  const place = readingPlace(axis, reading);
  if (Number.isNaN(x) || place === toldPlace) return value;
  return next === undefined ? `${value} ${atText(axis, x)}` : `${value} ${place}`;
}

/** The value alone: of two recorded ones with the cursor between them, both. */
export function valuesText(reading: Reading, digits = usualDigits): string {
  const { min, max, smoothed, earlier = [], group, next, unit } = reading;
  const text = (value: number) => measureText(value, unit, digits);
  if (next !== undefined) return betweenText(reading, next, text);
  const point = Object.is(min, max) ? text(max) : `${text(min)} … ${text(max)}`;
  if (group !== undefined)
    return `${text(group.mean)}, N ${countsText(group)} (${text(min)} … ${text(max)})`;
  const own = point + earlierText(earlier.map(text));
  return smoothed === undefined ? own : `${text(smoothed)} (${own})`;
}

/** The value where there is little room: of a column, a smoothed line or a group one alone. */
export function shortValueText(reading: Reading, digits = usualDigits): string {
  const { next, unit } = reading;
  const drawn = [reading, ...(next === undefined ? [] : [next])].map(drawnOf);
  return drawn.map((value) => measureText(value, unit, digits)).join(" → ");
}

/** The same with the recorded values behind it; those of a group stand elsewhere. */
export function valueWithRangeText(reading: Reading, digits = usualDigits): string {
  const { min, max, group, next, unit } = reading;
  const short = shortValueText(reading, digits);
  if (group !== undefined || next !== undefined) return short;
  const [least, largest] = [min, max].map((value) => measureText(value, unit, digits));
  const own = least === largest ? largest : `${least} … ${largest}`;
  return own === short ? short : `${short} (${own})`;
}

/** The recorded values on either side, in the order of the axis. */
function betweenText(one: Reading, other: Reading, text: (value: number) => string): string {
  const both = (left: number, right: number) => `${text(left)} → ${text(right)}`;
  if (one.group !== undefined && other.group !== undefined) {
    const counts = [...new Set([one.group.count, other.group.count])];
    return `${both(one.group.mean, other.group.mean)}, N ${counts.join(" → ")}`;
  }
  const own = both(one.max, other.max);
  const [left, right] = [one.smoothed, other.smoothed];
  return left === undefined || right === undefined ? own : `${both(left, right)} (${own})`;
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

function noPointText(axis: Axis, { around: { before, after } }: GroupReading): string {
  const places = [before, after].flatMap((x) => (x === undefined ? [] : placeText(axis, x)));
  return places.length < 2 ? "no point here" : `no point between ${places.join(" and ")}`;
}

/** The place of a reading, in words: a recorded one, or the two that the cursor lies between. */
export function readingPlace(axis: Axis, { x, next }: Reading): string {
  if (next === undefined) return placeText(axis, x);
  const { xAxis, xSeriesName } = axis;
  const [from, to] = [x, next.x].map((each) => numberText(axis, each));
  const noun = { step: "steps ", metric: `${xSeriesName} `, offset: "steps + " }[xAxis as string];
  const second = xAxis === "offset" ? `+ ${to}` : to;
  const origin = xAxis === "elapsed" ? " after the first point" : "";
  return `between ${noun ?? ""}${from} and ${second}${origin}`;
}

/** Tells the point of a line that is read away from the cursor, and where it is. */
function awayText(axis: Axis, x: number, { point, columnEnd }: Away): string {
  const told = { first: "first", last: "last", finite: "last finite" }[point];
  if (columnEnd === undefined) return `${told} ${atText(axis, x)}`;
  if (point === "first") return `${told} ${atText(axis, x)} or later`;
  const isSpan = axis.xAxis === "elapsed";
  return `${told} before ${isSpan ? numberText(axis, columnEnd) : placeText(axis, columnEnd)}`;
}

function atText(axis: Axis, x: number): string {
  return axis.xAxis === "elapsed" ? placeText(axis, x) : `at ${placeText(axis, x)}`;
}

/** A place on an axis, in words. */
export function placeText(axis: Axis, x: number): string {
  const { xAxis, xSeriesName } = axis;
  const number = numberText(axis, x);
  if (xAxis === "timestamp") return number;
  if (xAxis === "elapsed") return `after ${number}`;
  if (xAxis === "metric") return `${xSeriesName} ${number}`;
  return xAxis === "offset" ? `step + ${number}` : `step ${number}`;
}

function numberText({ xAxis, start = 0, end = 0 }: Axis, x: number): string {
  if (xAxis === "timestamp") return timeText(x);
  if (xAxis === "elapsed") {
    // In a small part of a long time the two largest units are the same everywhere.
    const isClose = end > start && (end - start) * 100 < x;
    return spanText(x, isClose ? Infinity : 2);
  }
  // Steps are whole, and a pointer may lie between two.
  return xAxis === "metric" ? valueText(x, digitsBetween(start, end)) : countText(Math.round(x));
}

/** Stands where a line has no value at the cursor. */
export const noValue = "–";

/** The number of lines, and what a pointer does for them. */
export function manyText(count: number): string {
  return `${countedText(count, "line")}: point at one to read it`;
}
