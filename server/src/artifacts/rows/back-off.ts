import type { Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";

const firstMs = 60_000;
const mostMs = 6 * 60 * 60_000;

/** Puts off a removal that has failed: it is tried again after 1 minute, 2, 4 … at most 6 hours. */
export async function backOff(
  transaction: Transaction,
  table: "removal" | "file_upload",
  id: string,
  { nowMs }: Moment,
): Promise<void> {
  const key = table === "removal" ? "upload" : "id";
  const row = await transaction.get<{ attempts: number }>(
    `SELECT attempts FROM ${table} WHERE ${key} = $1${transaction.forUpdate}`,
    id,
  );
  if (row === undefined) return;
  await transaction.run(
    `UPDATE ${table} SET attempts = attempts + 1, not_before_ms = $2 WHERE ${key} = $1`,
    id,
    nowMs + Math.min(mostMs, firstMs * 2 ** Math.min(row.attempts, 20)),
  );
}
