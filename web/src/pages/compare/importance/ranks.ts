/** The ranks of numbers from 0 to 1; equal numbers share the middle of theirs. */
export function ranksOf(values: readonly number[]): Float64Array {
  const order = [...values.keys()].sort((one, other) => values[one] - values[other]);
  const ranks = new Float64Array(values.length);
  const last = Math.max(1, values.length - 1);
  for (let start = 0; start < order.length;) {
    let end = start;
    while (end + 1 < order.length && values[order[end + 1]] === values[order[start]]) end++;
    for (let at = start; at <= end; at++) ranks[order[at]] = (start + end) / 2 / last;
    start = end + 1;
  }
  return ranks;
}

/** Spearman's correlation of ranks; undefined where one of both has a single value. */
export function rankCorrelation(
  one: readonly number[],
  other: readonly number[],
): number | undefined {
  const [left, right] = [ranksOf(one), ranksOf(other)];
  const meanOf = (ranks: Float64Array) => ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length;
  const [leftMean, rightMean] = [meanOf(left), meanOf(right)];
  let [both, ofLeft, ofRight] = [0, 0, 0];
  for (const [at, rank] of left.entries()) {
    const [x, y] = [rank - leftMean, right[at] - rightMean];
    both += x * y;
    ofLeft += x * x;
    ofRight += y * y;
  }
  const size = Math.sqrt(ofLeft * ofRight);
  return size > 0 ? Math.max(-1, Math.min(1, both / size)) : undefined;
}
