import type { Reader, Transaction, Value } from "../../database/database.ts";
import { insertRows } from "../../database/rows.ts";
import { Summary } from "./summary.ts";

/** A metric's summary of one experiment, of exactly the points of log rows up to `foldedSeq`. */
export interface SummaryRow {
  metric: number;
  foldedSeq: number;
  summary: Summary;
}

type Member = Exclude<keyof Summary, "add" | "merge">;

/** Columns of `metric_summary` after its key and folded_seq. */
const columns: Record<Member, string> = {
  points: "points",
  sum: "sum",
  smallSum: "small_sum",
  first: "first",
  firstStep: "first_step",
  firstTimestamp: "first_timestamp",
  firstPartition: "first_partition",
  last: "last",
  lastStep: "last_step",
  lastTimestamp: "last_timestamp",
  lastPartition: "last_partition",
  min: "min",
  minStep: "min_step",
  max: "max",
  maxStep: "max_step",
};
export const summaryMembers = Object.keys(columns) as readonly Member[];
const names = ["metric", "experiment", "folded_seq", ...Object.values(columns)];

/**
 * Reads the stored summaries of an experiment for the given metrics; one may have no points yet.
 */
export async function readSummaries(
  reader: Reader,
  experimentId: string,
  metrics: readonly number[],
): Promise<SummaryRow[]> {
  const rows = await reader.all<Record<string, number>>(
    `SELECT metric, folded_seq, ${Object.values(columns).join(", ")} FROM metric_summary
     WHERE experiment = $1 AND ${reader.isOneOfIntegers("metric", "$2")}`,
    experimentId,
    JSON.stringify(metrics),
  );
  return rows.map((row) => {
    const summary = new Summary();
    if (row["points"] > 0)
      for (const member of summaryMembers) summary[member] = row[columns[member]];
    return { metric: row["metric"], foldedSeq: row["folded_seq"], summary };
  });
}

/** Writes summaries. A row never goes back: one that includes more of the log stays. */
export async function writeSummaries(
  transaction: Transaction,
  of: readonly { experimentId: string; rows: readonly SummaryRow[] }[],
): Promise<void> {
  const rows = of.flatMap(({ experimentId, rows: own }) =>
    own.map((row) => ({ experimentId, ...row })),
  );
  // In the order of the table.
  rows.sort((left, right) => left.metric - right.metric);
  const values = rows.map(({ metric, experimentId, foldedSeq, summary }): Value[] => [
    metric,
    experimentId,
    foldedSeq,
    ...summaryMembers.map((member) => summary[member]),
  ]);
  const changes = names.slice(2).map((name) => `${name} = excluded.${name}`);
  await insertRows(
    transaction,
    "metric_summary",
    names,
    values,
    `ON CONFLICT (metric, experiment) DO UPDATE SET ${changes.join(", ")}
     WHERE metric_summary.folded_seq <= excluded.folded_seq`,
  );
}
