/**
 * What the means of so many values and of so many others come to; the extremes of all keep it from
 * being rounded out of them. Numbers, not objects: it is asked for every grain of a chart.
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

/** For values whose sum is beyond any double. */
export function meanOfHuge(values: Float64Array): number {
  return values.reduce((mean, value) => mean + value / values.length, 0);
}
