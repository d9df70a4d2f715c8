import type { Reader } from "../../database/database.ts";

/** What the table's metrics and metas lack. */
export interface Behind {
  /** Experiments that have points or a meta that the table does not know yet. */
  behind: number;
  /** All that was acknowledged until then it knows, but for experiments never counted before. */
  asOfMs: number;
}

/**
 * How far the summaries of an organization follow what is stored. What is sealed is folded, but for
 * some moments after a failure: those experiments are not looked for. What is not sealed is in the
 * log, which is stepped through from one experiment to the next. It is no table of the join: SQLite
 * would pass over it for every head.
 */
export async function readBehind(
  reader: Reader,
  organizationId: string,
  nowMs: number,
): Promise<Behind> {
  const row = await reader.get<{ behind: number; as_of_ms: number | null }>(
    `WITH RECURSIVE logged (experiment) AS (
       SELECT min(experiment) FROM log
       UNION ALL SELECT (SELECT min(log.experiment) FROM log WHERE log.experiment > logged.experiment)
       FROM logged WHERE experiment IS NOT NULL)
     SELECT count(DISTINCT late.experiment) AS behind, min(folded_at_ms) AS as_of_ms FROM (
       SELECT head.experiment, folded_at_ms
       FROM head JOIN summarized ON summarized.experiment = head.experiment
       WHERE head.experiment IN (SELECT experiment FROM logged)
         AND head.points > head.sealed_points AND counted = 1 AND folded_seq < log_seq
       UNION ALL SELECT experiment, NULL FROM summarized WHERE counted = 0
       UNION ALL SELECT experiment, NULL FROM summarized WHERE indexed_version < meta_version
     ) AS late
     WHERE (SELECT organization FROM experiment WHERE id = late.experiment AND trashed_at_ms IS NULL) = $1`,
    organizationId,
  );
  return { behind: row?.behind ?? 0, asOfMs: Math.min(row?.as_of_ms ?? nowMs, nowMs) };
}
