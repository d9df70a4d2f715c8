import { columnOf, type Raster } from "@lossless/protocol/raster";

/**
 * Returns the first position from `start` on at which `isBehind` is true, as it is at all later
 * ones; or `end`.
 */
export function firstWhere(
  start: number,
  end: number,
  isBehind: (position: number) => boolean,
): number {
  let low = start;
  let high = end;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (isBehind(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns where the column of a row ends, in ascending places: most rows are not looked at. */
export function endOfColumn(
  raster: Raster,
  row: number,
  end: number,
  placeAt: (row: number) => number,
): number {
  const column = columnOf(raster, placeAt(row));
  const isBehind = (at: number) => columnOf(raster, placeAt(at)) > column;
  let reach = 1;
  while (row + reach < end && !isBehind(row + reach)) reach *= 2;
  return firstWhere(row + (reach >> 1), Math.min(row + reach, end), isBehind);
}
