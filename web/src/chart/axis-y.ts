import type { Line, Partition } from "./paint.ts";
import type { ChartView } from "./view.ts";

export interface Heights {
  low: number;
  high: number;
  /** A symmetric logarithmic axis is linear between it and its negative. */
  threshold: number;
}

type Asked = Pick<ChartView, "y" | "heights">;

/** So many powers of ten a symmetric logarithmic axis has on either side. */
const symlogDecades = 3;
/** What a robust axis leaves out, of columns at either side. */
const robustShare = 0.01;

/** The part of an axis that holds the values, with a margin; on a logarithmic one those above 0. */
export function heightsOf(partitions: readonly Partition[], { y, heights }: Asked): Heights {
  const { lows, highs } = valuesOf(partitions, y === "log");
  const size = largestOf(highs.concat(lows.map((value) => -value)), 0);
  const threshold = size === 0 ? 1 : 10 ** Math.floor(Math.log10(size) - symlogDecades + 0.5);
  if (heights !== undefined && heights !== "robust" && (y !== "log" || heights.start > 0))
    return { low: heights.start, high: heights.end, threshold };
  if (lows.length === 0) return { low: y === "log" ? 0.1 : 0, high: 1, threshold };
  const least = heights === "robust" ? quantile(lows, robustShare) : -largestOf(lows.map(negated));
  const largest = heights === "robust" ? quantile(highs, 1 - robustShare) : largestOf(highs);
  return { ...widened(Math.min(least, largest), largest, y, threshold), threshold };
}

const negated = (value: number) => -value;

function largestOf(values: readonly number[], start = -Infinity): number {
  return values.reduce((most, value) => (value > most ? value : most), start);
}

function widened(least: number, largest: number, y: Asked["y"], threshold: number) {
  if (y === "log")
    return { low: Math.max(least / 1.1, 1e-300), high: Math.min(largest * 1.1, 1e300) };
  if (y === "symlog") {
    const [from, to] = [Math.asinh(least / threshold), Math.asinh(largest / threshold)];
    const margin = Math.max((to - from) * 0.05, 0.1);
    const back = (value: number) => bounded(Math.sinh(value) * threshold);
    return { low: back(from - margin), high: back(to + margin) };
  }
  const size = Math.max(Math.abs(least), Math.abs(largest));
  // Wide enough that ticks differ: values one bit apart are a level line.
  const wide = Math.max((largest - least) * 0.05, size * 1e-12);
  const margin = largest === least ? size * 0.05 || 1 : wide;
  return { low: bounded(least - margin), high: bounded(largest + margin) };
}

function bounded(value: number): number {
  return Math.min(1e307, Math.max(-1e307, value));
}

/** The least and the largest of each column, and of smoothed ones; points are both. */
function valuesOf(partitions: readonly Partition[], isLog: boolean) {
  const lows: number[] = [];
  const highs: number[] = [];
  const take = (into: number[], values: readonly number[]) => {
    for (const value of values) if (!isLog || value > 0) into.push(value);
  };
  for (const line of partitions.flatMap(linesOf)) {
    take(lows, line.exact?.value ?? line.reduced?.min ?? []);
    take(highs, line.exact?.value ?? line.reduced?.max ?? []);
  }
  // A column from below 0 to above it has no least value on a logarithmic axis.
  return { lows: lows.length === 0 ? highs : lows, highs };
}

function linesOf(partition: Partition): Line[] {
  return partition.smoothed === undefined ? [partition] : [partition, partition.smoothed];
}

function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.round(share * (sorted.length - 1))];
}

/** Points that a logarithmic axis cannot show; of columns, those that reach to 0 or below. */
export function countBelow(partitions: readonly Partition[]): number {
  return countOutside(partitions, { low: Number.MIN_VALUE, high: Infinity });
}

/** Points, or columns, that reach beyond what is shown. */
export function countOutside(
  partitions: readonly Partition[],
  { low, high }: Pick<Heights, "low" | "high">,
): number {
  let count = 0;
  for (const { exact, reduced } of partitions) {
    for (const value of exact?.value ?? []) if (value < low || value > high) count++;
    for (const [at, min] of reduced?.min.entries() ?? [])
      if (min < low || reduced!.max[at] > high) count++;
  }
  return count;
}
