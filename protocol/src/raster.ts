/**
 * Division of an axis for drawing. A client that checks a reduction computes the columns of its
 * points exactly as the service does.
 */
export interface Raster {
  /** The range, in units of the axis: start inclusive, end exclusive. */
  start: number;
  end: number;
  /** Number of columns of equal width, numbered from 0. */
  columns: number;
  /** On a logarithmic axis columns have equal widths in logarithms; `start` is above 0. */
  xScale?: "linear" | "log";
}

/** Returns the column of x, which must lie in the range. Never decreases while x increases. */
export function columnOf(raster: Raster, x: number): number {
  return Math.min(raster.columns - 1, Math.floor(placeOf(raster, x)));
}

/**
 * The same for any x: columns continue below 0 before the range, and past the last one after it.
 */
export function columnAround(raster: Raster, x: number): number {
  if (x < raster.start) return Math.min(-1, Math.floor(placeOf(raster, x)));
  if (x >= raster.end) return Math.max(raster.columns, Math.floor(placeOf(raster, x)));
  return columnOf(raster, x);
}

function placeOf(raster: Raster, x: number): number {
  const { start, end, columns, xScale } = raster;
  const width = (end - start) * columns;
  // Multiplied first, so the edges of columns with integer widths are integers.
  return xScale === "log" || width === Infinity
    ? shareOf(raster, x) * columns
    : ((x - start) * columns) / (end - start);
}

/**
 * Position of x between start and end, from 0 to 1. The second forms are for ends whose distance
 * exceeds the range of doubles.
 */
export function shareOf({ start, end, xScale }: Raster, x: number): number {
  if (xScale === "log") {
    const ratio = end / start;
    if (ratio !== Infinity) return Math.log(x / start) / Math.log(ratio);
    return (Math.log(x) - Math.log(start)) / (Math.log(end) - Math.log(start));
  }
  const width = end - start;
  if (width !== Infinity) return (x - start) / width;
  return (x / 2 - start / 2) / (end / 2 - start / 2);
}
