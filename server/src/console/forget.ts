import type { Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";

/** Records may be megabytes each. */
const recordsPerStep = 16;

/**
 * Takes the next step of removing an experiment's console, and returns how many rows it removed; 0:
 * none is left. The head must be gone. Its objects go with those of the points.
 */
export async function forgetConsole(
  transaction: Transaction,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
  { ledger }: Counting,
): Promise<number> {
  const records = await transaction.all<{ bytes: number }>(
    `DELETE FROM console_log WHERE experiment = $1 AND first IN (
       SELECT first FROM console_log WHERE experiment = $1 ORDER BY first LIMIT $2)
     RETURNING length(record) AS bytes`,
    experimentId,
    recordsPerStep,
  );
  if (records.length > 0) {
    const bytes = records.reduce((sum, record) => sum + rowBytes + Number(record.bytes), 0);
    ledger.note(organizationId, { bytes: -bytes });
    return records.length;
  }
  const sources = await transaction.all<{ id: string; about: string }>(
    "DELETE FROM console_source WHERE experiment = $1 RETURNING id, about",
    experimentId,
  );
  const bytes = sources.reduce((sum, { id, about }) => sum + rowBytes + textBytes(id, about), 0);
  if (bytes > 0) ledger.note(organizationId, { bytes: -bytes });
  const consoles = await transaction.run("DELETE FROM console WHERE experiment = $1", experimentId);
  return sources.length + consoles;
}
