import type { Transaction } from "../database/database.ts";
import { rowBytes, textBytes } from "../database/quotas/amounts.ts";
import type { Counting } from "../database/quotas/ledger.ts";

const processesPerStep = 500;

/**
 * Takes the next step of removing an experiment's attempts, and returns how many rows it removed;
 * 0: none is left. The head must be gone.
 */
export async function forgetAttempts(
  transaction: Transaction,
  { organizationId, experimentId }: { organizationId: string; experimentId: string },
  { ledger }: Counting,
): Promise<number> {
  const processes = await transaction.all<Record<"id" | "attempt" | "about", string> & Ended>(
    `DELETE FROM attempt_process WHERE experiment = $1 AND id IN (
       SELECT id FROM attempt_process WHERE experiment = $1 ORDER BY id LIMIT $2)
     RETURNING id, attempt, about, ending`,
    experimentId,
    processesPerStep,
  );
  const bytes = processes.reduce(
    (sum, { id, attempt, about, ending }) => sum + rowBytes + textBytes(id, attempt, about, ending),
    0,
  );
  if (bytes > 0) ledger.note(organizationId, { bytes: -bytes });
  const rows = await transaction.run("DELETE FROM liveness WHERE experiment = $1", experimentId);
  return processes.length + rows;
}

interface Ended {
  ending: string | null;
}
