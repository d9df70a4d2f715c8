import type { Transaction } from "../database/database.ts";

/**
 * Lets one node of a database do the background work for `leaseMs`; the holder renews it. Only spares
 * double work: correctness rests on the compare-and-set of each manifest change.
 */
export async function takeLease(
  transaction: Transaction,
  input: { node: string; leaseMs: number },
  context: { nowMs: number },
): Promise<{ held: boolean }> {
  await transaction.run(
    "INSERT INTO installation (name, value) VALUES ('background_lease', '') ON CONFLICT (name) DO NOTHING",
  );
  const row = await transaction.get<{ value: string }>(
    `SELECT value FROM installation WHERE name = 'background_lease'${transaction.forUpdate}`,
  );
  const [node, untilMs] = row!.value.split(" ");
  if (node !== input.node && Number(untilMs) > context.nowMs) return { held: false };
  await transaction.run(
    "UPDATE installation SET value = $1 WHERE name = 'background_lease'",
    `${input.node} ${context.nowMs + input.leaseMs}`,
  );
  return { held: true };
}
