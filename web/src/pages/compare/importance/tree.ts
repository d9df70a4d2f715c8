import type { Feature } from "./features.ts";

/** A regression tree over binned features. */
export interface Tree {
  /** The feature that a node asks; -1: it is a leaf. */
  feature: number[];
  /** The bins that go to the first of the two nodes below, as bits. */
  firstBins: number[];
  /** The first of the two nodes below; the other one follows it. */
  below: number[];
  value: number[];
}

/** Experiments in a leaf at least, and their share of all. */
const leafMin = 2;
const leafShare = 0.01;

/**
 * Grows a tree on these experiments, which may be repeated. Each node takes the split after which
 * the squared error is least.
 */
export function growTree(
  features: readonly Feature[],
  target: Float64Array,
  experiments: Int32Array,
): Tree {
  const tree: Tree = { feature: [], firstBins: [], below: [], value: [] };
  const members = experiments.slice();
  const fewest = Math.max(leafMin, Math.ceil(leafShare * members.length));
  const splits = new Splits(target, members, fewest);
  const add = (from: number, to: number) => {
    let sum = 0;
    for (let at = from; at < to; at++) sum += target[members[at]];
    tree.below.push(0);
    tree.firstBins.push(0);
    tree.value.push(sum / (to - from));
    return tree.feature.push(-1) - 1;
  };
  const waiting: [number, number, number][] = [[add(0, members.length), 0, members.length]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [node, from, to] = next;
    if (to - from < 2 * fewest) continue;
    let best: Split = { feature: -1, firstBins: 0, gain: 1e-12 };
    for (const [feature, asked] of features.entries()) {
      const split = splits.best(asked, from, to);
      if (split.gain > best.gain) best = { ...split, feature };
    }
    if (best.feature < 0) continue;
    const middle = divide(members, from, to, features[best.feature].bins, best.firstBins);
    tree.feature[node] = best.feature;
    tree.firstBins[node] = best.firstBins;
    tree.below[node] = add(from, middle);
    add(middle, to);
    waiting.push([tree.below[node], from, middle], [tree.below[node] + 1, middle, to]);
  }
  return tree;
}

interface Split {
  feature: number;
  firstBins: number;
  /** By how much the sum of squared errors falls. */
  gain: number;
}

const binsMax = 32;

/** Divisions of a node's experiments by the bins of a feature. */
class Splits {
  readonly #target: Float64Array;
  readonly #members: Int32Array;
  readonly #fewest: number;
  readonly #counts = new Float64Array(binsMax);
  readonly #sums = new Float64Array(binsMax);
  readonly #order = new Uint8Array(binsMax);

  constructor(target: Float64Array, members: Int32Array, fewest: number) {
    this.#target = target;
    this.#members = members;
    this.#fewest = fewest;
  }

  /** The best division; without any its gain is 0. */
  best({ bins, binCount, kind }: Feature, from: number, to: number): Omit<Split, "feature"> {
    const [counts, sums, order] = [this.#counts, this.#sums, this.#order];
    counts.fill(0, 0, binCount);
    sums.fill(0, 0, binCount);
    let sum = 0;
    for (let at = from; at < to; at++) {
      const member = this.#members[at];
      const value = this.#target[member];
      counts[bins[member]]++;
      sums[bins[member]] += value;
      sum += value;
    }
    let present = 0;
    for (let bin = 0; bin < binCount; bin++) if (counts[bin] > 0) order[present++] = bin;
    // Categories have no order; the one by their means contains the best division.
    if (kind === "category") {
      const mean = (bin: number) => sums[bin] / counts[bin];
      order.subarray(0, present).sort((one, other) => mean(one) - mean(other));
    }
    const count = to - from;
    const best = { firstBins: 0, gain: 0 };
    let [firstCount, firstSum, firstBins] = [0, 0, 0];
    for (let at = 0; at + 1 < present; at++) {
      const bin = order[at];
      firstCount += counts[bin];
      firstSum += sums[bin];
      // Numbers that none of these experiments has go to the side of those nearest to them.
      firstBins = kind === "category" ? firstBins | (1 << bin) : upTo((bin + order[at + 1]) >>> 1);
      const otherCount = count - firstCount;
      if (firstCount < this.#fewest || otherCount < this.#fewest) continue;
      const otherSum = sum - firstSum;
      const gain =
        (firstSum * firstSum) / firstCount +
        (otherSum * otherSum) / otherCount -
        (sum * sum) / count;
      if (gain > best.gain) [best.gain, best.firstBins] = [gain, firstBins];
    }
    return best;
  }
}

/** The bins from 0 to this one, as bits. */
function upTo(bin: number): number {
  return (2 << bin) - 1;
}

/** Moves those that go first to the front; returns where the others begin. */
function divide(
  members: Int32Array,
  from: number,
  to: number,
  bins: Uint8Array,
  firstBins: number,
): number {
  let middle = from;
  for (let at = from; at < to; at++) {
    const member = members[at];
    if (((firstBins >>> bins[member]) & 1) === 0) continue;
    members[at] = members[middle];
    members[middle] = member;
    middle++;
  }
  return middle;
}

/**
 * The value that a tree expects of an experiment; with `changed`, as if its bin of that feature
 * were `bin`.
 */
export function expected(
  { feature, firstBins, below, value }: Tree,
  features: readonly Feature[],
  experiment: number,
  changed = -1,
  bin = 0,
): number {
  let node = 0;
  for (let asked = feature[0]; asked >= 0; asked = feature[node]) {
    const own = asked === changed ? bin : features[asked].bins[experiment];
    node = below[node] + (((firstBins[node] >>> own) & 1) === 1 ? 0 : 1);
  }
  return value[node];
}
