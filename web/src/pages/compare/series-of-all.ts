import type { CatalogSeries } from "@lossless/client";
import type { SeriesOperator } from "@lossless/protocol";
import { isMetaField } from "../../chart/groups/keys.ts";
import type { MetaFields, Member } from "../../chart/lines/looks.ts";
import type { ChartView, Choice } from "../../chart/view.ts";
import { chartsOf } from "../experiment/partitions.ts";
import { type MetaTests, noValue } from "./meta-fields.ts";
import type { ComparedExperiment } from "./use-compared.ts";
import type { SeriesRevisions } from "./use-series.ts";

/** Names of series in any of the shown experiments, sorted. */
export function namesOfAll(
  experiments: readonly ComparedExperiment[],
  series: SeriesRevisions,
): string[] {
  const names = new Set<string>();
  for (const { experimentId, isHidden } of experiments)
    if (!isHidden) for (const name of series.get(experimentId)?.keys() ?? []) names.add(name);
  return [...names].sort();
}

/**
 * The shown experiments with any of the series, or with both that are combined, in their order,
 * once their metas are read. Values that are not finite are no points, and may be all that a series
 * receives: their notes count as changes.
 */
export function membersWith(
  seriesNames: readonly string[],
  experiments: readonly ComparedExperiment[],
  series: SeriesRevisions,
  metas: ReadonlyMap<string, MetaFields>,
  operator?: SeriesOperator,
): Member[] {
  const least = operator === undefined ? 1 : seriesNames.length;
  return experiments.flatMap(({ experimentId, isHidden, slug, name, kind, metaVersion }) => {
    const own = seriesNames.flatMap((name) => series.get(experimentId)?.get(name) ?? []);
    const meta = metas.get(experimentId);
    if (isHidden || own.length < least || meta === undefined) return [];
    const revision = own.reduce((sum, points) => sum + points, metaVersion);
    return [{ experimentId, revision, among: { name: name ?? slug, kind }, meta }];
  });
}

export interface ComparedChart {
  /** The common value of its experiments, where a field of meta splits them. */
  part: string;
  /** The test that selects them; undefined where the language has none. */
  test?: string | undefined;
  choices: Choice[];
  of: Member[];
}

/** One chart, or one for each value of the splitting key: of partitions, or of metas. */
export function comparedCharts(
  members: readonly Member[],
  catalog: CatalogSeries | undefined,
  view: Pick<ChartView, "split" | "only">,
  tests: MetaTests,
): ComparedChart[] {
  const { split } = view;
  if (split.kind !== "key" || !isMetaField(split.key))
    return chartsOf(catalog, view).map((choices) => ({ part: "", choices, of: [...members] }));
  const [choices] = chartsOf(catalog, { ...view, split: { kind: "colour" } });
  const byValue = Map.groupBy(members, ({ meta }) => meta?.get(split.key) ?? noValue);
  const key = split.key.replace(/^meta\./, "");
  const known = tests.get(split.key);
  const without = known && `not ${split.key}`;
  const collator = new Intl.Collator("en", { numeric: true });
  return [...byValue]
    .sort(([one], [other]) => collator.compare(one, other))
    .map(([value, of]) => {
      const test = value === noValue ? without : known?.get(value);
      return { part: `${key}=${value}`, test, choices, of };
    });
}
