import type { ReplyData, RequestData } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../../ground/clock.ts";
import type { Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { newId } from "../../ground/ids.ts";
import { pathToParent, requireDepth } from "./depth.ts";
import { alreadyExists, folderNamed } from "./name.ts";
import { lockOrganization } from "../../database/access/organization-lock.ts";

export interface CreateFolder {
  organizationId: string;
  data: RequestData<"svc.v2.folder.create">;
}

/** `folder.create`. Names are unique within their parent, compared exactly (M18). */
export async function createFolder(
  transaction: Transaction,
  { organizationId, data: { name, parentFolderId } }: CreateFolder,
  { nowMs }: Moment,
): Promise<ReplyData<"svc.v2.folder.create">> {
  await lockOrganization(transaction, organizationId);
  const path = await pathToParent(transaction, organizationId, parentFolderId);
  const folderId = newId(nowMs);
  const inserted = await transaction.run(
    `INSERT INTO folder (id, organization, parent, name, created_at_ms) VALUES ($1, $2, $3, $4, $5)
     ON CONFLICT DO NOTHING`,
    folderId,
    organizationId,
    parentFolderId,
    name,
    nowMs,
  );
  if (inserted === 0) {
    const other = await folderNamed(transaction, organizationId, parentFolderId, name);
    if (other === undefined) throw new Error("BUG: a folder name is taken by no folder");
    throw alreadyExists(other);
  }
  // Thrown after the insert: the operation runs in an attempt, which undoes it.
  requireDepth(path.length + 1);
  await requireNumber(transaction, organizationId);
  return { folderId, name, parentFolderId };
}

async function requireNumber(transaction: Transaction, organizationId: string): Promise<void> {
  const row = await transaction.get<{ folders: number }>(
    "SELECT count(*) AS folders FROM folder WHERE organization = $1",
    organizationId,
  );
  if ((row?.folders ?? 0) <= limits.foldersPerOrganizationMax) return;
  throw new ServiceError(
    "limit_exceeded",
    `An organization has at most ${limits.foldersPerOrganizationMax} folders.`,
    { limit: "foldersPerOrganization", maximum: limits.foldersPerOrganizationMax },
  );
}
