import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { lockFolder } from "./find.ts";
import { lockOrganization } from "../../database/access/organization-lock.ts";

export interface DeleteFolder {
  organizationId: string;
  data: RequestData<"svc.v2.folder.delete">;
}

/** `folder.delete`: of an empty folder only (M22). */
export async function deleteFolder(
  transaction: Transaction,
  { organizationId, data: { folderId } }: DeleteFolder,
): Promise<ReplyData<"svc.v2.folder.delete">> {
  await lockOrganization(transaction, organizationId);
  // Waits for a move of an experiment into the folder, which takes the same lock.
  await lockFolder(transaction, organizationId, folderId);
  const content = await transaction.get(
    `SELECT 1 AS found FROM folder WHERE parent = $1
     UNION ALL SELECT 1 FROM experiment WHERE folder = $1 LIMIT 1`,
    folderId,
  );
  if (content !== undefined) {
    throw new ServiceError("folder_not_empty", "The folder still contains folders or experiments.");
  }
  await removeFolder(transaction, organizationId, folderId);
  return { folderId };
}

/**
 * Removes an empty folder's row, the workspaces of its charts, and the rows of MLflow's clients
 * beside it; data sets and models, which outlive their runs, move to the root.
 */
export async function removeFolder(
  transaction: Transaction,
  organizationId: string,
  folderId: string,
): Promise<void> {
  for (const table of ["folder_tag", "run_folder"]) {
    await transaction.run(
      `DELETE FROM ${table} WHERE organization = $1 AND folder = $2`,
      organizationId,
      folderId,
    );
  }
  await transaction.run(
    "DELETE FROM retention_rule WHERE organization = $1 AND kind = 'experiments' AND place = $2",
    organizationId,
    folderId,
  );
  const workspaces = "organization = $1 AND kind = 'workspace' AND name = $2";
  for (const rows of [
    `saved_version WHERE saved IN (SELECT id FROM saved WHERE ${workspaces})`,
    `saved WHERE ${workspaces}`,
  ])
    await transaction.run(`DELETE FROM ${rows}`, organizationId, folderId);
  await moveToRoot(transaction, organizationId, folderId);
  await transaction.run("DELETE FROM folder WHERE id = $1", folderId);
}

/** A data set that the root has already, by name and digest, keeps its folder: it is only read. */
async function moveToRoot(
  transaction: Transaction,
  organizationId: string,
  folderId: string,
): Promise<void> {
  await transaction.run(
    `UPDATE dataset SET folder = '0' WHERE organization = $1 AND folder = $2 AND NOT EXISTS (
       SELECT 1 FROM dataset AS other WHERE other.organization = $1 AND other.folder = '0'
         AND other.digest = dataset.digest AND other.name = dataset.name)`,
    organizationId,
    folderId,
  );
  await transaction.run(
    "UPDATE logged_model SET folder = '0' WHERE organization = $1 AND folder = $2",
    organizationId,
    folderId,
  );
}
