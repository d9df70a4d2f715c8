import type { Transaction } from "../database/database.ts";

/**
 * Lets one node of a database do the background work for `leaseMs`; the holder renews it. Only spares
 * double work: correctness rests on the compare-and-set of each manifest change. The clock is that of the
 * database, because clocks of nodes may differ by more than a lease.
 */
export async function takeLease(
  transaction: Transaction,
  input: { node: string; leaseMs: number },
): Promise<{ held: boolean }> {
  await transaction.run(
    "INSERT INTO installation (name, value) VALUES ('background_lease', '') ON CONFLICT (name) DO NOTHING",
  );
  const row = await transaction.get<{ value: string; now_ms: number }>(
    `SELECT value, ${transaction.nowMs} AS now_ms FROM installation
     WHERE name = 'background_lease'${transaction.forUpdate}`,
  );
  const { value, now_ms: nowMs } = row!;
  const [node, untilMs] = value.split(" ");
  // A lease that lasts longer than any is given was written before the clock was set back.
  const isLasting = Number(untilMs) > nowMs && Number(untilMs) <= nowMs + input.leaseMs;
  if (node !== input.node && isLasting) return { held: false };
  await transaction.run(
    "UPDATE installation SET value = $1 WHERE name = 'background_lease'",
    `${input.node} ${nowMs + input.leaseMs}`,
  );
  return { held: true };
}
