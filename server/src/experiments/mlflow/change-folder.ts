import type { Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Moment } from "../../ground/clock.ts";
import { requireAllowed } from "./allowed-locations.ts";
import { createFolder } from "../folders/create.ts";
import { updateFolder } from "../folders/update.ts";
import {
  folderAtPath,
  requireActive,
  requireRunFolder,
  rootFolder,
  touchFolder,
} from "./folder.ts";

export interface Tag {
  key: string;
  value: string;
}

/**
 * `run.createFolder`: makes a folder at the root of exactly this name; its slashes are part of it.
 */
export async function createRunFolder(
  transaction: Transaction,
  given: { organizationId: string; name: string; artifactLocation: string | null; tags: Tag[] },
  moment: Moment,
): Promise<{ folderId: string }> {
  const { organizationId, name, artifactLocation, tags } = given;
  if (artifactLocation !== null)
    await requireAllowed(transaction, organizationId, artifactLocation);
  const taken = await folderAtPath(transaction, organizationId, name);
  if (taken !== undefined) throw alreadyExists(name);
  const data = { name, parentFolderId: null };
  const { folderId } = await createFolder(transaction, { organizationId, data }, moment);
  await transaction.run(
    `INSERT INTO run_folder (organization, folder, artifact_location, created_at_ms, updated_at_ms,
       deleted_at_ms) VALUES ($1, $2, $3, $4, $4, NULL)`,
    organizationId,
    folderId,
    artifactLocation,
    moment.nowMs,
  );
  for (const tag of tags) await writeTag(transaction, organizationId, folderId, tag);
  return { folderId };
}

function alreadyExists(name: string): ServiceError {
  return new ServiceError("folder_already_exists", `Experiment(name=${name}) already exists.`);
}

/** `run.renameFolder`: of a nested one only the last name may change. */
export async function renameRunFolder(
  transaction: Transaction,
  { organizationId, folderId, name }: { organizationId: string; folderId: string; name: string },
  { nowMs }: Moment,
): Promise<void> {
  const folder = await requireRunFolder(transaction, organizationId, folderId);
  if (folder.isDeleted) {
    throw new ServiceError("bad_request", "Cannot rename a non-active experiment.");
  }
  if (folderId === rootFolder) throw rootStays("renamed");
  if (folder.name === name) return;
  const own = await ownName(transaction, folderId);
  const above = folder.name.slice(0, folder.name.length - own.length);
  const last = name.slice(above.length);
  if (!name.startsWith(above) || last === "") {
    throw new ServiceError(
      "bad_request",
      `The experiment is inside other folders: its name has to begin with '${above}'.`,
    );
  }
  const taken = await folderAtPath(transaction, organizationId, name);
  if (taken !== undefined && taken !== folderId) throw alreadyExists(name);
  await updateFolder(transaction, { organizationId, data: { folderId, name: last } });
  await touchFolder(transaction, organizationId, folderId, nowMs);
}

async function ownName(transaction: Transaction, folderId: string): Promise<string> {
  const row = await transaction.get<{ name: string }>(
    "SELECT name FROM folder WHERE id = $1",
    folderId,
  );
  return row!.name;
}

interface MarkFolder {
  organizationId: string;
  folderId: string;
  isDeleted: boolean;
}

/** `run.markFolder`: marks a folder and its runs as deleted, or takes the marks away. */
export async function markRunFolder(
  transaction: Transaction,
  { organizationId, folderId, isDeleted }: MarkFolder,
  { nowMs }: Moment,
): Promise<void> {
  const folder = await requireRunFolder(transaction, organizationId, folderId);
  if (folder.isDeleted === isDeleted) {
    throw new ServiceError("folder_not_found", `No Experiment with id=${folderId} exists`);
  }
  if (folderId === rootFolder) throw rootStays("deleted");
  await touchFolder(transaction, organizationId, folderId, nowMs);
  const mark = isDeleted ? nowMs : null;
  await transaction.run(
    "UPDATE run_folder SET deleted_at_ms = $3 WHERE organization = $1 AND folder = $2",
    organizationId,
    folderId,
    mark,
  );
  if (isDeleted) {
    await transaction.run(
      `INSERT INTO run (experiment, user_name, start_time, end_time, status_word, artifact_location,
         points, deleted_at_ms, deleted_with_folder)
       SELECT id, '', NULL, NULL, '', NULL, 0, $3, 1 FROM experiment
       WHERE organization = $1 AND folder = $2 AND trashed_at_ms IS NULL
       ON CONFLICT (experiment) DO UPDATE SET deleted_at_ms = excluded.deleted_at_ms,
         deleted_with_folder = 1 WHERE run.deleted_at_ms IS NULL`,
      organizationId,
      folderId,
      mark,
    );
    return;
  }
  await transaction.run(
    `UPDATE run SET deleted_at_ms = NULL, deleted_with_folder = 0
     WHERE deleted_with_folder = 1
       AND experiment IN (SELECT id FROM experiment WHERE organization = $1 AND folder = $2)`,
    organizationId,
    folderId,
  );
}

function rootStays(what: string): ServiceError {
  return new ServiceError(
    "bad_request",
    `The experiment Default is the root folder; it cannot be ${what}.`,
  );
}

/** `run.setFolderTag` */
export async function setFolderTag(
  transaction: Transaction,
  { organizationId, folderId, tag }: { organizationId: string; folderId: string; tag: Tag },
  { nowMs }: Moment,
): Promise<void> {
  requireActive(await requireRunFolder(transaction, organizationId, folderId));
  await writeTag(transaction, organizationId, folderId, tag);
  await touchFolder(transaction, organizationId, folderId, nowMs);
}

/** `run.deleteFolderTag` */
export async function deleteFolderTag(
  transaction: Transaction,
  { organizationId, folderId, key }: { organizationId: string; folderId: string; key: string },
  { nowMs }: Moment,
): Promise<void> {
  requireActive(await requireRunFolder(transaction, organizationId, folderId));
  const removed = await transaction.run(
    "DELETE FROM folder_tag WHERE organization = $1 AND folder = $2 AND key = $3",
    organizationId,
    folderId,
    key,
  );
  if (removed === 0) {
    const sentence = `No tag with name: ${key} in experiment with id ${folderId}`;
    throw new ServiceError("tag_not_found", sentence);
  }
  await touchFolder(transaction, organizationId, folderId, nowMs);
}

/** Tags of one folder: they count in no quota, so there is an end to them. */
const tagsMax = 1_000;

async function writeTag(
  transaction: Transaction,
  organizationId: string,
  folderId: string,
  { key, value }: Tag,
): Promise<void> {
  await transaction.run(
    `INSERT INTO folder_tag (organization, folder, key, value) VALUES ($1, $2, $3, $4)
     ON CONFLICT (organization, folder, key) DO UPDATE SET value = excluded.value`,
    organizationId,
    folderId,
    key,
    value,
  );
  const row = await transaction.get<{ tags: number }>(
    "SELECT count(*) AS tags FROM folder_tag WHERE organization = $1 AND folder = $2",
    organizationId,
    folderId,
  );
  if (row!.tags > tagsMax)
    throw new ServiceError("limit_exceeded", `An experiment has at most ${tagsMax} tags.`);
}
