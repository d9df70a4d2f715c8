import { lockOrganization } from "../database/access/organization-lock.ts";
import { audit } from "../database/audit/audit.ts";
import type { Transaction } from "../database/database.ts";
import { removeFolder } from "../experiments/folders/delete.ts";
import { requireFolder } from "../experiments/folders/find.ts";
import type { Counting } from "../database/quotas/ledger.ts";
import { trashExperiments, type Trashing } from "./trash-experiments.ts";

/** Experiments that one step deletes: their rows are written one by one. */
const experimentsPerStep = 100;

export interface TrashedFolders {
  experimentIds: string[];
  /** Folders that are gone now; 0 as long as an experiment is left in any of them. */
  folders: number;
}

/**
 * `trash.folder`: the next step of deleting a folder with all that is in it. Experiments go to the
 * trash, which knows where they stood; when none is left, the folders are gone. Throws
 * `folder_not_found`.
 */
export async function trashFolder(
  transaction: Transaction,
  { folderId, ...trashing }: Trashing & { folderId: string },
  context: Counting,
): Promise<TrashedFolders> {
  const { organizationId, by } = trashing;
  // Prevents new folders in it; moving an experiment into one of them waits, or finds none.
  await lockOrganization(transaction, organizationId);
  const { name } = await requireFolder(transaction, organizationId, folderId);
  const below = await transaction.all<{ id: string }>(
    `WITH RECURSIVE below (id, level) AS (
       SELECT id, 1 FROM folder WHERE id = $1
       UNION ALL SELECT folder.id, level + 1 FROM folder JOIN below ON folder.parent = below.id
     ) SELECT id FROM below ORDER BY level DESC`,
    folderId,
  );
  const ids = JSON.stringify(below.map(({ id }) => id));
  await transaction.all(
    `SELECT id FROM folder WHERE ${transaction.isOneOf("id", "$1")} ORDER BY id${transaction.forUpdate}`,
    ids,
  );
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM experiment WHERE ${transaction.isOneOf("folder", "$1")} ORDER BY id LIMIT $2`,
    ids,
    experimentsPerStep,
  );
  const experimentIds = rows.map(({ id }) => id);
  if (experimentIds.length > 0)
    await trashExperiments(transaction, { ...trashing, experimentIds }, context);
  if (experimentIds.length === experimentsPerStep) return { experimentIds, folders: 0 };
  for (const { id } of below) await removeFolder(transaction, organizationId, id);
  const details = { name, folders: below.length };
  const entry = { ...by, organizationId, action: "folder.deleted", subject: folderId, details };
  await audit(transaction, entry, context);
  return { experimentIds, folders: below.length };
}
