import type { Reader, Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";

/** The root, as MLflow's clients name it: its experiment `Default`. */
export const rootFolder = "0";
export const rootName = "Default";

/** A folder as an experiment of MLflow. */
export interface RunFolder {
  id: string;
  /** The names from the root, joined. */
  name: string;
  artifactLocation: string | null;
  createdAtMs: number;
  updatedAtMs: number;
  isDeleted: boolean;
  tags: { key: string; value: string }[];
}

interface Row {
  id: string;
  parent: string | null;
  name: string;
  artifact_location: string | null;
  created_at_ms: number;
  updated_at_ms: number | null;
  deleted_at_ms: number | null;
}

/**
 * All of an organization, the root among them, in the order of their ids; or the given ones that it
 * has. Without their tags.
 */
export async function readRunFolders(
  reader: Reader,
  organizationId: string,
  ids?: readonly string[],
): Promise<RunFolder[]> {
  const given = ids === undefined ? [] : [JSON.stringify(ids)];
  const above = `WITH RECURSIVE above (id, parent) AS (
       SELECT id, parent FROM folder WHERE organization = $1 AND ${reader.isOneOf("id", "$2")}
       UNION SELECT folder.id, folder.parent FROM above JOIN folder ON folder.id = above.parent)`;
  const rows = await reader.all<Row>(
    `${ids === undefined ? "" : above}
     SELECT folder.id, folder.parent, folder.name, run_folder.artifact_location,
       folder.created_at_ms, run_folder.updated_at_ms, run_folder.deleted_at_ms
     FROM folder LEFT JOIN run_folder
       ON run_folder.organization = folder.organization AND run_folder.folder = folder.id
     WHERE folder.organization = $1 ${ids === undefined ? "" : "AND folder.id IN (SELECT id FROM above)"}
     ORDER BY folder.id`,
    organizationId,
    ...given,
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  const path = ({ parent, name }: Row): string =>
    parent === null ? name : `${path(byId.get(parent)!)}/${name}`;
  const wanted = ids && new Set(ids);
  const nested = rows
    .filter(({ id }) => wanted?.has(id) !== false)
    .map((row) => folderOf(row, path(row)));
  if (wanted?.has(rootFolder) === false) return nested;
  return [await readRoot(reader, organizationId), ...nested];
}

/** Finds a folder with its tags; undefined when there is none, or it is another organization's. */
export async function findFolder(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<RunFolder | undefined> {
  const found = await readRunFolders(reader, organizationId, [id]);
  await addTags(reader, organizationId, found);
  return found[0];
}

export async function requireRunFolder(
  reader: Reader,
  organizationId: string,
  id: string,
): Promise<RunFolder> {
  const folder = await findFolder(reader, organizationId, id);
  if (folder === undefined) {
    throw new ServiceError("folder_not_found", `No Experiment with id=${id} exists`);
  }
  return folder;
}

export function requireActive({ id, isDeleted }: RunFolder): void {
  if (!isDeleted) return;
  throw new ServiceError(
    "bad_request",
    `The experiment ${id} must be in the 'active' state. Current state is deleted.`,
  );
}

/**
 * Returns the id of the folder whose joined names equal the path; names may have slashes
 * themselves.
 */
export async function folderAtPath(
  reader: Reader,
  organizationId: string,
  name: string,
): Promise<string | undefined> {
  if (name === rootName) return rootFolder;
  const leads = (path: string) =>
    `(${path} = CAST($2 AS TEXT) OR substr(CAST($2 AS TEXT), 1, length(${path}) + 1) = ${path} || '/')`;
  const below = "named.path || '/' || folder.name";
  const row = await reader.get<{ id: string }>(
    `WITH RECURSIVE named (id, path) AS (
       SELECT id, name FROM folder WHERE organization = $1 AND parent IS NULL AND ${leads("name")}
       UNION ALL SELECT folder.id, ${below} FROM named JOIN folder ON folder.parent = named.id
       WHERE ${leads(`(${below})`)})
     SELECT id FROM named WHERE path = CAST($2 AS TEXT) ORDER BY id LIMIT 1`,
    organizationId,
    name,
  );
  return row?.id;
}

/** Reads the tags of all of them, by key. */
export async function addTags(
  reader: Reader,
  organizationId: string,
  folders: readonly RunFolder[],
): Promise<void> {
  if (folders.length === 0) return;
  const byId = new Map(folders.map((folder) => [folder.id, folder]));
  const rows = await reader.all<{ folder: string; key: string; value: string }>(
    `SELECT folder, key, value FROM folder_tag
     WHERE organization = $1 AND ${reader.isOneOf("folder", "$2")} ORDER BY folder, key`,
    organizationId,
    JSON.stringify([...byId.keys()]),
  );
  for (const { folder, key, value } of rows) byId.get(folder)!.tags.push({ key, value });
}

/** Notes a change of a folder through MLflow. */
export async function touchFolder(
  transaction: Transaction,
  organizationId: string,
  folder: string,
  nowMs: number,
): Promise<void> {
  await transaction.run(
    `INSERT INTO run_folder (organization, folder, artifact_location, created_at_ms, updated_at_ms,
       deleted_at_ms)
     VALUES ($1, $2, NULL, $3, $3, NULL)
     ON CONFLICT (organization, folder) DO UPDATE SET updated_at_ms = excluded.updated_at_ms`,
    organizationId,
    folder,
    nowMs,
  );
}

async function readRoot(reader: Reader, organizationId: string): Promise<RunFolder> {
  const row = await reader.get<{ created_at_ms: number; updated_at_ms: number | null }>(
    `SELECT organization.created_at_ms, run_folder.updated_at_ms FROM organization
     LEFT JOIN run_folder ON organization = organization.id AND folder = '${rootFolder}'
     WHERE organization.id = $1`,
    organizationId,
  );
  const { created_at_ms: createdAtMs = 0, updated_at_ms: updatedAtMs = null } = row ?? {};
  return {
    id: rootFolder,
    name: rootName,
    artifactLocation: null,
    createdAtMs,
    updatedAtMs: updatedAtMs ?? createdAtMs,
    isDeleted: false,
    tags: [],
  };
}

function folderOf(row: Row, name: string): RunFolder {
  return {
    id: row.id,
    name,
    artifactLocation: row.artifact_location,
    createdAtMs: row.created_at_ms,
    updatedAtMs: row.updated_at_ms ?? row.created_at_ms,
    isDeleted: row.deleted_at_ms !== null,
    tags: [],
  };
}
