/**
 * How an axis is divided for drawing. The service and whoever draws have to agree on the column of
 * every point, so both compute it here.
 */
export interface Raster {
  /** The range, in units of the axis: start inclusive, end exclusive. */
  start: number;
  end: number;
  /** So many columns of one width, numbered from 0. */
  columns: number;
}

/** The column in which x lies. Never goes down while x goes up. x has to lie in the range. */
export function columnOf({ start, end, columns }: Raster, x: number): number {
  return Math.min(columns - 1, Math.floor(((x - start) / (end - start)) * columns));
}

/** Where a column begins; the range's end for the one after the last. */
export function columnStart({ start, end, columns }: Raster, column: number): number {
  return start + (column / columns) * (end - start);
}
