import type { Transaction } from "../database/database.ts";

/**
 * Makes the hot row of a new experiment and the row of its summaries; of an existing one it counts
 * a change (two nodes may open one new slug at once).
 */
export async function createOrTouchHead(
  transaction: Transaction,
  experimentId: string,
  nowMs: number,
): Promise<void> {
  await transaction.run(
    `INSERT INTO head (experiment, log_seq, seal_seq, manifest_seq, points, sealed_points, revision, appended_at_ms)
     VALUES ($1, 0, 0, 0, 0, 0, 1, $2)
     ON CONFLICT (experiment) DO UPDATE SET revision = head.revision + 1`,
    experimentId,
    nowMs,
  );
  await transaction.run(
    `INSERT INTO summarized (experiment, counted, folded_seq, folded_points, folded_at_ms, meta_version, indexed_version)
     VALUES ($1, 1, 0, 0, $2, 1, 0) ON CONFLICT (experiment) DO NOTHING`,
    experimentId,
    nowMs,
  );
}

/** Every change of an experiment, of any kind, counts up its revision: caches see it (M63). */
export async function touchHead(transaction: Transaction, experimentId: string): Promise<void> {
  const changed = await transaction.run(
    "UPDATE head SET revision = revision + 1 WHERE experiment = $1",
    experimentId,
  );
  if (changed !== 1) throw new Error(`BUG: experiment ${experimentId} has ${changed} head rows`);
}
