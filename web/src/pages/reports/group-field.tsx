import type { ChartBlock } from "@lossless/protocol";
import { useMemo } from "preact/hooks";
import { rankedKeys } from "../../chart/groups/ranked-keys.ts";
import { parametersOf, viewOf, type ChartView } from "../../chart/view.ts";
import { Loaded } from "../../parts/loaded.tsx";
import type { Service } from "../../signed-in.ts";
import { useCatalogs } from "../compare/use-catalogs.ts";
import type { Compared } from "../compare/use-compared.ts";
import { useMetas } from "../compare/use-metas.ts";
import type { SeriesRevisions } from "../compare/use-series.ts";
import { loadGroupChoices } from "../experiment/load-group-choices.ts";

interface Props {
  service: Service;
  block: ChartBlock;
  compared: Compared;
  series: SeriesRevisions | undefined;
  onChange: (block: ChartBlock) => void;
}

/** Chooses the groups of a chart in a report, as a comparison does. */
export function GroupField({ service, block, compared, series, onChange }: Props) {
  const { experiments, cut } = compared;
  const metas = useMetas(service, experiments);
  // The metas of what the query found before are there until others are read.
  const metaFields = useMemo(() => {
    const own = experiments.flatMap((one) => metas?.byExperiment.get(one.experimentId) ?? []);
    return own.length === 0 && experiments.length > 0 ? undefined : rankedKeys(own);
  }, [metas, experiments]);
  const own = useCatalogs(service, experiments, series).get(block.seriesName);
  const catalog = own === undefined ? [] : [own];
  const parameters = new URLSearchParams(block.view);
  const view = viewOf((name) => parameters.get(name) ?? undefined);
  const change = (part: Partial<ChartView>) => {
    const next = new URLSearchParams(block.view);
    for (const [name, value = ""] of Object.entries(parametersOf(part)))
      if (value === "") next.delete(name);
      else next.set(name, value);
    onChange({ ...block, view: next.toString() });
  };
  const { visit } = service;
  return (
    <Loaded
      load={loadGroupChoices}
      props={{ catalog, metaFields, cut, isOfSeveral: true, visit, view, change }}
    />
  );
}
