import type { Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import type { Moment } from "../../../ground/clock.ts";
import { rowBytes, textBytes } from "../../../database/quotas/amounts.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import type { Tag } from "../change-folder.ts";
import { addModelParams, writeModelTags } from "./attributes.ts";
import { modelNotFound } from "./model-row.ts";

interface ModelScope {
  organizationId: string;
  modelId: string;
}

/** `model.finalize`: its files are there, or will never be. */
export async function finalizeModel(
  transaction: Transaction,
  { organizationId, modelId, status }: ModelScope & { status: number },
  { nowMs }: Moment,
): Promise<void> {
  const changed = await transaction.run(
    `UPDATE logged_model SET status = $3, updated_at_ms = $4 WHERE id = $1 AND organization = $2`,
    modelId,
    organizationId,
    status,
    nowMs,
  );
  if (changed === 0) throw modelNotFound(modelId);
}

/** `model.delete`: marks the model as deleted; its rows and files stay. */
export async function deleteModel(
  transaction: Transaction,
  { organizationId, modelId }: ModelScope,
  { nowMs }: Moment,
): Promise<void> {
  const changed = await transaction.run(
    `UPDATE logged_model SET deleted_at_ms = $3, updated_at_ms = $3
     WHERE id = $1 AND organization = $2`,
    modelId,
    organizationId,
    nowMs,
  );
  if (changed === 0) throw modelNotFound(modelId);
}

/** `model.describe`: params are added, tags replaced. */
export async function describeModel(
  transaction: Transaction,
  { params, tags, ...whose }: ModelScope & { params: Tag[]; tags: Tag[] },
  { ledger }: Counting,
): Promise<void> {
  await lockModel(transaction, whose);
  await addModelParams(transaction, whose, params, ledger);
  await writeModelTags(transaction, whose, tags, ledger);
}

/** `model.deleteTag` */
export async function deleteModelTag(
  transaction: Transaction,
  { key, ...whose }: ModelScope & { key: string },
  { ledger }: Counting,
): Promise<void> {
  const { organizationId, modelId } = whose;
  await lockModel(transaction, whose);
  const removed = await transaction.all<{ value: string }>(
    "DELETE FROM logged_model_tag WHERE model = $1 AND key = $2 RETURNING value",
    modelId,
    key,
  );
  if (removed.length === 0) {
    const sentence = `No tag with key '${key}' found for model with ID '${modelId}'.`;
    throw new ServiceError("tag_not_found", sentence);
  }
  ledger.note(organizationId, { bytes: -rowBytes - textBytes(key, removed[0].value) });
}

/** Locks a model: two nodes that describe one at once would both count a new tag. */
async function lockModel(
  transaction: Transaction,
  { organizationId, modelId }: ModelScope,
): Promise<void> {
  const row = await transaction.get(
    `SELECT id FROM logged_model WHERE id = $1 AND organization = $2${transaction.forUpdate}`,
    modelId,
    organizationId,
  );
  if (row === undefined) throw modelNotFound(modelId);
}
