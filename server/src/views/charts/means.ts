/** The mean of some values; the extremes keep it from being rounded out of them. */
export interface Mean {
  count: number;
  mean: number;
  min: number;
  max: number;
}

/** What both come to. */
export function joinedMean(one: Mean, other: Mean): number {
  const together = one.count + other.count;
  const joined = one.mean * (one.count / together) + other.mean * (other.count / together);
  const [min, max] = [Math.min(one.min, other.min), Math.max(one.max, other.max)];
  return Math.min(max, Math.max(min, joined));
}

/** For values whose sum is beyond any double. */
export function meanOfHuge(values: Float64Array): number {
  return values.reduce((mean, value) => mean + value / values.length, 0);
}
