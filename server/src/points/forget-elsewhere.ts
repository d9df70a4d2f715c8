import type { Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { countPurged } from "../database/quotas/recorded-points.ts";
import { forgetDroppedRows } from "./dropped-rows.ts";
import { type ForgetPoints, forgetPoints } from "./forget-points.ts";

/** Partitions whose rows one step removes. */
const partitionsPerStep = 200;

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

async function forgetSeries(
  transaction: Transaction,
  { organizationId, experimentId }: ForgetPoints,
  { ledger }: Counting,
): Promise<number> {
  const rows = await transaction.all<{ name: string; meta: string }>(
    `DELETE FROM series WHERE experiment = $1 AND partition IN (
       SELECT partition FROM series WHERE experiment = $1 ORDER BY partition LIMIT $2)
     RETURNING name, meta`,
    experimentId,
    partitionsPerStep,
  );
  if (rows.length === 0) return 0;
  const bytes = rows.reduce((sum, { name, meta }) => sum + rowBytes + textBytes(name, meta), 0);
  ledger.note(organizationId, { bytes: -bytes, partitions: -rows.length });
  return rows.length;
}
