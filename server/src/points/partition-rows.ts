import type { Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import type { ForgetPoints } from "./forget-points.ts";

/** Partitions whose rows one step of a purge removes. */
const partitionsPerStep = 200;

/** Lists the partitions whose rows `forgetSeries` removes next. */
export async function nextPartitions(
  transaction: Transaction,
  experimentId: string,
): Promise<number[]> {
  const rows = await transaction.all<{ partition: number }>(
    "SELECT partition FROM series WHERE experiment = $1 ORDER BY partition LIMIT $2",
    experimentId,
    partitionsPerStep,
  );
  return rows.map(({ partition }) => partition);
}

/**
 * Removes some rows of series of an experiment that is purged, and returns their number. Without a
 * context nothing is counted: they were told.
 */
export async function forgetSeries(
  transaction: Transaction,
  { organizationId, experimentId }: ForgetPoints,
  context: Counting | undefined,
): Promise<number> {
  const { rows, bytes } = await removeRows(transaction, "series", experimentId);
  if (rows.length > 0)
    context?.ledger.note(organizationId, { bytes: -bytes, partitions: -rows.length });
  return rows.length;
}

/** The same of deleted series. Also says of which entries of the trash they were. */
export async function forgetDroppedRows(
  transaction: Transaction,
  { organizationId, experimentId }: ForgetPoints,
  context: Counting | undefined,
): Promise<{ rows: number; trash: string[] }> {
  const { rows, bytes } = await removeRows<Named & { trash: string | null }>(
    transaction,
    "dropped_series",
    experimentId,
    ", trash",
  );
  const entries = rows.flatMap(({ trash }) => (trash === null ? [] : [trash]));
  if (rows.length > 0)
    context?.ledger.note(organizationId, { bytes: -bytes, partitions: -entries.length });
  return { rows: rows.length, trash: [...new Set(entries)] };
}

interface Named {
  name: string;
  meta: string;
}

async function removeRows<Row extends Named = Named>(
  transaction: Transaction,
  table: "series" | "dropped_series",
  experimentId: string,
  more = "",
): Promise<{ rows: Row[]; bytes: number }> {
  const rows = await transaction.all<Row>(
    `DELETE FROM ${table} WHERE experiment = $1 AND partition IN (
       SELECT partition FROM ${table} WHERE experiment = $1 ORDER BY partition LIMIT $2)
     RETURNING name, meta${more}`,
    experimentId,
    partitionsPerStep,
  );
  const bytes = rows.reduce((sum, { name, meta }) => sum + rowBytes + textBytes(name, meta), 0);
  return { rows, bytes };
}
