import type { Transaction } from "../database/database.ts";
import { logPointBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";

/** Segments that one step hands over to be deleted. */
const segmentsPerStep = 200;
/** Records of the log may be a megabyte each. */
const recordsPerStep = 16;

export interface ForgetPoints {
  organizationId: string;
  experimentId: string;
}

/**
 * Takes the next step of removing an experiment's points, and returns how many rows it removed; 0:
 * none is left. The head must be gone: then nothing is appended, sealed or merged any more. The
 * objects may be deleted as soon as this is committed.
 */
export async function forgetPoints(
  transaction: Transaction,
  { organizationId, experimentId }: ForgetPoints,
  { nowMs, ledger }: Counting,
): Promise<number> {
  const segments = await transaction.all<{ key: string; bytes: number }>(
    `DELETE FROM segment WHERE experiment = $1 AND number IN (
       SELECT number FROM segment WHERE experiment = $1 ORDER BY number LIMIT $2)
     RETURNING key, bytes`,
    experimentId,
    segmentsPerStep,
  );
  if (segments.length > 0) {
    for (const { key } of segments) {
      await transaction.run(
        "INSERT INTO garbage (key, delete_after_ms) VALUES ($1, $2)",
        key,
        nowMs,
      );
    }
    ledger.note(organizationId, { bytes: -segments.reduce((sum, { bytes }) => sum + bytes, 0) });
    return segments.length;
  }
  const records = await transaction.all<{ points: number }>(
    `DELETE FROM log WHERE experiment = $1 AND seq IN (
       SELECT seq FROM log WHERE experiment = $1 ORDER BY seq LIMIT $2)
     RETURNING points`,
    experimentId,
    recordsPerStep,
  );
  const points = records.reduce((sum, record) => sum + record.points, 0);
  if (points > 0) ledger.note(organizationId, { bytes: -logPointBytes * points });
  return records.length;
}
