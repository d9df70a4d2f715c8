import type { OverviewReply } from "@lossless/client";
import type uPlot from "uplot";
import { countText, digitsText, spanText } from "../parts/words.ts";

/** Times have a second line for their days. */
export const timeAxisHeight = 46;

/** Where ticks of an x axis may stand, and what they say. */
export function xAxisOf({ xAxis, xScale }: OverviewReply): uPlot.Axis {
  if (xAxis === "timestamp") return { space: 70, values: timeFormats };
  const isLog = xScale === "log";
  const values = ({ scales: { x } }: uPlot, splits: number[]) => {
    const isBent = isLog && evenTicksOf(x.min!, x.max!) === undefined;
    return splits.map((value) => {
      if (xAxis === "elapsed") return spanText(value);
      return xAxis === "metric" || isLog ? tickText(value, isBent) : countText(value);
    });
  };
  if (isLog || xAxis === "metric") return { space: 70, values };
  return { space: 70, values, incrs: xAxis === "elapsed" ? wholeTimes : wholeSteps };
}

const [second, hour, day] = [1_000, 3_600_000, 86_400_000];
const [date, shortDate, clock] = ["\n{YYYY}-{MM}-{DD}", "\n{MM}-{DD}", "{HH}:{mm}"];

/** Ticks so far apart, their text, and a second line at a new year, month, day, hour, minute. */
const timeFormats = [
  [365 * day, "{YYYY}", null, null, null, null, null, null, 1],
  [28 * day, "{YYYY}-{MM}", null, null, null, null, null, null, 1],
  [day, "{MM}-{DD}", "\n{YYYY}", null, null, null, null, null, 1],
  [hour, clock, date, null, shortDate, null, null, null, 1],
  [60 * second, clock, date, null, shortDate, null, null, null, 1],
  [second, ":{ss}", `${date} ${clock}`, null, `${shortDate} ${clock}`, null, `\n${clock}`, null, 1],
  [
    1,
    ":{ss}.{fff}",
    `${date} ${clock}`,
    null,
    `${shortDate} ${clock}`,
    null,
    `\n${clock}`,
    null,
    1,
  ],
];

/** There is nothing between two steps: 1, 2, 5, 10 and so on. */
const wholeSteps = Array.from({ length: 16 }, (_, power) => [1, 2, 5].map((n) => n * 10 ** power))
  .flat()
  .filter((step) => step <= 5e15);

/** Milliseconds as people count them. */
const wholeTimes = [
  ...wholeSteps.filter((ms) => ms < 1_000),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...wholeSteps.map((days) => days * 86_400_000).filter((ms) => ms <= 5e15),
];

/** So narrow a part of a bent axis is nearly straight, and has few powers of ten or none. */
const nearlyStraight = 3;
const evenTicks = 5;

/** Ticks at even distances where a bent axis shows little of itself; else undefined. */
export function evenTicksOf(low: number, high: number): number[] | undefined {
  if (!(low * high > 0) || Math.max(high / low, low / high) >= nearlyStraight) return undefined;
  return ticksBetween(low, high);
}

/** uPlot's own ticks are so far apart at least, and at most. */
const [nearestTicks, farthestTicks] = [1e-30, 1e30];

/** Ticks of a straight axis that is too long or too short for uPlot; else undefined. */
export function extremeTicksOf(low: number, high: number): number[] | undefined {
  const length = high - low;
  return length < nearestTicks || length > farthestTicks ? ticksBetween(low, high) : undefined;
}

function ticksBetween(low: number, high: number): number[] | undefined {
  const wanted = (high - low) / evenTicks;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= wanted)!;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  const ticks = Array.from({ length: count }, (_, at) =>
    Number(((first + at) * step).toPrecision(12)),
  );
  return step > 0 && ticks.length > 1 ? ticks : undefined;
}

/** 1, 2, … 9 times powers of ten: uPlot counts from where an axis begins, and misses them. */
export function powerTicks(low: number, high: number): number[] {
  const ticks: number[] = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) {
    for (let digit = 1; digit <= 9; digit++) {
      const tick = Number(`${digit}e${power}`);
      if (tick >= low && tick <= high) ticks.push(tick);
    }
  }
  return ticks;
}

/** A logarithmic axis begins anywhere: its ends are no ticks. */
export function tickText(value: number | null, isLog: boolean): string {
  if (value === null || (isLog && Number(value.toPrecision(2)) !== value)) return "";
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e9 || size < 1e-3)) return value.toExponential().replace("+", "");
  // Written out it would not fit beside a chart.
  return size >= 1e6 ? `${digitsText(value / 1e6)}M` : digitsText(value);
}
