import type { OverviewReply } from "@lossless/client";
import { columnOf, shareOf, type Raster } from "@lossless/protocol/raster";

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

export type ColumnAxis = Pick<OverviewReply, "xAxis" | "xScale" | "start" | "end" | "columns">;

/**
 * The place at which a column is read: its first whole step, if steps are whole; else its middle.
 */
export function placeOfColumn(axis: ColumnAxis, column: number): number {
  if (axis.xAxis === "metric") return edgeOf(axis, column + 0.5);
  // Edges are rounded, so columnOf decides to which column a step belongs.
  const step = Math.floor(edgeOf(axis, column));
  return columnOf(axis, step) < column ? step + 1 : step;
}
