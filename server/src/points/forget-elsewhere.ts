import type { Transaction } from "../database/database.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { countPurged } from "../database/quotas/recorded-points.ts";
import { type ForgetPoints, forgetPoints } from "./forget-points.ts";
import { forgetDroppedRows, forgetSeries } from "./partition-rows.ts";

/**
 * `points.forgetElsewhere`: takes the next step of removing what a worker has of an experiment that
 * is purged, and says how many rows it removed; 0: only the stub is left, which stays. The head
 * goes first: from then on nothing is appended, sealed or merged.
 */
export async function forgetElsewhere(
  transaction: Transaction,
  experiment: ForgetPoints,
  context: Counting,
): Promise<{ rows: number }> {
  const { organizationId, experimentId } = experiment;
  const heads = await transaction.all<{ points: number }>(
    "DELETE FROM head WHERE experiment = $1 RETURNING points",
    experimentId,
  );
  if (heads.length > 0) {
    // Days go on saying how many points came on them.
    await countPurged(transaction, organizationId, heads[0].points);
    return { rows: 1 };
  }
  for (const step of [forgetPoints, forgetSeries]) {
    const rows = await step(transaction, experiment, context);
    if (rows > 0) return { rows };
  }
  const { rows } = await forgetDroppedRows(transaction, experiment, context);
  return { rows };
}
