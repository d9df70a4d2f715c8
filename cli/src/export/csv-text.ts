import type {
  Annotation,
  ExperimentRecord,
  LosslessClient,
  SeriesPartition,
} from "@lossless/client";
import { CommandError } from "../command.ts";
import { rowText } from "../csv/row.ts";
import { importRecordOf } from "../import/import-record.ts";
import { elapsedOf } from "./elapsed.ts";
import { mergePartitions } from "./merge.ts";

const linesPerChunk = 2_000;

/**
 * Yields an experiment as CSV text: step,elapsed_ms,metric,value, and meta when any of its points
 * has one. Rows come in the order of the imported file as far as it is known, see
 * docs/import-export.md. The points are held in memory meanwhile, some 30 bytes each.
 */
export async function* csvText(
  client: LosslessClient,
  experiment: ExperimentRecord,
): AsyncGenerator<string> {
  const { experimentId, meta } = experiment;
  const record = importRecordOf(meta);
  const xAxis = record?.emptyElapsed === "all" ? "timestamp" : "step";
  const partitions = await client.collectSeries({ experimentId, xAxis });
  const { annotations, truncated } = await client.annotations({ experimentId });
  if (truncated) {
    throw new CommandError(
      "there are more annotations than can be read, so rows that are not finite might be missing; --format ndjson writes only points",
    );
  }
  partitions.push(...nonfinitePartitions(annotations));
  const hasMeta = partitions.some(({ metadata }) => Object.keys(metadata).length > 0);
  const elapsed = elapsedOf(meta);
  const ranks = ranksOf(partitions, record?.metrics ?? []);
  const metas = new Map(
    partitions.map((partition) => [
      partition,
      hasMeta ? JSON.stringify(partition.metadata) : undefined,
    ]),
  );
  let lines = [hasMeta ? "step,elapsed_ms,metric,value,meta" : "step,elapsed_ms,metric,value"];
  const rank = (partition: SeriesPartition): number => ranks.get(partition) as number;
  for (const { partition, index } of mergePartitions(partitions, { xAxis, rank })) {
    const elapsedMs = elapsed(partition.timestampMs[index]);
    const step = partition.step[index];
    const value = partition.value[index];
    lines.push(rowText(step, elapsedMs, partition.seriesName, value, metas.get(partition)));
    if (lines.length >= linesPerChunk) {
      yield `${lines.join("\n")}\n`;
      lines = [];
    }
  }
  if (lines.length > 0) yield `${lines.join("\n")}\n`;
}

/** Ranks of metrics: in the order of the imported file within a step, others after them. */
function ranksOf(
  partitions: readonly SeriesPartition[],
  metrics: readonly string[],
): Map<SeriesPartition, number> {
  const ranks = new Map(metrics.map((metric, rank) => [metric, rank]));
  const rank = ({ seriesName }: SeriesPartition): number => ranks.get(seriesName) ?? metrics.length;
  const sorted = partitions.toSorted(
    (left, right) =>
      rank(left) - rank(right) ||
      (left.seriesName < right.seriesName ? -1 : left.seriesName > right.seriesName ? 1 : 0),
  );
  return new Map(sorted.map((partition, rank) => [partition, rank]));
}

/** Turns the annotations of non-finite values back into rows, each a partition of its own. */
function nonfinitePartitions(annotations: readonly Annotation[]): SeriesPartition[] {
  return annotations.toReversed().flatMap(({ meta, createdAtMs }) => {
    const { kind, metricName, step, value, timestampMs, pointMeta, count } = meta;
    // The summary of very many values has their number only.
    if (kind !== "nonfinite" || typeof metricName !== "string" || count !== undefined) return [];
    const time = typeof timestampMs === "number" ? timestampMs : createdAtMs;
    return {
      seriesName: metricName,
      metadata: (pointMeta ?? {}) as Record<string, string>,
      step: [typeof step === "number" ? step : null],
      timestampMs: [time],
      value: [Number(value)],
    };
  });
}
