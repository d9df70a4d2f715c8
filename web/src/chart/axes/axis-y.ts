import type { OverviewReply } from "@lossless/client";
import { crossingsOf, type YTransform } from "./crossings.ts";
import type { Line, Partition } from "../lines/line.ts";
import type { ChartView } from "../view.ts";

export interface Heights {
  low: number;
  high: number;
  /** A symmetric logarithmic axis is linear between the negative threshold and the threshold. */
  threshold: number;
}

type YView = Pick<ChartView, "y" | "heights">;

/** Powers of ten on either side of a symmetric logarithmic axis. */
const symlogDecades = 3;
/** Share of columns at either end that a robust axis leaves out. */
const robustShare = 0.01;

/**
 * The range of an axis that shows the values, with a margin; on a logarithmic axis those above 0.
 * Lines enter and leave the plot within it.
 */
export function heightsOf(overview: OverviewReply, { y, heights }: YView): Heights {
  const lines = overview.series.flatMap(linesOf);
  const isLog = y === "log";
  const inside = valuesOf(lines, isLog);
  const threshold = thresholdOf(inside.highs.length > 0 ? inside : aroundOf(lines));
  const crossings = lines
    .flatMap((line) => crossingsOf(line, overview, bendOf(y, threshold)))
    .filter((value) => !isLog || value > 0);
  const lows = inside.lows.concat(crossings);
  const highs = inside.highs.concat(crossings);
  if (heights !== undefined && heights !== "robust" && (y !== "log" || heights.start > 0))
    return { low: heights.start, high: heights.end, threshold };
  if (lows.length === 0) return { low: y === "log" ? 0.1 : 0, high: 1, threshold };
  const least = heights === "robust" ? quantile(lows, robustShare) : -largestOf(lows.map(negated));
  const largest = heights === "robust" ? quantile(highs, 1 - robustShare) : largestOf(highs);
  return { ...widened(Math.min(least, largest), largest, y, threshold), threshold };
}

function thresholdOf({ lows, highs }: Values): number {
  const size = largestOf(highs.concat(lows.map(negated)), 0);
  return size === 0 ? 1 : 10 ** Math.floor(Math.log10(size) - symlogDecades + 0.5);
}

function bendOf(y: YView["y"], threshold: number): YTransform {
  if (y === "log") return { bent: Math.log, straight: Math.exp };
  if (y === "linear") return { bent: (value) => value, straight: (height) => height };
  return {
    bent: (value) => Math.asinh(value / threshold),
    straight: (height) => Math.sinh(height) * threshold,
  };
}

const negated = (value: number) => -value;

function largestOf(values: readonly number[], start = -Infinity): number {
  return values.reduce((most, value) => (value > most ? value : most), start);
}

function widened(least: number, largest: number, y: YView["y"], threshold: number) {
  if (y === "log")
    return { low: Math.max(least / 1.1, 1e-300), high: Math.min(largest * 1.1, 1e300) };
  if (y === "symlog") {
    const [from, to] = [Math.asinh(least / threshold), Math.asinh(largest / threshold)];
    const margin = Math.max((to - from) * 0.05, 0.1);
    const back = (value: number) => bounded(Math.sinh(value) * threshold);
    return { low: back(from - margin), high: back(to + margin) };
  }
  const size = Math.max(Math.abs(least), Math.abs(largest));
  // Wide enough to make ticks differ: values one bit apart are a level line.
  const wide = Math.max((largest - least) * 0.05, size * 1e-12);
  const margin = largest === least ? size * 0.05 || 1 : wide;
  return { low: bounded(least - margin), high: bounded(largest + margin) };
}

function bounded(value: number): number {
  return Math.min(1e307, Math.max(-1e307, value));
}

interface Values {
  lows: number[];
  highs: number[];
}

/** The neighbouring points of lines without points in the range. */
function aroundOf(lines: readonly Line[]): Values {
  const values = lines.flatMap(({ before, after }) =>
    [before, after].flatMap((point) => (point === undefined ? [] : [point.value])),
  );
  return { lows: values, highs: values };
}

/** The least and the largest value of each column, and of smoothed ones; a point is both. */
function valuesOf(lines: readonly Line[], isLog: boolean): Values {
  const lows: number[] = [];
  const highs: number[] = [];
  const take = (into: number[], values: readonly number[]) => {
    for (const value of values) if (!isLog || value > 0) into.push(value);
  };
  for (const { exact, reduced } of lines) {
    take(lows, exact?.value ?? reduced?.min ?? []);
    take(highs, exact?.value ?? reduced?.max ?? []);
  }
  // On a logarithmic axis a column that crosses 0 has no least value.
  return { lows: lows.length === 0 ? highs : lows, highs };
}

function linesOf(partition: Partition): Line[] {
  const { earlier = [], smoothed } = partition;
  return [partition, ...earlier.map((exact) => ({ exact })), ...(smoothed ? [smoothed] : [])];
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.round(share * (sorted.length - 1))];
}

/** Counts points that a logarithmic axis cannot show; of columns, those that reach 0 or below. */
export function countBelow(partitions: readonly Partition[]): number {
  return countOutside(partitions, { low: Number.MIN_VALUE, high: Infinity });
}

/** Counts points, or columns, that reach beyond the visible range. */
export function countOutside(
  partitions: readonly Partition[],
  { low, high }: Pick<Heights, "low" | "high">,
): number {
  let count = 0;
  for (const { exact, earlier = [], reduced } of partitions) {
    for (const { value } of [...(exact ? [exact] : []), ...earlier])
      for (const each of value) if (each < low || each > high) count++;
    for (const [at, min] of reduced?.min.entries() ?? [])
      if (min < low || reduced!.max[at] > high) count++;
  }
  return count;
}
