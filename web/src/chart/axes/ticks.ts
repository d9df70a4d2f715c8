import type { OverviewReply } from "@lossless/client";
import type uPlot from "uplot";
import { numberTexts, spanTexts, stepTexts, type TickTexts } from "./tick-texts.ts";

/** Height of an axis of times, which have a second line for their days. */
export const timeAxisHeight = 46;

/** Distances of ticks on an x axis, in CSS pixels, and their possible places. */
export function xAxisOf({ xAxis, xScale }: OverviewReply): uPlot.Axis {
  if (xAxis === "timestamp") return { space: 70, values: timeFormats };
  if (xAxis === "elapsed") return { space: 96, ...(xScale === "log" ? {} : { incrs: wholeTimes }) };
  return { space: 70, ...(xScale === "log" || xAxis === "metric" ? {} : { incrs: wholeSteps }) };
}

type XAxis = Pick<OverviewReply, "xAxis" | "xScale">;

/** Texts of an x axis, except for moments. */
export function xTextsOf(
  { xAxis, xScale }: XAxis,
  splits: number[],
  low: number,
  high: number,
): TickTexts {
  if (xAxis === "elapsed") return spanTexts(splits);
  const isLog = xScale === "log";
  if (isLog || xAxis === "metric")
    return numberTexts(splits, isLog && evenTicksOf(low, high) === undefined);
  return stepTexts(splits);
}

const [second, hour, day] = [1_000, 3_600_000, 86_400_000];
const [date, shortDate, clock] = ["\n{YYYY}-{MM}-{DD}", "\n{MM}-{DD}", "{HH}:{mm}"];

/** Distances of ticks, their text, and a second line at a new year, month, day, hour, minute. */
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

/** Distances of whole steps: 1, 2, 5, 10 and so on. */
export const wholeSteps = Array.from({ length: 16 }, (_, power) =>
  [1, 2, 5].map((n) => n * 10 ** power),
)
  .flat()
  .filter((step) => step <= 5e15);

/** Milliseconds in multiples that people use. */
export const wholeTimes = [
  ...wholeSteps.filter((ms) => ms < 1_000),
  ...[1, 2, 5, 10, 15, 30].map((seconds) => seconds * 1_000),
  ...[1, 2, 5, 10, 15, 30].map((minutes) => minutes * 60_000),
  ...[1, 2, 3, 6, 12].map((hours) => hours * 3_600_000),
  ...wholeSteps.map((days) => days * 86_400_000).filter((ms) => ms <= 5e15),
];

/**
 * Ratio of the ends of a nonlinear axis below which it is nearly straight, with few powers of ten.
 */
const nearlyStraight = 3;
const evenTicks = 5;

/** Ticks at even distances, where a nonlinear axis is nearly straight; else undefined. */
export function evenTicksOf(low: number, high: number): number[] | undefined {
  if (!(low * high > 0) || Math.max(high / low, low / high) >= nearlyStraight) return undefined;
  return ticksBetween(low, high);
}

/** Least and greatest distance of uPlot's own ticks. */
const [nearestTicks, farthestTicks] = [1e-30, 1e30];
/** Ratio of distance to value below which uPlot would never finish counting. */
const nearestShare = 1e-9;

/** Ticks of a linear axis that is too long or too short for uPlot; else undefined. */
export function extremeTicksOf(low: number, high: number): number[] | undefined {
  const length = high - low;
  const nearest = Math.max(nearestTicks, Math.max(Math.abs(low), Math.abs(high)) * nearestShare);
  if (length >= nearest && length <= farthestTicks) return undefined;
  return ticksBetween(low, high) ?? [low, high];
}

function ticksBetween(low: number, high: number): number[] | undefined {
  const wanted = high / evenTicks - low / evenTicks;
  const power = Number(`1e${Math.floor(Math.log10(wanted))}`);
  const step = power * [1, 2, 5, 10].find((factor) => factor * power >= wanted)!;
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  if (!(step > 0) || !(count > 1)) return undefined;
  const places = Array.from({ length: count }, (_, at) => first + at);
  const ticks = places.map((place) => Number((place * step).toPrecision(16)));
  // Where doubles are sparse, several ticks would be equal.
  const inside = [...new Set(ticks)].filter((tick) => tick >= low && tick <= high);
  return inside.length > 1 ? inside : undefined;
}

/** 1, 2, … 9 times powers of ten: uPlot counts from the start of an axis, and misses them. */
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

/** The least distance of ticks on a nonlinear axis, in CSS pixels. */
export const tickSpace = 18;

/**
 * Ticks of a symmetric logarithmic axis of this height: 0, and on either side the threshold times
 * powers of ten, as many as there is room for. Within the threshold it is linear.
 */
export function symlogTicks(
  low: number,
  high: number,
  threshold: number,
  height: number,
): number[] | undefined {
  const size = Math.max(Math.abs(low), Math.abs(high));
  if (size <= 2 * threshold) return ticksBetween(low, high);
  const bent = (value: number) => Math.asinh(value / threshold);
  const pixels = height / (bent(high) - bent(low));
  const every = Math.max(1, Math.ceil(tickSpace / (Math.LN10 * pixels)));
  const first = Math.asinh(1) * pixels < tickSpace ? every : 0;
  const powers: number[] = [];
  const lowest = Math.round(Math.log10(threshold));
  for (let power = lowest + first; Number(`1e${power}`) <= size; power += every)
    powers.push(Number(`1e${power}`));
  const bothSides = (places: readonly number[]) =>
    [...places.map((tick) => -tick).reverse(), 0, ...places].filter(
      (tick) => tick >= low && tick <= high,
    );
  const ticks = bothSides(powers);
  if (ticks.length >= wantedTicks || Math.LN2 * pixels < tickSpace) return ticks;
  // There is room between few powers of ten.
  const finer = bothSides(powers.flatMap((power) => [1, 2, 5].map((digit) => digit * power)));
  const even = finer.length >= wantedTicks ? undefined : ticksBetween(low, high);
  return even !== undefined && even.length > finer.length ? even : finer;
}

/** Ticks of a symmetric logarithmic axis at least, where there is room. */
const wantedTicks = 3;
