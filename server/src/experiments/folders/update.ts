import type { ReplyData, RequestData } from "@lossless/protocol";
import type { Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { heightOf, pathToParent, requireDepth } from "./depth.ts";
import { requireFolder } from "./find.ts";
import { alreadyExists, folderNamed } from "./name.ts";
import { lockOrganization } from "../../database/access/organization-lock.ts";

export interface UpdateFolder {
  organizationId: string;
  data: RequestData<"svc.v2.folder.update">;
}

/** `folder.update`: renames, moves, or both at once. A field that is left out stays as it is. */
export async function updateFolder(
  transaction: Transaction,
  { organizationId, data }: UpdateFolder,
): Promise<ReplyData<"svc.v2.folder.update">> {
  await lockOrganization(transaction, organizationId);
  const folder = await requireFolder(transaction, organizationId, data.folderId);
  const name = data.name ?? folder.name;
  const parentFolderId = data.parentFolderId === undefined ? folder.parent : data.parentFolderId;
  if (parentFolderId !== folder.parent) {
    await requirePlace(transaction, organizationId, folder.id, parentFolderId);
  }
  const other = await folderNamed(transaction, organizationId, parentFolderId, name);
  if (other !== undefined && other !== folder.id) throw alreadyExists(other);
  await transaction.run(
    "UPDATE folder SET name = $2, parent = $3 WHERE id = $1",
    folder.id,
    name,
    parentFolderId,
  );
  return { folderId: folder.id, name, parentFolderId };
}

async function requirePlace(
  transaction: Transaction,
  organizationId: string,
  folderId: string,
  parentFolderId: string | null,
): Promise<void> {
  const path = await pathToParent(transaction, organizationId, parentFolderId);
  if (path.includes(folderId)) {
    throw new ServiceError(
      "folder_cycle",
      "A folder cannot be moved into itself or into a folder below it.",
    );
  }
  requireDepth(path.length + (await heightOf(transaction, folderId)));
}
