/**
 * Returns the mean of two groups of values from their means; the extremes of all values keep
 * rounding within them. The parameters are numbers, not objects: every grain of a chart calls it.
 */
export function joinedMean(
  count: number,
  mean: number,
  otherCount: number,
  otherMean: number,
  min: number,
  max: number,
): number {
  const together = count + otherCount;
  const joined = mean * (count / together) + otherMean * (otherCount / together);
  return Math.min(max, Math.max(min, joined));
}

/** Returns the mean of values whose sum no double holds. */
export function meanOfHuge(values: Float64Array): number {
  return values.reduce((mean, value) => mean + value / values.length, 0);
}
