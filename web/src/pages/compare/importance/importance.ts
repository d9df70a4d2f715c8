import { featuresOf, type Feature, type KeyValue } from "./features.ts";
import { randomFrom, shuffle } from "./random.ts";
import { middleOf, rankCorrelation, ranksOf } from "./ranks.ts";
import { expected, growTree, type Tree } from "./tree.ts";

/** Experiments with the values of some keys, and that of a metric. */
export interface ImportanceRows {
  fields: readonly string[];
  rows: readonly { experimentId: string; values: readonly KeyValue[]; target: number }[];
}

/** How much each key matters for a metric. */
export interface Importance {
  experiments: number;
  /**
   * The share of the differences between experiments that a forest explains which has not seen
   * them, with its spread over the rounds. At or below 0: none.
   */
  explained: Spread;
  /** The most important one first. */
  keys: KeyImportance[];
}

export interface KeyImportance extends Spread {
  field: string;
  /** Correlation of ranks, for numbers; undefined for others. */
  correlation: number | undefined;
  /** The values of the metric around the middle of the key's, where both ends have the others. */
  middle?: "least" | "largest" | undefined;
}

/** The mean over all rounds, and twice its standard error. */
export interface Spread {
  mean: number;
  spread: number;
}

/** Experiments at least: of fewer, halves are too small for a tree. */
export const experimentsMin = 20;

export const rounds = 20;
const treesPerRound = 12;
/** Share of the experiments that test a forest, which the others have grown. */
const testedShare = 1 / 3;

/**
 * Computes importance step by step, so that a page can do other things in between; yields the share
 * that is done. The result depends on nothing but the rows: neither on their order nor on chance.
 *
 * In each round a random part of the experiments grows a forest, and the others test it: by how
 * much does its error grow when the values of one key are shuffled among them? Divided by twice
 * the variance, that is the share of the differences in which the key has a part, alone or together
 * with others (Sobol's total effect). The metric's values count by their ranks.
 */
export function* importanceOf(asked: ImportanceRows): Generator<number, Importance> {
  const { fields, rows } = inOrder(asked);
  const features = featuresOf(
    fields,
    rows.map(({ values }) => values),
  );
  const target = ranksOf(rows.map((row) => row.target));
  const random = randomFrom(1);
  const found: number[][] = features.map(() => []);
  const explained: number[] = [];
  if (rows.length >= experimentsMin && features.length > 0)
    for (let round = 0; round < rounds; round++) {
      const tested = yield* testRound({ features, target, random, done: round / rounds });
      explained.push(tested.explained);
      for (const [at, importance] of tested.importance.entries()) found[at].push(importance);
    }
  const keys = features.map(({ field, kind }, at): KeyImportance => {
    if (kind === "category") return { field, correlation: undefined, ...spreadOf(found[at]) };
    const known = knownOf(rows, fields.indexOf(field));
    const correlation = rankCorrelation(known.values, known.targets);
    const middle = middleOf(known.values, known.targets);
    return { field, correlation, middle, ...spreadOf(found[at]) };
  });
  return {
    experiments: rows.length,
    explained: spreadOf(explained),
    keys: keys.sort((one, other) => other.mean - one.mean || (one.field < other.field ? -1 : 1)),
  };
}

/** The same rows and fields in an order that does not depend on that of the question. */
function inOrder({ fields, rows }: ImportanceRows): ImportanceRows {
  const places = [...fields.keys()].sort((one, other) => (fields[one] < fields[other] ? -1 : 1));
  const sorted = rows.toSorted((one, other) => (one.experimentId < other.experimentId ? -1 : 1));
  return {
    fields: places.map((place) => fields[place]),
    rows: sorted.map((row) => ({ ...row, values: places.map((place) => row.values[place]) })),
  };
}

function knownOf(rows: ImportanceRows["rows"], at: number) {
  const known = rows.filter(({ values }) => typeof values[at] === "number");
  return {
    values: known.map(({ values }) => values[at] as number),
    targets: known.map(({ target }) => target),
  };
}

/**
 * Twice the standard error of the mean. The rounds share experiments: their variance alone would be
 * too small (the correction is Nadeau and Bengio's, 2003).
 */
function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) return { mean: 0, spread: 0 };
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  const shared = 1 / values.length + testedShare / (1 - testedShare);
  return { mean, spread: 2 * Math.sqrt((shared * squares) / Math.max(1, values.length - 1)) };
}

interface Round {
  features: readonly Feature[];
  target: Float64Array;
  random: () => number;
  done: number;
}

interface Tested {
  explained: number;
  importance: number[];
}

function* testRound({ features, target, random, done }: Round): Generator<number, Tested> {
  const all = Int32Array.from(target, (_, at) => at);
  shuffle(all, random);
  const count = Math.round(testedShare * all.length);
  const [shown, tested] = [all.subarray(count), all.subarray(0, count)];
  const forest: Tree[] = [];
  for (let tree = 0; tree < treesPerRound; tree++) {
    const drawn = Int32Array.from(shown, () => shown[Math.floor(random() * shown.length)]);
    forest.push(growTree(features, target, drawn));
    yield done;
  }
  // Each tree's answers, which stay where a tree does not ask for the shuffled key.
  const answers = forest.map((tree) =>
    Float64Array.from(tested, (one) => expected(tree, features, one)),
  );
  const sums = Float64Array.from(tested, (_, at) => sumOf(answers, at));
  const errorOf = (each: Float64Array) => {
    let error = 0;
    for (const [at, sum] of each.entries())
      error += (target[tested[at]] - sum / forest.length) ** 2;
    return error / each.length;
  };
  const variance = varianceOf(Float64Array.from(tested, (one) => target[one]));
  const error = errorOf(sums);
  const importance: number[] = [];
  for (const [changed, { bins }] of features.entries()) {
    const shuffled = Uint8Array.from(tested, (one) => bins[one]);
    shuffle(shuffled, random);
    const moved = sums.slice();
    for (const [at, tree] of forest.entries()) {
      if (!tree.feature.includes(changed)) continue;
      for (const [place, one] of tested.entries())
        moved[place] +=
          expected(tree, features, one, changed, shuffled[place]) - answers[at][place];
    }
    importance.push(variance > 0 ? (errorOf(moved) - error) / (2 * variance) : 0);
    yield done;
  }
  return { explained: variance > 0 ? 1 - error / variance : 0, importance };
}

function sumOf(answers: readonly Float64Array[], at: number): number {
  return answers.reduce((sum, each) => sum + each[at], 0);
}

function varianceOf(values: Float64Array): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}
