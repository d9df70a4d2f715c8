import type { Reader } from "../../database/database.ts";
import { selectWanted } from "../../database/rows.ts";
import type { PartitionRow } from "../series/partitions.ts";

/** An experiment as its worker tells it: the head, and partitions that the directory lacks. */
export interface ToldExperiment {
  experiment: string;
  log_seq: number;
  seal_seq: number;
  manifest_seq: number;
  points: number;
  sealed_points: number;
  revision: number;
  appended_at_ms: number;
  /** The last errand that it has done. */
  errand: number;
  bytes: number;
  series: PartitionRow[];
  /** All partitions that were deleted, where there are any. */
  dropped: ToldDropped[];
}

export interface ToldDropped extends PartitionRow {
  trash: string | null;
  fence: number;
  points: number;
  is_out: number;
}

interface Known {
  experiment: string;
  told_state: number;
  errand: number;
  last_partition: number;
}

/**
 * Reads what the workers with these experiments have to tell, each as of one moment. What the
 * directory knows already, and experiments whose points are on the directory, are left out.
 */
export async function readTold(
  reader: Reader,
  experimentIds: readonly string[],
): Promise<ToldExperiment[]> {
  const told: ToldExperiment[] = [];
  for (const [own, ids] of await reader.atEach(experimentIds)) {
    if (own === reader) continue;
    const known = await readKnown(reader, ids);
    const heads = await readHeads(own, [...known.keys()]);
    const changed = heads.filter((head) => {
      const { told_state: toldState, errand } = known.get(head.experiment)!;
      return head.log_seq + head.manifest_seq > toldState || head.errand > errand;
    });
    const series = await readSeries(
      own,
      changed.map(({ experiment }) => [experiment, known.get(experiment)!.last_partition]),
    );
    const dropped = await readDropped(
      own,
      changed.map(({ experiment }) => experiment),
    );
    for (const head of changed) {
      const { experiment } = head;
      const [added, out] = [series.get(experiment) ?? [], dropped.get(experiment) ?? []];
      told.push({ ...head, series: added, dropped: out });
    }
  }
  return told;
}

type OfExperiment<Row> = Row & { experiment: string };

/** Partitions above a number, by experiment. */
async function readSeries(
  own: Reader,
  wanted: readonly (readonly [experiment: string, above: number])[],
): Promise<Map<string, OfExperiment<PartitionRow>[]>> {
  const rows = await selectWanted<OfExperiment<PartitionRow>>(
    own,
    (values) =>
      `SELECT series.experiment, partition, name, meta FROM series JOIN ${values} AS wanted
         ON series.experiment = wanted.column1 AND partition > CAST(wanted.column2 AS BIGINT)
       ORDER BY series.experiment, partition`,
    wanted.map(([experiment, above]) => [experiment, String(above)]),
  );
  return Map.groupBy(rows, ({ experiment }) => experiment);
}

async function readDropped(
  own: Reader,
  ids: readonly string[],
): Promise<Map<string, OfExperiment<ToldDropped>[]>> {
  const rows = await own.all<OfExperiment<ToldDropped>>(
    `SELECT experiment, partition, name, meta, trash, fence, points, is_out FROM dropped_series
     WHERE ${own.isOneOf("experiment", "$1")} ORDER BY experiment, partition`,
    JSON.stringify(ids),
  );
  return Map.groupBy(rows, ({ experiment }) => experiment);
}

async function readKnown(
  reader: Reader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Known>> {
  const last = (table: string) =>
    `(SELECT coalesce(max(partition), -1) FROM ${table} WHERE ${table}.experiment = head.experiment)`;
  const rows = await reader.all<Known>(
    `SELECT experiment, told_state, errand,
       CASE WHEN ${last("series")} > ${last("dropped_series")} THEN ${last("series")}
         ELSE ${last("dropped_series")} END AS last_partition
     FROM head WHERE ${reader.isOneOf("experiment", "$1")}`,
    JSON.stringify(ids),
  );
  return new Map(rows.map((row) => [row.experiment, row]));
}

function readHeads(
  own: Reader,
  ids: readonly string[],
): Promise<Omit<ToldExperiment, "series" | "dropped">[]> {
  return own.all(
    `SELECT experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, revision,
       appended_at_ms, errand,
       (SELECT CAST(coalesce(sum(bytes), 0) AS BIGINT) FROM segment
        WHERE segment.experiment = head.experiment) AS bytes
     FROM head WHERE ${own.isOneOf("experiment", "$1")} ORDER BY experiment`,
    JSON.stringify(ids),
  );
}
