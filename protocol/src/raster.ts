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
  /** On a logarithmic axis the columns have one width in logarithms; `start` is above 0. */
  xScale?: "linear" | "log";
}

/** The column in which x lies. Never goes down while x goes up. x has to lie in the range. */
export function columnOf(raster: Raster, x: number): number {
  return Math.min(raster.columns - 1, Math.floor(placeOf(raster, x)));
}

/** The same for any x: columns go on below 0 before the range, and above the last one behind it. */
export function columnAround(raster: Raster, x: number): number {
  if (x < raster.start) return Math.min(-1, Math.floor(placeOf(raster, x)));
  if (x >= raster.end) return Math.max(raster.columns, Math.floor(placeOf(raster, x)));
  return columnOf(raster, x);
}

function placeOf(raster: Raster, x: number): number {
  const { start, end, columns, xScale } = raster;
  const width = (end - start) * columns;
  // Multiplied first: so the edges of columns that are whole numbers wide are whole numbers.
  return xScale === "log" || width === Infinity
    ? shareOf(raster, x) * columns
    : ((x - start) * columns) / (end - start);
}

/**
 * Where x lies between start and end: from 0 to 1. The second forms are for ends so far apart that
 * no double says how far.
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
