import type { Transaction } from "../../database/database.ts";
import { insertRows } from "../../database/rows.ts";
import { createOrTouchHead } from "../head.ts";
import { insertExperiment } from "../open.ts";
import { changeStatus } from "../status.ts";
import { lockFolder } from "../folders/find.ts";
import { newId } from "../../ground/ids.ts";
import { rowBytes, textBytes } from "../../database/quotas/amounts.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import type { Erranding } from "../../database/errands.ts";
import type { Tag } from "./change-folder.ts";
import { requireActive, requireRunFolder, rootFolder } from "./folder.ts";
import { nameTag, randomName } from "./name.ts";

export interface CreateRun {
  organizationId: string;
  folderId: string;
  user: string;
  startTime: number | null;
  /** Tags with distinct keys. */
  tags: Tag[];
}

/** `run.create`: makes a running experiment whose slug is its id. */
export async function createRun(
  transaction: Transaction,
  { organizationId, folderId, user, startTime, tags }: CreateRun,
  context: Counting & Erranding,
): Promise<{ experimentId: string }> {
  const { nowMs, ledger, errands } = context;
  const isRoot = folderId === rootFolder;
  const folder = await requireRunFolder(transaction, organizationId, folderId);
  requireActive(folder);
  if (!isRoot) await lockFolder(transaction, organizationId, folderId);
  const id = newId(nowMs);
  const texts = { organizationId, slug: id, description: "", metaText: "{}" };
  const made = { ...texts, id, folderId: isRoot ? null : folderId };
  if ((await insertExperiment(transaction, made, context)) === undefined)
    throw new Error(`BUG: the slug ${id} is taken`);
  await createOrTouchHead(transaction, id, nowMs);
  await errands?.leave(id, "open", { organizationId });
  await changeStatus(transaction, id, "start", nowMs);
  await transaction.run(
    `INSERT INTO run (experiment, user_name, start_time, end_time, status_word, artifact_location,
       points, deleted_at_ms, deleted_with_folder)
     VALUES ($1, $2, $3, NULL, 'RUNNING', $4, 0, NULL, 0)`,
    id,
    user,
    startTime,
    folder.artifactLocation,
  );
  const isNamed = tags.some(({ key }) => key === nameTag);
  const all = isNamed ? tags : [...tags, { key: nameTag, value: randomName() }];
  const bytes = all.reduce((sum, { key, value }) => sum + rowBytes + textBytes(key, value), 0);
  await ledger.charge(organizationId, { bytes });
  const rows = all.map(({ key, value }) => [id, key, value]);
  await insertRows(transaction, "run_tag", ["experiment", "key", "value"], rows);
  return { experimentId: id };
}
