import { columnOf } from "@lossless/protocol/raster";
import { placeOfColumn, type ColumnAxis } from "../axes/axis-x.ts";
import type { Partition } from "../lines/line.ts";

export interface Reading {
  x: number;
  /** The value of a single point, or the least and largest of a column. */
  min: number;
  max: number;
  /** Value of the smoothed line. */
  smoothed: number | undefined;
  /** Set for the last point of a range that values that are not finite may follow. */
  isLastFinite?: true;
  /** Earlier values of the same step. */
  earlier?: readonly number[];
  /** Set for a group. */
  group?: GroupReading;
}

export interface GroupReading {
  mean: number;
  /** Members with a value there, and members with a point of their own. */
  count: number;
  recorded: number;
  /** Recorded places on either side, where no member has a point in the range. */
  around: { before?: number; after?: number };
}

/** Reads a partition at, or nearest to, a place on the axis. */
export function readingAt(
  partition: Partition,
  raster: ColumnAxis,
  x: number,
): Reading | undefined {
  const point = pointAt(partition, raster, x);
  const last = lastNonfiniteOf(partition);
  if (last === undefined || Number.isNaN(last.x)) return point;
  const isNearer = point === undefined || Math.abs(last.x - x) < Math.abs(point.x - x);
  return isNearer ? last : point;
}

function pointAt(partition: Partition, raster: ColumnAxis, x: number): Reading | undefined {
  const { exact, reduced, smoothed } = partition;
  if (exact !== undefined && exact.x.length > 0) {
    const at = nearest(exact.x, x);
    const value = exact.value[at];
    const point = { x: exact.x[at], min: value, max: value, smoothed: smoothed?.exact?.value[at] };
    const earlier = earlierAt(partition, point.x);
    return earlier.length === 0 ? point : { ...point, earlier };
  }
  if (reduced === undefined || reduced.column.length === 0) return undefined;
  const column = columnOf(raster, x);
  if (partition.group !== undefined) return groupReading(partition, column, raster);
  const at = nearest(reduced.column, column);
  return {
    x: placeOfColumn(raster, reduced.column[at]),
    min: reduced.min[at],
    max: reduced.max[at],
    smoothed: smoothed?.reduced?.mean[at],
  };
}

/** Values of a step before its last one, the latest first. */
function earlierAt({ earlier = [] }: Partition, x: number): number[] {
  return earlier.flatMap((line) => {
    const at = nearest(line.x, x);
    return line.x[at] === x ? [line.value[at]] : [];
  });
}

/** Reads a group. It is read where a member has a point: in between its line is only drawn. */
function groupReading({ group, reduced }: Partition, column: number, raster?: ColumnAxis): Reading {
  const { count, recorded, around } = group!;
  const { column: columns, mean, min, max } = reduced!;
  const place =
    recorded[
      nearest(
        recorded.map((one) => one.column),
        column,
      )
    ];
  const at = nearest(columns, place?.column ?? column);
  return {
    x: raster === undefined ? NaN : (place?.x ?? placeOfColumn(raster, columns[at])),
    min: min[at],
    max: max[at],
    smoothed: undefined,
    group: { mean: mean[at], count: count[at], recorded: place?.members ?? 0, around },
  };
}

/** The last value of a partition in the range, which says where a curve has got to. */
export function lastOf(partition: Partition): Reading | undefined {
  const last = lastNonfiniteOf(partition);
  if (last !== undefined) return { ...last, x: NaN };
  const point = lastPointOf(partition);
  return point && partition.mayEndNonfinite ? { ...point, isLastFinite: true } : point;
}

/**
 * The last value of a partition where it is not finite; undefined for a group, whose members have
 * their own.
 */
function lastNonfiniteOf({ lastNonfinite, group }: Partition): Reading | undefined {
  if (lastNonfinite === undefined || group !== undefined) return undefined;
  const { x = NaN, value } = lastNonfinite;
  return { x, min: Number(value), max: Number(value), smoothed: undefined };
}

/** The last point of a partition in the range: where its line ends. */
export function lastPointOf(partition: Partition): Reading | undefined {
  const { exact, reduced, smoothed, group } = partition;
  if (group !== undefined && reduced !== undefined) return groupReading(partition, Infinity);
  const value = (exact?.value ?? reduced?.last)?.at(-1);
  const smooth = (smoothed?.exact?.value ?? smoothed?.reduced?.last)?.at(-1);
  return value === undefined ? undefined : { x: NaN, min: value, max: value, smoothed: smooth };
}

/** Index of the nearest number in a sorted list; of two equally near the larger. */
function nearest(sorted: readonly number[], wanted: number): number {
  let low = 0;
  let high = sorted.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low > 0 && wanted - sorted[low - 1] < sorted[low] - wanted ? low - 1 : low;
}
