import type { Member } from "../../chart/lines.ts";
import type { ComparedExperiment } from "./use-compared.ts";
import type { SeriesRevisions } from "./use-series.ts";

/** The names of the series that any of the shown experiments has, in the order of names. */
export function namesOfAll(
  experiments: readonly ComparedExperiment[],
  series: SeriesRevisions,
): string[] {
  const names = new Set<string>();
  for (const { experimentId, isHidden } of experiments)
    if (!isHidden) for (const name of series.get(experimentId)?.keys() ?? []) names.add(name);
  return [...names].sort();
}

/** The shown experiments that have a series, in their order. */
export function membersWith(
  seriesName: string,
  experiments: readonly ComparedExperiment[],
  series: SeriesRevisions,
): Member[] {
  return experiments.flatMap(({ experimentId, isHidden, slug, name, kind }) => {
    const revision = series.get(experimentId)?.get(seriesName);
    if (isHidden || revision === undefined) return [];
    return [{ experimentId, revision, among: { name: name ?? slug, kind } }];
  });
}
