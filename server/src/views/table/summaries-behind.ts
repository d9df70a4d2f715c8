import type { Reader } from "../../database/database.ts";

/** What the table's metrics and metas lack. */
export interface Behind {
  /** Experiments that have points or a meta that the table does not know yet. */
  behind: number;
  /** All that was acknowledged until then it knows, but for experiments never counted before. */
  asOfMs: number;
}

interface Late {
  behind: number;
  as_of_ms: number | null;
}

/** A pass over 60,000 heads takes as long as some 2,000 steps through PostgreSQL's log. */
const stepsMax = 2_000;

/**
 * How far the summaries of an organization follow what is stored. What is sealed is folded, but for
 * some moments after a failure: those experiments are not looked for. What is not sealed is in the
 * log, which is stepped through from one experiment to the next; where it has many, all heads are
 * passed over.
 */
export async function readBehind(
  reader: Reader,
  organizationId: string,
  nowMs: number,
  steps = stepsMax,
): Promise<Behind> {
  const byLog = await reader.get<Late & { steps: number }>(lateByLog, organizationId, steps);
  const isWhole = byLog !== undefined && byLog.steps < steps;
  const late = isWhole ? byLog : await reader.get<Late>(lateByHeads, organizationId);
  return { behind: late?.behind ?? 0, asOfMs: Math.min(late?.as_of_ms ?? nowMs, nowMs) };
}

const lateByHeads = lateAmong("");

/** The log is no table of the join: SQLite would pass over it for every head. */
const lateByLog = `WITH RECURSIVE logged (experiment, step) AS (
    SELECT min(experiment), 1 FROM log
    UNION ALL SELECT (SELECT min(log.experiment) FROM log WHERE log.experiment > logged.experiment), step + 1
    FROM logged WHERE experiment IS NOT NULL AND step < $2)
  SELECT late.*, (SELECT max(step) FROM logged) AS steps
  FROM (${lateAmong("head.experiment IN (SELECT experiment FROM logged) AND")}) AS late`;

function lateAmong(heads: string): string {
  return `SELECT count(DISTINCT late.experiment) AS behind, min(folded_at_ms) AS as_of_ms FROM (
      SELECT head.experiment, folded_at_ms
      FROM head JOIN summarized ON summarized.experiment = head.experiment
      WHERE ${heads} head.points > head.sealed_points AND counted = 1 AND folded_seq < log_seq
      UNION ALL SELECT experiment, NULL FROM summarized WHERE counted = 0
      UNION ALL SELECT experiment, NULL FROM summarized WHERE indexed_version < meta_version
    ) AS late
    WHERE (SELECT organization FROM experiment WHERE id = late.experiment AND trashed_at_ms IS NULL) = $1`;
}
