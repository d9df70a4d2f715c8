import type { Reader, Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";

export interface FolderRow {
  id: string;
  name: string;
  parent: string | null;
}

/** A folder of another organization is as absent as one that never was (M19). */
export async function requireFolder(
  reader: Reader,
  organizationId: string,
  folderId: string,
): Promise<FolderRow> {
  const row = await reader.get<FolderRow>(
    "SELECT id, name, parent FROM folder WHERE id = $1 AND organization = $2",
    folderId,
    organizationId,
  );
  if (row !== undefined) return row;
  throw folderNotFound(folderId);
}

/** Keeps the folder from being deleted until the transaction ends. */
export async function lockFolder(
  transaction: Transaction,
  organizationId: string,
  folderId: string,
): Promise<void> {
  const row = await transaction.get(
    `SELECT id FROM folder WHERE id = $1 AND organization = $2${transaction.forUpdate}`,
    folderId,
    organizationId,
  );
  if (row === undefined) throw folderNotFound(folderId);
}

function folderNotFound(folderId: string): ServiceError {
  return new ServiceError("folder_not_found", "There is no folder with this id.", { folderId });
}
