import { differing } from "./differing.ts";
import { isOfTools } from "./keys.ts";

/** A key with different values, by which experiments may be grouped. */
export interface RankedKey {
  key: string;
  /** Number of different values. */
  values: number;
  /** Number of experiments that have one. */
  experiments: number;
}

/**
 * The keys with different values: first those that join some experiments into groups, of these
 * first the ones that most experiments have, and those with few values. Keys that tools write by
 * themselves are last.
 */
export function rankedKeys(all: readonly ReadonlyMap<string, string>[]): RankedKey[] {
  const known = differing(all).map((key): RankedKey => {
    const texts = all.flatMap((values) => values.get(key) ?? []);
    return { key, values: new Set(texts).size, experiments: texts.length };
  });
  const isSingle = ({ values, experiments }: RankedKey) => Number(values === experiments);
  return known.sort(
    (one, other) =>
      Number(isOfTools(one.key)) - Number(isOfTools(other.key)) ||
      isSingle(one) - isSingle(other) ||
      other.experiments - one.experiments ||
      one.values - other.values,
  );
}
