import type { OverviewReply } from "@lossless/client";
import { columnOf, shareOf, type Raster } from "@lossless/protocol/raster";
import type { Partition } from "../paint/paint-line.ts";

export type Extent = Pick<OverviewReply, "start" | "end" | "xScale">;

/**
 * The axis of an overview as drawn. With unreduced points it ends at the last one; with columns it
 * ends with the range.
 */
export function axisRange(overview: OverviewReply): [number, number] {
  const { start, end, xAxis, xScale } = overview;
  if (!isExact(overview)) return [start, end];
  const last = isInclusive(overview) ? end - 1 : end;
  const size = Math.max(Math.abs(start), Math.abs(last));
  if (last - start > size * 1e-9) return [start, last];
  // A single place is drawn in the middle, with room for ticks.
  const margin = xAxis === "metric" ? size * 0.05 || 1 : 1;
  return xScale === "log" ? [start / 2, last * 2] : [start - margin, last + margin];
}

function isExact({ series }: OverviewReply): boolean {
  return series.every(({ reduced }) => reduced === undefined);
}

/** Whether the right edge of the drawn axis is a place that points may have. */
export function isInclusive(overview: OverviewReply): boolean {
  return overview.xAxis !== "metric" && isExact(overview);
}

/** The left edge of a column, in units of the axis. */
export function edgeOf({ start, end, columns, xScale }: Raster, column: number): number {
  // Rounding could put it before the end, which would exclude the last point.
  if (column === columns) return end;
  const share = column / columns;
  return xScale === "log" ? start * (end / start) ** share : start + (end - start) * share;
}

/** The place of x on an axis, from 0 at its left to 1 at its right, or beyond. */
export function placeOf(
  [start, end]: readonly [number, number],
  xScale: Extent["xScale"],
  x: number,
) {
  return shareOf({ start, end, columns: 1, xScale }, x);
}

/** The value at a place; the inverse of placeOf. */
export function valueAt(
  [start, end]: readonly [number, number],
  xScale: Extent["xScale"],
  share: number,
) {
  return edgeOf({ start, end, columns: 1, xScale }, share);
}

export type DrawnAxis = Pick<OverviewReply, "xAxis" | "xScale" | "start" | "end" | "columns">;

/**
 * The place at which a column is read: its first whole step, if steps are whole; else its middle.
 */
export function placeOfColumn(axis: DrawnAxis, column: number): number {
  if (axis.xAxis === "metric") return edgeOf(axis, column + 0.5);
  // Edges are rounded, so columnOf decides to which column a step belongs.
  const step = Math.floor(edgeOf(axis, column));
  return columnOf(axis, step) < column ? step + 1 : step;
}

export interface Reading {
  x: number;
  /** The value of a single point, or the least and largest of a column. */
  min: number;
  max: number;
  /** Value of the smoothed line. */
  smoothed: number | undefined;
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
export function readingAt(partition: Partition, raster: DrawnAxis, x: number): Reading | undefined {
  const point = pointAt(partition, raster, x);
  const last = lastNonfiniteOf(partition);
  if (last === undefined || Number.isNaN(last.x)) return point;
  const isNearer = point === undefined || Math.abs(last.x - x) < Math.abs(point.x - x);
  return isNearer ? last : point;
}

function pointAt(partition: Partition, raster: DrawnAxis, x: number): Reading | undefined {
  const { exact, reduced, smoothed } = partition;
  if (exact !== undefined && exact.x.length > 0) {
    const at = nearest(exact.x, x);
    const value = exact.value[at];
    return { x: exact.x[at], min: value, max: value, smoothed: smoothed?.exact?.value[at] };
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

/** Reads a group. It is read where a member has a point: in between its line is only drawn. */
function groupReading({ group, reduced }: Partition, column: number, raster?: DrawnAxis): Reading {
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
  return last === undefined ? lastPointOf(partition) : { ...last, x: NaN };
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
