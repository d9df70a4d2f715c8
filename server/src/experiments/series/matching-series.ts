import type { FilterPredicate } from "@lossless/protocol";
import type { Reader } from "../../database/database.ts";
import { findExperiment } from "../identity.ts";
import { matchesFilter } from "./filter.ts";

export interface MatchingSeries {
  name: string;
  partitions: { number: number; meta: string }[];
}

export interface SeriesSelection {
  organizationId: string;
  experimentId: string;
  /** undefined: every series. */
  seriesNames: string[] | undefined;
  filter: readonly FilterPredicate[];
}

/**
 * Returns one entry for every requested name, in request order, each once; by name when none were
 * requested (M68, M69).
 */
export async function matchingSeries(
  reader: Reader,
  query: SeriesSelection,
): Promise<MatchingSeries[]> {
  const { seriesNames } = query;
  const names = seriesNames === undefined ? undefined : [...new Set(seriesNames)];
  const byName = new Map<string, MatchingSeries>(
    names?.map((name) => [name, { name, partitions: [] }]),
  );
  for (const { partition, name, meta } of await readRows(reader, query, names)) {
    if (!matchesFilter(JSON.parse(meta) as Record<string, string>, query.filter)) continue;
    let series = byName.get(name);
    if (series === undefined) {
      series = { name, partitions: [] };
      byName.set(name, series);
    }
    series.partitions.push({ number: partition, meta });
  }
  return [...byName.values()];
}

/** Reads partitions where they are; the directory says whether the experiment was deleted. */
async function readRows(
  reader: Reader,
  { experimentId, organizationId }: SeriesSelection,
  names: readonly string[] | undefined,
): Promise<{ partition: number; name: string; meta: string }[]> {
  const own = await reader.at(experimentId);
  const wanted = names === undefined ? "" : ` AND ${own.isOneOf("series.name", "$3")}`;
  const rows = await own.all<{ partition: number; name: string; meta: string }>(
    `SELECT series.partition, series.name, series.meta FROM series
     JOIN experiment ON experiment.id = series.experiment
     WHERE series.experiment = $1 AND experiment.organization = $2
       AND experiment.trashed_at_ms IS NULL${wanted}
     ORDER BY series.name, series.meta`,
    experimentId,
    organizationId,
    ...(names === undefined ? [] : [JSON.stringify(names)]),
  );
  if (own === reader || rows.length === 0) return rows;
  const found = await findExperiment(reader, organizationId, { experimentId });
  return found === undefined ? [] : rows;
}
