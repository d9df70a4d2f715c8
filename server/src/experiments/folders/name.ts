import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";

/** The id of the folder with this name in this folder. */
export async function folderNamed(
  reader: Reader,
  organizationId: string,
  parentFolderId: string | null,
  name: string,
): Promise<string | undefined> {
  const isBelow = parentFolderId === null ? "parent IS NULL" : "parent = $3";
  const row = await reader.get<{ id: string }>(
    `SELECT id FROM folder WHERE organization = $1 AND name = $2 AND ${isBelow}`,
    organizationId,
    name,
    ...(parentFolderId === null ? [] : [parentFolderId]),
  );
  return row?.id;
}

export function alreadyExists(folderId: string): ServiceError {
  return new ServiceError("folder_already_exists", "The name is already taken in this folder.", {
    folderId,
  });
}
