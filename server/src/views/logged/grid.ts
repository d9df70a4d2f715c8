/** Bins of equal width from `low` to `high`. */
export interface Grid {
  low: number;
  high: number;
  bins: number;
}

/** A logged histogram: the edges of its bins in ascending order, and what lies in each. */
export interface Histogram {
  edges: Float64Array;
  counts: Float64Array;
}

/** Sums of histograms on a grid. */
export interface GriddedSum {
  counts: Float64Array;
  below: number;
  above: number;
}

/** Numbers from which products of differences and bins may overflow. */
const far = 1e305;

/**
 * Adds a histogram. The count of a bin is divided over the bins of the grid by area, as if its
 * values were spread evenly; that of a bin without width lies in the bin of the grid that has it,
 * or in the lower one of two.
 */
export function addToGrid(sum: GriddedSum, grid: Grid, { edges, counts }: Histogram): void {
  const isFar = Math.max(-grid.low, grid.high, -edges[0], edges[edges.length - 1]) > far;
  const scale = isFar ? 2 ** -12 : 1;
  const [low, high] = [grid.low * scale, grid.high * scale];
  const width = (high - low) / grid.bins;
  /** The edge below a bin of the grid; the last one is exact. */
  const edge = (bin: number) => (bin === grid.bins ? high : low + ((high - low) * bin) / grid.bins);
  for (const [at, count] of counts.entries()) {
    if (count === 0) continue;
    const [left, right] = [edges[at] * scale, edges[at + 1] * scale];
    /** How much of the bin lies below a place. */
    const until = (place: number) => {
      if (place >= right) return count;
      return place <= left ? 0 : count * ((place - left) / (right - left));
    };
    let before = until(low);
    // A bin without width at the lower edge lies in the grid.
    if (left === right && left === low) before = 0;
    sum.below += before;
    // One bin earlier: the quotient is rounded. A range of denormal numbers may have no width.
    const first = width > 0 ? Math.floor(Math.min(grid.bins, (left - low) / width)) - 1 : 0;
    for (let bin = Math.max(0, first); bin < grid.bins && before < count; bin++) {
      const next = until(edge(bin + 1));
      if (next > before) sum.counts[bin] += next - before;
      before = Math.max(before, next);
    }
    sum.above += count - before;
  }
}

/** Returns the range of all histograms; one without width gets some. */
export function rangeOf(
  histograms: Iterable<Histogram>,
): { low: number; high: number } | undefined {
  let [low, high] = [Infinity, -Infinity];
  for (const { edges } of histograms) {
    low = Math.min(low, edges[0]);
    high = Math.max(high, edges[edges.length - 1]);
  }
  if (low > high) return undefined;
  return low < high ? { low, high } : around(low);
}

/** Returns edges on both sides of a number. */
export function around(place: number): { low: number; high: number } {
  const half = Math.max(0.5, Math.abs(place) / 1024);
  return {
    low: Math.max(-Number.MAX_VALUE, place - half),
    high: Math.min(Number.MAX_VALUE, place + half),
  };
}
