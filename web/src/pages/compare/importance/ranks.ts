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

/** How far the mean rank of the middle third has to be from those of both ends. */
const turned = 0.15;

/** Whether the middle third of one has the least or largest of the other; undefined: neither. */
export function middleOf(
  one: readonly number[],
  other: readonly number[],
): "least" | "largest" | undefined {
  const [left, right] = [ranksOf(one), ranksOf(other)];
  const meanOf = (from: number, to: number) => {
    const within = [...right].filter((_, at) => left[at] >= from && left[at] < to);
    return within.reduce((sum, rank) => sum + rank, 0) / within.length;
  };
  const [low, middle, high] = [meanOf(0, 1 / 3), meanOf(1 / 3, 2 / 3), meanOf(2 / 3, 2)];
  if (Math.min(low, high) - middle > turned) return "least";
  return middle - Math.max(low, high) > turned ? "largest" : undefined;
}
