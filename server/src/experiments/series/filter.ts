import type { FilterPredicate } from "@lossless/protocol";

/**
 * Whether a metadata partition passes: all predicates must match, also several on one key (M73).
 * Without metadataValue the key must exist, with it the value must be equal. No predicate: every
 * partition.
 */
export function matchesFilter(
  meta: Readonly<Record<string, string>>,
  filter: readonly FilterPredicate[],
): boolean {
  return filter.every(({ metadataKey, metadataValue }) => {
    if (!Object.hasOwn(meta, metadataKey)) return false;
    return metadataValue === undefined || meta[metadataKey] === metadataValue;
  });
}
