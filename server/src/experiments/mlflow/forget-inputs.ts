import type { Transaction } from "../../database/database.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Ledger } from "../../database/quotas/ledger.ts";
import { datasetBytes, inputBytes } from "./inputs.ts";

interface Forgotten {
  organizationId: string;
  experimentId: string;
}

const datasetsPerStep = 100;

/** Takes the next step of removing a run's inputs and outputs; 0: none is left. Models stay. */
export async function forgetInputs(
  transaction: Transaction,
  { organizationId, experimentId }: Forgotten,
  ledger: Ledger,
): Promise<number> {
  const links = await transaction.all<{ dataset: string; tags: string; context: string | null }>(
    `DELETE FROM run_input WHERE experiment = $1 AND dataset IN (
       SELECT dataset FROM run_input WHERE experiment = $1 ORDER BY dataset LIMIT ${datasetsPerStep})
     RETURNING dataset, tags, context`,
    experimentId,
  );
  if (links.length > 0) {
    const bytes = links.reduce((sum, link) => sum + inputBytes(link), 0);
    ledger.note(organizationId, { bytes: -bytes });
    const ids = links.map(({ dataset }) => dataset);
    await forgetUnread(transaction, organizationId, ids, ledger);
    return links.length;
  }
  const models = await transaction.all<{ model: string }>(
    "DELETE FROM run_model WHERE experiment = $1 RETURNING model",
    experimentId,
  );
  const bytes = models.reduce((sum, { model }) => sum + rowBytes + textBytes(model), 0);
  if (bytes > 0) ledger.note(organizationId, { bytes: -bytes });
  return models.length;
}

/**
 * Removes data sets that no run names any more. They are locked first: a run that names one
 * meanwhile has locked it before, and is seen by the second statement.
 */
async function forgetUnread(
  transaction: Transaction,
  organizationId: string,
  ids: readonly string[],
  ledger: Ledger,
): Promise<void> {
  const wanted = JSON.stringify(ids);
  await transaction.all(
    `SELECT id FROM dataset WHERE ${transaction.isOneOf("id", "$1")} ORDER BY id${transaction.forUpdate}`,
    wanted,
  );
  const unread = await transaction.all<{ bytes: number }>(
    `DELETE FROM dataset WHERE ${transaction.isOneOf("id", "$1")}
       AND NOT EXISTS (SELECT 1 FROM run_input WHERE run_input.dataset = dataset.id)
     RETURNING bytes`,
    wanted,
  );
  const bytes = unread.reduce((sum, row) => sum + datasetBytes(row.bytes), 0);
  if (bytes > 0) ledger.note(organizationId, { bytes: -bytes });
}
