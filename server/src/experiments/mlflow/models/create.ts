import { randomUUID } from "node:crypto";
import type { Transaction } from "../../../database/database.ts";
import { lockFolder } from "../../folders/find.ts";
import { rowBytes, textBytes } from "../../../database/quotas/amounts.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import type { Tag } from "../change-folder.ts";
import { requireActive, requireRunFolder, rootFolder } from "../folder.ts";
import { randomName } from "../name.ts";
import { addModelParams, writeModelTags } from "./attributes.ts";

export interface CreateModel {
  organizationId: string;
  folderId: string;
  /** Undefined: one is made up. */
  name: string | undefined;
  modelType: string;
  sourceRun: string;
  params: Tag[];
  tags: Tag[];
}

/** MLflow's status of a model whose files are not uploaded yet. */
const pending = 1;

/** `model.create` */
export async function createModel(
  transaction: Transaction,
  { organizationId, folderId, params, tags, ...given }: CreateModel,
  { nowMs, ledger }: Counting,
): Promise<{ modelId: string }> {
  const folder = await requireRunFolder(transaction, organizationId, folderId);
  requireActive(folder);
  // Folders that are removed hand their models to the root.
  if (folderId !== rootFolder) await lockFolder(transaction, organizationId, folderId);
  const modelId = `m-${randomUUID().replaceAll("-", "")}`;
  const { name = randomName(), modelType, sourceRun } = given;
  await ledger.charge(organizationId, {
    bytes: rowBytes + textBytes(name, modelType, sourceRun),
  });
  await transaction.run(
    `INSERT INTO logged_model (id, organization, folder, name, model_type, source_run, status,
       artifact_location, created_at_ms, updated_at_ms, deleted_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, NULL)`,
    modelId,
    organizationId,
    folderId,
    name,
    modelType,
    sourceRun,
    pending,
    folder.artifactLocation,
    nowMs,
  );
  const whose = { organizationId, modelId };
  await addModelParams(transaction, whose, params, ledger);
  await writeModelTags(transaction, whose, tags, ledger);
  return { modelId };
}
