import type { ComparedMetric, ComparedSummary } from "@lossless/protocol";
import { readNameSearch } from "@lossless/protocol/name-search";
import type { Reader } from "../../database/database.ts";
import { type StatRow, statSelection, statValue } from "../table/metric-stats.ts";
import { SqlText } from "../table/sql-text.ts";
import { readWords } from "../table/read-words.ts";

export interface WantedMetrics {
  organizationId: string;
  experimentIds: readonly string[];
  text: string;
  metricsMax: number;
}

/** The metrics of some experiments with their summaries, those of most of them first. */
export async function readMetrics(
  reader: Reader,
  wanted: WantedMetrics,
): Promise<{ metrics: ComparedMetric[]; metricsFound: number }> {
  const { experimentIds, metricsMax } = wanted;
  const known = await readNames(reader, wanted);
  const metrics = known.slice(0, metricsMax).map(({ name, experiments }) => ({
    name,
    experiments,
    summaries: experimentIds.map(() => null),
  }));
  await readSummaries(reader, wanted, metrics);
  return { metrics, metricsFound: known[0]?.found ?? 0 };
}

interface KnownMetric {
  name: string;
  experiments: number;
  found: number;
}

async function readNames(
  reader: Reader,
  { experimentIds, text: contained, metricsMax }: WantedMetrics,
): Promise<KnownMetric[]> {
  const search = readWords("metricText", () => readNameSearch(contained));
  const text = new SqlText();
  const isCompared = reader.isOneOf("experiment", text.bind(JSON.stringify(experimentIds)));
  return reader.composed<KnownMetric>(
    `SELECT name, count(DISTINCT experiment) AS experiments, count(*) OVER () AS found FROM series
     WHERE ${isCompared} AND ${text.isNamed(reader, "name", search)}
     GROUP BY name ORDER BY experiments DESC, name LIMIT ${text.number(Math.max(1, metricsMax))}`,
    ...text.values,
  );
}

/** Fills in the stored summaries; a summary follows its points some seconds behind. */
async function readSummaries(
  reader: Reader,
  { organizationId, experimentIds }: WantedMetrics,
  metrics: readonly (Omit<ComparedMetric, "summaries"> & {
    summaries: (ComparedSummary | null)[];
  })[],
): Promise<void> {
  if (metrics.length === 0) return;
  const places = new Map(experimentIds.map((id, at) => [id, at]));
  const byName = new Map(metrics.map((metric) => [metric.name, metric]));
  const rows = await reader.all<StatRow & { name: string; experiment: string }>(
    `SELECT name, experiment, ${statSelection} FROM metric_name JOIN metric_summary ON metric = metric_name.id
     WHERE organization = $1 AND meta = '' AND ${reader.isOneOf("name", "$2")}
       AND ${reader.isOneOf("experiment", "$3")}`,
    organizationId,
    JSON.stringify([...byName.keys()]),
    JSON.stringify(experimentIds),
  );
  for (const row of rows)
    byName.get(row.name)!.summaries[places.get(row.experiment)!] = summaryOf(row);
}

function summaryOf(row: StatRow): ComparedSummary {
  const last = statValue(row, "last") as ComparedSummary["last"];
  const { stat_count: points, stat_laststep: lastStep, stat_nonfinite: nonfinite } = row;
  const seen = { points, last, lastStep, ...(nonfinite > 0 && { nonfinite }) };
  if (points === 0)
    return {
      ...seen,
      first: null,
      firstStep: null,
      min: null,
      minStep: null,
      max: null,
      maxStep: null,
      mean: null,
    };
  const { stat_first: first, stat_firststep: firstStep, stat_mean: mean } = row;
  const { stat_min: min, stat_minstep: minStep, stat_max: max, stat_maxstep: maxStep } = row;
  return { ...seen, first, firstStep, min, minStep, max, maxStep, mean };
}
