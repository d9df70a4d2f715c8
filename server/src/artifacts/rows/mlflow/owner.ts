import type { Reader, Transaction } from "../../../database/database.ts";
import { touchHead } from "../../../experiments/head.ts";
import { modelNotFound, requireModel } from "../../../experiments/mlflow/models/model-row.ts";
import { requireActiveRun, requireRun } from "../../../experiments/mlflow/run-row.ts";

/** Owner of files: the run or logged model with this id. */
export interface FileOwner {
  organizationId: string;
  owner: string;
}

/**
 * Requires an owner, also one that is marked as deleted; one of another organization is as absent
 * as none.
 */
export async function requireOwner(
  reader: Reader,
  { organizationId, owner }: FileOwner,
): Promise<void> {
  if (isModel(owner)) await requireModel(reader, organizationId, owner);
  else await requireRun(reader, organizationId, owner);
}

/** The same for a change: it is active, and locked until the transaction ends. */
export async function lockOwner(
  transaction: Transaction,
  { organizationId, owner }: FileOwner,
): Promise<void> {
  if (isModel(owner)) {
    await transaction.get(
      `SELECT id FROM logged_model WHERE id = $1 AND organization = $2${transaction.forUpdate}`,
      owner,
      organizationId,
    );
    const model = await requireModel(transaction, organizationId, owner);
    if (model.deleted_at_ms !== null) throw modelNotFound(owner);
    return;
  }
  await requireActiveRun(transaction, organizationId, owner);
  await touchHead(transaction, owner);
}

export function isModel(owner: string): boolean {
  return owner.startsWith("m-");
}
