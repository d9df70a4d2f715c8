import type { Transaction } from "../../database/database.ts";
import { insertRows, updateRows } from "../../database/rows.ts";
import type { Moment } from "../../ground/clock.ts";
import { leaveAgreements } from "./agreement.ts";
import type { ToldDropped, ToldExperiment } from "./read-told.ts";

/**
 * `told.experiments`: takes down what workers told of the points of experiments. A told state that
 * is older than the known one changes nothing, and neither does one from before an errand that the
 * worker has yet to do: it would undo the directory's change. Returns those, to be told again. A
 * worker that has done more than was left gets an errand to agree.
 */
export async function noteTold(
  transaction: Transaction,
  { told }: { told: readonly ToldExperiment[] },
  moment: Moment,
): Promise<{ again: string[] }> {
  const heads = await transaction.all<{
    experiment: string;
    told_state: number;
    errand: number;
    points: number;
  }>(
    `SELECT experiment, told_state, errand, points FROM head
     WHERE ${transaction.isOneOf("experiment", "$1")} ORDER BY experiment${transaction.forUpdate}`,
    JSON.stringify(told.map(({ experiment }) => experiment)),
  );
  const known = new Map(heads.map((head) => [head.experiment, head]));
  const again: string[] = [];
  const ahead = new Map<string, number>();
  const news: ToldExperiment[] = [];
  for (const one of told) {
    const head = known.get(one.experiment);
    if (head === undefined) continue;
    if (head.errand === one.errand) {
      if (stateOf(one) > head.told_state) news.push(one);
      continue;
    }
    again.push(one.experiment);
    // Errands are left before they are done: the directory was put back.
    if (head.errand < one.errand) ahead.set(one.experiment, one.errand);
  }
  await leaveAgreements(transaction, ahead, moment);
  await noteSeries(transaction, news);
  const withDropped = await haveDropped(transaction, news);
  for (const one of news)
    if (withDropped.has(one.experiment))
      await noteDropped(transaction, one, known.get(one.experiment)!.points);
  await noteHeads(transaction, news);
  return { again };
}

/** Experiments with deleted series, as known or as told. */
async function haveDropped(
  transaction: Transaction,
  told: readonly ToldExperiment[],
): Promise<ReadonlySet<string>> {
  const rows = await transaction.all<{ experiment: string }>(
    `SELECT DISTINCT experiment FROM dropped_series
     WHERE ${transaction.isOneOf("experiment", "$1")}`,
    JSON.stringify(told.map(({ experiment }) => experiment)),
  );
  const found = new Set(rows.map(({ experiment }) => experiment));
  for (const { experiment, dropped } of told) if (dropped.length > 0) found.add(experiment);
  return found;
}

/** Grows with each change of the log or the manifest. */
function stateOf({ log_seq: logSeq, manifest_seq: manifestSeq }: ToldExperiment): number {
  return logSeq + manifestSeq;
}

async function noteHeads(transaction: Transaction, told: readonly ToldExperiment[]): Promise<void> {
  await updateRows(
    transaction,
    (values) =>
      `UPDATE head SET log_seq = changed.column2, seal_seq = changed.column3,
         manifest_seq = changed.column4, points = changed.column5,
         sealed_points = changed.column6, told_revision = changed.column7,
         appended_at_ms = changed.column8, told_bytes = changed.column9,
         told_state = changed.column2 + changed.column4
       FROM ${values} AS changed WHERE head.experiment = changed.column1`,
    told.map((one) => [
      one.experiment,
      one.log_seq,
      one.seal_seq,
      one.manifest_seq,
      one.points,
      one.sealed_points,
      one.revision,
      one.appended_at_ms,
      one.bytes,
    ]),
  );
}

async function noteSeries(
  transaction: Transaction,
  told: readonly Pick<ToldExperiment, "experiment" | "series">[],
): Promise<void> {
  await insertRows(
    transaction,
    "series",
    ["experiment", "partition", "name", "meta"],
    told.flatMap(({ experiment, series }) =>
      series.map(({ partition, name, meta }) => [experiment, partition, name, meta]),
    ),
    "ON CONFLICT (experiment, partition) DO NOTHING",
  );
}

/** Points that were purged since are no longer in the summaries; what came back has to be. */
async function noteDropped(
  transaction: Transaction,
  { experiment, dropped }: ToldExperiment,
  pointsBefore: number,
): Promise<void> {
  const before = await transaction.all<Pick<ToldDropped, "partition" | "points" | "is_out">>(
    `SELECT partition, points, is_out FROM dropped_series WHERE experiment = $1
     ORDER BY partition`,
    experiment,
  );
  const purged = pointsOf(dropped) - pointsOf(before);
  if (purged !== 0 || outOf(before) !== outOf(dropped))
    await notePurged(transaction, experiment, purged, pointsBefore);
  await transaction.run("DELETE FROM dropped_series WHERE experiment = $1", experiment);
  await insertRows(
    transaction,
    "dropped_series",
    ["experiment", "partition", "name", "meta", "trash", "fence", "points", "is_out"],
    dropped.map((row) => {
      const { partition, name, meta, trash, fence, points } = row;
      return [experiment, partition, name, meta, trash, fence, points, row.is_out];
    }),
  );
  const out = dropped.filter((row) => row.is_out === 1).map(({ partition }) => partition);
  await transaction.run(
    `DELETE FROM series
     WHERE experiment = $1 AND ${transaction.isOneOfIntegers("partition", "$2")}`,
    experiment,
    JSON.stringify(out),
  );
  const living = dropped.filter((row) => row.is_out === 0);
  await noteSeries(transaction, [{ experiment, series: living }]);
}

/** The partitions that have no point, as a text to compare. */
function outOf(rows: readonly Pick<ToldDropped, "partition" | "is_out">[]): string {
  return rows.flatMap((row) => (row.is_out === 1 ? [row.partition] : [])).join(" ");
}

function pointsOf(rows: readonly { points: number }[]): number {
  return rows.reduce((sum, { points }) => sum + points, 0);
}

async function notePurged(
  transaction: Transaction,
  experiment: string,
  points: number,
  pointsBefore: number,
): Promise<void> {
  await transaction.run(
    `UPDATE summarized SET metrics_version = metrics_version + 1,
       folded_points = CASE WHEN counted = 1 THEN folded_points - $2 ELSE folded_points END
     WHERE experiment = $1`,
    experiment,
    points,
  );
  // Whether all points came through MLflow (its points are those of the head) is left as it was.
  await transaction.run(
    `UPDATE run SET points = CASE WHEN points >= $3 THEN points - $2 ELSE points END
     WHERE experiment = $1`,
    experiment,
    points,
    pointsBefore,
  );
}
