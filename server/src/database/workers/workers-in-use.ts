import type { Reader, Transaction } from "../database.ts";
import { leastWorkers } from "../nodes.ts";

/** Row of `installation`: how many workers may have experiments. */
const rowName = "workers_in_use";

export async function workersInUse(reader: Reader): Promise<number> {
  const row = await reader.get<{ value: string }>(
    "SELECT value FROM installation WHERE name = $1",
    rowName,
  );
  return Number(row?.value ?? 0);
}

/**
 * Takes workers into use that all nodes at work know, and returns how many are. A node that knows
 * one of them no more, or not yet, would take its experiments for empty ones.
 */
export async function takeIntoUse(transaction: Transaction): Promise<number> {
  const used = await workersInUse(transaction);
  const known = await leastWorkers(transaction);
  if (known <= used) return used;
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    rowName,
    String(known),
  );
  return known;
}
