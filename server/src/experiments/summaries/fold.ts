import type { Reader, Transaction } from "../../database/database.ts";
import { updateRows } from "../../database/rows.ts";
import { type SummaryRow, writeSummaries } from "./summary-rows.ts";

/** Progress of an experiment's summaries. */
export interface Progress {
  organizationId: string;
  /** 0 while the experiment is not counted, even if there are summaries. */
  counted: number;
  foldedSeq: number;
  foldedPoints: number;
  /** Times of the earliest and the latest of these points; null when there is none. */
  firstMs: number | null;
  lastMs: number | null;
  /** Folds that were made of another one count for nothing. */
  metricsVersion: number;
  logSeq: number;
  sealSeq: number;
  points: number;
}

/**
 * Reads it as the directory knows it; with the reader at the experiment's points as of now: their
 * log may be further.
 */
export async function readProgress(
  reader: Reader,
  experimentId: string,
  own = reader,
): Promise<Progress | undefined> {
  const row = await reader.get<Row>(
    `SELECT organization, counted, folded_seq, folded_points, first_point_ms, last_point_ms,
       metrics_version, log_seq, seal_seq, points
     FROM summarized JOIN head ON head.experiment = summarized.experiment
     JOIN experiment ON experiment.id = summarized.experiment
     WHERE summarized.experiment = $1`,
    experimentId,
  );
  if (row === undefined) return undefined;
  if (own !== reader) Object.assign(row, await readHead(own, experimentId));
  return {
    organizationId: row.organization,
    counted: row["counted"],
    foldedSeq: row["folded_seq"],
    foldedPoints: row["folded_points"],
    firstMs: row.first_point_ms,
    lastMs: row.last_point_ms,
    metricsVersion: row["metrics_version"],
    logSeq: row["log_seq"],
    sealSeq: row["seal_seq"],
    points: row["points"],
  };
}

function readHead(own: Reader, experimentId: string): Promise<Partial<Row> | undefined> {
  return own.get("SELECT log_seq, seal_seq, points FROM head WHERE experiment = $1", experimentId);
}

type Row = Record<string, number> & {
  organization: string;
  first_point_ms: number | null;
  last_point_ms: number | null;
};

export interface Fold {
  experimentId: string;
  /** State of the summaries from which the rows were computed. */
  from: Pick<Progress, "counted" | "foldedSeq" | "metricsVersion">;
  rows: SummaryRow[];
  /** Metrics that have no summary of their own any more. */
  dropped: number[];
  /** Set with the last rows: the new state of the summaries and its time. */
  end?: FoldEnd;
}

export type FoldEnd = Pick<Progress, "foldedSeq" | "foldedPoints" | "firstMs" | "lastMs"> & {
  atMs: number;
};

/**
 * `summaries.fold`: stores new rows of experiments, each only if its summaries have the state from
 * which they were computed. Otherwise another node was faster, or a series was deleted, and nothing
 * of that experiment changes.
 */
export async function foldSummaries(
  transaction: Transaction,
  { folds }: { folds: readonly Fold[] },
): Promise<{ folded: boolean[] }> {
  const rows = await transaction.all<
    { experiment: string } & Record<"counted" | "folded_seq" | "metrics_version", number>
  >(
    `SELECT experiment, counted, folded_seq, metrics_version FROM summarized
     WHERE ${transaction.isOneOf("experiment", "$1")} ORDER BY experiment${transaction.forUpdate}`,
    JSON.stringify(folds.map(({ experimentId }) => experimentId)),
  );
  const byExperiment = new Map(rows.map((row) => [row.experiment, row]));
  const isSame = ({ experimentId, from }: Fold): boolean => {
    const row = byExperiment.get(experimentId);
    return (
      row?.counted === from.counted &&
      row.folded_seq === from.foldedSeq &&
      row.metrics_version === from.metricsVersion
    );
  };
  const same = folds.filter(isSame);
  await writeSummaries(transaction, same);
  for (const { experimentId, dropped } of same) {
    if (dropped.length === 0) continue;
    await transaction.run(
      `DELETE FROM metric_summary
       WHERE experiment = $1 AND ${transaction.isOneOfIntegers("metric", "$2")}`,
      experimentId,
      JSON.stringify(dropped),
    );
  }
  await updateRows(
    transaction,
    (values) =>
      `UPDATE summarized SET counted = 1, folded_seq = changed.column2,
         folded_points = changed.column3, folded_at_ms = changed.column4,
         first_point_ms = nullif(changed.column5, ${never}),
         last_point_ms = nullif(changed.column6, ${never})
       FROM ${values} AS changed WHERE experiment = changed.column1`,
    same.flatMap(({ experimentId, end }) => {
      if (end === undefined) return [];
      const { foldedSeq, foldedPoints, atMs, firstMs, lastMs } = end;
      return [
        [experimentId, foldedSeq, foldedPoints, atMs, firstMs ?? never, lastMs ?? never] as const,
      ];
    }),
  );
  return { folded: folds.map((fold) => same.includes(fold)) };
}

/** A time that no point has. */
const never = -1;

/** `summaries.recount`: the log behind them is gone, so that all has to be counted again. */
export async function beginRecount(
  transaction: Transaction,
  { experimentId, foldedSeq }: { experimentId: string; foldedSeq: number },
): Promise<void> {
  await transaction.run(
    "UPDATE summarized SET counted = 0 WHERE experiment = $1 AND folded_seq = $2",
    experimentId,
    foldedSeq,
  );
}
