/**
 * How an axis is divided for drawing. Whoever checks a reduction computes the columns of its points
 * as the service does.
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
