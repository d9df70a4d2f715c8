import type { Moment } from "../../ground/clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";

/**
 * Time after which a node that tells no more counts as ended: others have told by then what it had
 * not (storage/background/telling.ts).
 */
const endedAfterMs = 150_000;

/** `told.until`: everything that a node had acknowledged by a time was told. */
export async function noteToldUntil(
  transaction: Transaction,
  { node, untilMs }: { node: string; untilMs: number },
): Promise<void> {
  await transaction.run(
    `INSERT INTO telling (node, until_ms) VALUES ($1, $2)
     ON CONFLICT (node) DO UPDATE SET until_ms = excluded.until_ms`,
    node,
    untilMs,
  );
  await transaction.run("DELETE FROM telling WHERE until_ms < $1", untilMs - 2 * endedAfterMs);
}

/** Returns the time until which the directory knows all acknowledged points on workers. */
export async function readToldUntil(reader: Reader, { nowMs }: Moment): Promise<number> {
  if (!reader.hasWorkers) return nowMs;
  const sinceMs = nowMs - endedAfterMs;
  const row = await reader.get<{ until_ms: number | null }>(
    "SELECT min(until_ms) AS until_ms FROM telling WHERE until_ms >= $1",
    sinceMs,
  );
  return Math.min(nowMs, row?.until_ms ?? sinceMs);
}
