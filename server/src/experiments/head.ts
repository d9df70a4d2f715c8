import type { Transaction } from "../database/database.ts";
import { ServiceError } from "../ground/errors.ts";

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

/**
 * Increments the experiment's revision, on every change of any kind, so that caches notice (M63).
 * Throws `experiment_deleted` for one in the trash.
 */
export async function touchHead(transaction: Transaction, experimentId: string): Promise<void> {
  const changed = await transaction.run(
    "UPDATE head SET revision = revision + 1 WHERE experiment = $1 AND trashed = 0",
    experimentId,
  );
  if (changed !== 1) throw experimentDeleted(experimentId);
}

/** The error for a writer admitted before the deletion; later requests find no valid token. */
export function experimentDeleted(experimentId: string): ServiceError {
  return new ServiceError(
    "experiment_deleted",
    "The experiment was deleted while the request was under way; nothing of this event was stored.",
    { experimentId },
  );
}
