/** The first position from `start` on of which it is true, as of all behind it; or `end`. */
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
