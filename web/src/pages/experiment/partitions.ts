import type { CatalogSeries } from "@lossless/client";
import type { ChartView, Choice } from "../../chart/view.ts";

/** The keys that distinguish partitions, with their values in any series. */
export function keysOf(catalog: readonly CatalogSeries[]): Map<string, string[]> {
  const keys = new Map<string, Set<string>>();
  for (const { metadata } of catalog) {
    for (const [key, values] of Object.entries(metadata)) {
      const all = keys.get(key) ?? new Set();
      for (const value of values) all.add(value);
      keys.set(key, all);
    }
  }
  const collator = new Intl.Collator("en", { numeric: true });
  return new Map(
    [...keys]
      .sort(([one], [other]) => collator.compare(one, other))
      .map(([key, values]) => [key, [...values].sort(collator.compare)]),
  );
}

/**
 * The charts of a series: one, or one for each value of the key that splits them. A choice applies
 * only to series that have its key.
 */
export function chartsOf(
  series: CatalogSeries | undefined,
  { split, only }: Pick<ChartView, "split" | "only">,
): Choice[][] {
  const metadata = series?.metadata ?? {};
  const chosen = only.filter(({ key }) => Object.hasOwn(metadata, key));
  const isParted = split.kind === "key" && chosen.every(({ key }) => key !== split.key);
  if (!isParted || !Object.hasOwn(metadata, split.key)) return [chosen];
  const values = keysOf([{ seriesName: "", metadata }]).get(split.key) ?? [];
  return values.map((value) => [...chosen, { key: split.key, value }]);
}
