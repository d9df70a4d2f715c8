import type { Reader, Transaction } from "../database/database.ts";
import { type SummaryRow, writeSummaries } from "./summary-rows.ts";

/** How far an experiment's summaries are. */
export interface Progress {
  organizationId: string;
  /** 0 while no point is counted, whatever summaries there are. */
  counted: number;
  foldedSeq: number;
  foldedPoints: number;
  /** Folds that were made of another one count for nothing. */
  metricsVersion: number;
  logSeq: number;
  sealSeq: number;
  points: number;
}

export async function readProgress(
  reader: Reader,
  experimentId: string,
): Promise<Progress | undefined> {
  const row = await reader.get<Record<string, number> & { organization: string }>(
    `SELECT organization, counted, folded_seq, folded_points, metrics_version, log_seq, seal_seq, points
     FROM summarized JOIN head ON head.experiment = summarized.experiment
     JOIN experiment ON experiment.id = summarized.experiment
     WHERE summarized.experiment = $1`,
    experimentId,
  );
  if (row === undefined) return undefined;
  return {
    organizationId: row.organization,
    counted: row["counted"],
    foldedSeq: row["folded_seq"],
    foldedPoints: row["folded_points"],
    metricsVersion: row["metrics_version"],
    logSeq: row["log_seq"],
    sealSeq: row["seal_seq"],
    points: row["points"],
  };
}

export interface Fold {
  experimentId: string;
  /** What the summaries held when this was made of them. */
  from: Pick<Progress, "counted" | "foldedSeq" | "metricsVersion">;
  rows: SummaryRow[];
  /** Metrics that have no summary of their own any more. */
  dropped: number[];
  /** With the last rows: what the summaries hold from here on, as of when. */
  end?: { foldedSeq: number; foldedPoints: number; atMs: number };
}

/**
 * `summaries.fold`: some new rows of an experiment, as long as its summaries hold what they were
 * made of. Otherwise another node was faster, or a series was deleted, and nothing changes.
 */
export async function foldSummaries(
  transaction: Transaction,
  { experimentId, from, rows, dropped, end }: Fold,
): Promise<{ folded: boolean }> {
  const row = await transaction.get<Record<"counted" | "folded_seq" | "metrics_version", number>>(
    `SELECT counted, folded_seq, metrics_version FROM summarized WHERE experiment = $1${transaction.forUpdate}`,
    experimentId,
  );
  const isSame =
    row?.counted === from.counted &&
    row.folded_seq === from.foldedSeq &&
    row.metrics_version === from.metricsVersion;
  if (!isSame) return { folded: false };
  await writeSummaries(transaction, experimentId, rows);
  if (dropped.length > 0) {
    await transaction.run(
      `DELETE FROM metric_summary
       WHERE experiment = $1 AND ${transaction.isOneOfIntegers("metric", "$2")}`,
      experimentId,
      JSON.stringify(dropped),
    );
  }
  if (end !== undefined) {
    await transaction.run(
      `UPDATE summarized SET counted = 1, folded_seq = $2, folded_points = $3, folded_at_ms = $4
       WHERE experiment = $1`,
      experimentId,
      end.foldedSeq,
      end.foldedPoints,
      end.atMs,
    );
  }
  return { folded: true };
}

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
