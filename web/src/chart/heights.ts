import type { OverviewReply } from "@lossless/client";
import type { Partition } from "./paint.ts";

/** The part of an axis that holds all values, with a margin; on a logarithmic one those above 0. */
export function heightsOf(partitions: readonly Partition[], isLog: boolean): [number, number] {
  let least = Infinity;
  let largest = -Infinity;
  const take = (value: number): void => {
    if (isLog && value <= 0) return;
    if (value < least) least = value;
    if (value > largest) largest = value;
  };
  for (const { exact, reduced } of partitions) {
    for (const value of exact?.value ?? []) take(value);
    for (const value of reduced?.min ?? []) take(value);
    for (const value of reduced?.max ?? []) take(value);
  }
  if (least > largest) return [isLog ? 0.1 : 0, 1];
  if (isLog) return [Math.max(least / 1.1, 1e-300), Math.min(largest * 1.1, 1e300)];
  const size = Math.max(Math.abs(least), Math.abs(largest));
  // Wide enough that ticks differ: values one bit apart are a level line.
  const wide = Math.max((largest - least) * 0.05, size * 1e-12);
  const margin = largest === least ? size * 0.05 || 1 : wide;
  return [Math.max(least - margin, -1e307), Math.min(largest + margin, 1e307)];
}

/**
 * The axis of an overview, both ends drawn. Points that came as they are end at the last of them;
 * columns end where the range does.
 */
export function axisRange({ start, end, series }: OverviewReply): [number, number] {
  const isExact = series.every(({ reduced }) => reduced === undefined);
  if (!isExact) return [start, end];
  return end - start === 1 ? [Math.max(0, start - 1), start + 1] : [start, end - 1];
}

/** Points that a logarithmic axis cannot show; of columns, those that reach to 0 or below. */
export function countBelow(partitions: readonly Partition[]): number {
  let count = 0;
  for (const { exact, reduced } of partitions) {
    count += exact?.value.filter((value) => value <= 0).length ?? 0;
    count += reduced?.min.filter((value) => value <= 0).length ?? 0;
  }
  return count;
}

export interface Reading {
  x: number;
  /** One point, or the least and largest of a column of several. */
  min: number;
  max: number;
}

/** What a partition has at, or nearest to, a place on the axis. */
export function readingAt(
  { exact, reduced }: Partition,
  range: { start: number; end: number; columns: number },
  x: number,
): Reading | undefined {
  if (exact !== undefined) {
    const at = nearest(exact.x, x);
    return { x: exact.x[at], min: exact.value[at], max: exact.value[at] };
  }
  if (reduced === undefined) return undefined;
  const width = (range.end - range.start) / range.columns;
  const at = nearest(reduced.column, (x - range.start) / width - 0.5);
  const start = range.start + reduced.column[at] * width;
  return { x: Math.ceil(start), min: reduced.min[at], max: reduced.max[at] };
}

/** The last point of a partition in the range, which says where a curve has got to. */
export function lastOf({ exact, reduced }: Partition): Reading | undefined {
  const value = (exact?.value ?? reduced?.last)?.at(-1);
  return value === undefined ? undefined : { x: NaN, min: value, max: value };
}

/** The position of the number nearest to one that is looked for, in ascending numbers. */
function nearest(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low > 0 && wanted - sorted[low - 1] <= sorted[low] - wanted ? low - 1 : low;
}
