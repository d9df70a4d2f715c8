import type { Reader } from "../../database/database.ts";
import { readToldUntil } from "../../experiments/told/told-until.ts";

/** How far the table's metrics and metas are behind. */
export interface SummaryLag {
  /** Experiments that have points or a meta that the table does not know yet. */
  behind: number;
  /** Experiments that have been behind for longer than some seconds. */
  late: number;
  /** Time until which everything acknowledged is included. */
  asOfMs: number;
}

/** An experiment with data that the table does not know yet. */
export interface LateExperiment {
  experiment: string;
  as_of_ms: number;
  /** 1 where points of it are missing in its summaries. */
  of_metrics: number;
  /** 1 where its meta is not indexed yet. */
  of_metas: number;
}

export interface BehindOptions {
  /** Picks the experiments behind that matter; without it all of the organization do. */
  concerned?: ((behind: readonly LateExperiment[]) => Promise<ReadonlySet<string>>) | undefined;
  steps?: number;
  listed?: number | undefined;
}

/**
 * Age from which a delay is reported: running experiments are folded every five seconds, which is
 * no news.
 */
const lateAfterMs = 10_000;
/** A pass over 60,000 heads takes as long as some 2,000 steps through PostgreSQL's log. */
const stepsMax = 2_000;
/** Number of experiments behind above which all count as concerned. */
const listedMax = 2_000;

/**
 * Returns how far the summaries of an organization follow what is stored. Sealed points are folded,
 * except for some moments after a failure: those experiments are not looked for. Unsealed points
 * are in the log, which is stepped through from one experiment to the next; where it has many, all
 * heads are scanned.
 */
export async function readBehind(
  reader: Reader,
  organizationId: string,
  nowMs: number,
  { concerned, steps = stepsMax, listed = listedMax }: BehindOptions = {},
): Promise<SummaryLag> {
  const lateAtMs = nowMs - lateAfterMs;
  const toldMs = await readToldUntil(reader, { nowMs });
  const byLog = await lookByLog(reader, organizationId, { listed, steps });
  const isWhole = byLog !== undefined && byLog[0].steps < steps;
  const rows = isWhole
    ? byLog.filter(
        (row): row is LateExperiment & { steps: number } => typeof row.experiment === "string",
      )
    : await reader.all<LateExperiment>(lateByHeads, organizationId, listed + 1);
  if (rows.length > listed) {
    const all = await reader.get<Record<keyof SummaryLag, number>>(
      countByHeads,
      organizationId,
      lateAtMs,
    );
    const { behind, late, asOfMs } = all!;
    return { behind, late, asOfMs: Math.min(asOfMs, toldMs) };
  }
  const wanted = rows.length === 0 ? undefined : await concerned?.(rows);
  const those = rows.filter(({ experiment }) => wanted?.has(experiment) ?? true);
  return {
    behind: those.length,
    late: those.filter(({ as_of_ms: asOfMs }) => asOfMs < lateAtMs).length,
    asOfMs: Math.min(toldMs, ...those.map(({ as_of_ms: asOfMs }) => asOfMs)),
  };
}

/** Undefined where the log of some experiments is elsewhere. */
async function lookByLog(
  reader: Reader,
  organizationId: string,
  { listed, steps }: { listed: number; steps: number },
): Promise<(Partial<LateExperiment> & { steps: number })[] | undefined> {
  if (reader.hasWorkers) return undefined;
  return reader.all(lateByLog, organizationId, listed + 1, steps);
}

/** Whether the summaries of one experiment miss points or its meta. */
export async function isBehind(reader: Reader, experimentId: string): Promise<boolean> {
  const row = await reader.get(
    `SELECT head.experiment FROM head JOIN summarized ON summarized.experiment = head.experiment
     WHERE head.experiment = $1 AND (counted = 0 OR indexed_version < meta_version OR notes_before < 0
       OR (head.points > head.sealed_points AND folded_seq < log_seq))`,
    experimentId,
  );
  return row !== undefined || isUntold(reader, experimentId);
}

/** Whether the server with the points has some that the summaries miss. */
async function isUntold(reader: Reader, experimentId: string): Promise<boolean> {
  const own = await reader.at(experimentId);
  if (own === reader) return false;
  const head = await own.get<{ log_seq: number }>(
    "SELECT log_seq FROM head WHERE experiment = $1",
    experimentId,
  );
  const summarized = await reader.get<{ folded_seq: number }>(
    "SELECT folded_seq FROM summarized WHERE experiment = $1",
    experimentId,
  );
  return (head?.log_seq ?? 0) > (summarized?.folded_seq ?? 0);
}

const lateByHeads = `${lateAmong("")} LIMIT $2`;

const countByHeads = `SELECT count(*) AS behind, min(as_of_ms) AS "asOfMs",
    count(CASE WHEN as_of_ms < CAST($2 AS BIGINT) THEN 1 END) AS late
  FROM (${lateAmong("")}) AS late`;

/** The log is no table of the join: SQLite would pass over it for every head. */
const lateByLog = `WITH RECURSIVE logged (experiment, step) AS (
    SELECT min(experiment), 1 FROM log
    UNION ALL SELECT (SELECT min(log.experiment) FROM log WHERE log.experiment > logged.experiment), step + 1
    FROM logged WHERE experiment IS NOT NULL AND step < $3)
  SELECT stepped.steps, late.* FROM (SELECT max(step) AS steps FROM logged) AS stepped
  LEFT JOIN (${lateAmong("head.experiment IN (SELECT experiment FROM logged) AND")} LIMIT $2) AS late ON 1 = 1`;

/**
 * Since when each is behind, at the latest: a single record of its log is as old as the last one,
 * and a meta that was never indexed, or a value that is not finite and was not looked for yet, as
 * old as its experiment.
 */
function lateAmong(heads: string): string {
  const of = (column: string) =>
    `(SELECT ${column} FROM experiment WHERE id = summarized.experiment)`;
  return `SELECT late.experiment, min(late.as_of_ms) AS as_of_ms,
      max(late.of_metrics) AS of_metrics, max(late.of_metas) AS of_metas
    FROM (
      SELECT head.experiment, 1 AS of_metrics, 0 AS of_metas,
        CASE WHEN log_seq = folded_seq + 1 THEN appended_at_ms - 1 ELSE folded_at_ms END AS as_of_ms
      FROM head JOIN summarized ON summarized.experiment = head.experiment
      WHERE ${heads} head.points > head.sealed_points AND counted = 1 AND folded_seq < log_seq
      UNION ALL
      SELECT experiment, 1, 0, ${of("created_at_ms")} FROM summarized WHERE counted = 0
      UNION ALL
      SELECT experiment, 0, 1, ${of("CASE WHEN indexed_version = 0 THEN created_at_ms ELSE updated_at_ms END")} - 1
      FROM summarized WHERE indexed_version < meta_version
      UNION ALL
      SELECT experiment, 1, 0, ${of("created_at_ms")} - 1 FROM summarized WHERE notes_before < 0
    ) AS late
    WHERE (SELECT organization FROM experiment WHERE id = late.experiment AND trashed_at_ms IS NULL) = $1
    GROUP BY late.experiment`;
}
