import type { Reader } from "../../database/database.ts";
import type { WalkContext } from "../../ground/walk.ts";
import { type Condition, fits, type ComparedValue } from "./condition.ts";
import {
  addTags,
  folderAtPath,
  readRunFolders,
  requireRunFolder,
  type RunFolder,
} from "./folder.ts";
import { comparePositions, type OrderBy, type PageEnd, sortValue } from "./order.ts";
import { findPage } from "./search-pages.ts";
import type { Stages } from "./search-statement.ts";

export interface SearchFolders {
  organizationId: string;
  stages: Stages;
  conditions: Condition[];
  orderBy: OrderBy[];
  /** Order of ids where all clauses are equal. */
  idAscending: boolean;
  limit: number;
  after: PageEnd | undefined;
}

/** `run.searchFolders` */
export async function searchFolders(
  reader: Reader,
  { limit, after, ...asked }: SearchFolders,
  context: WalkContext,
): Promise<{ folders: RunFolder[]; next: PageEnd | undefined }> {
  const { organizationId, orderBy, idAscending } = asked;
  const found = new Map<string, RunFolder>();
  const find = async (among?: readonly string[]) => {
    const folders = await findFolders(reader, asked, among);
    for (const folder of folders) found.set(folder.id, folder);
    return folders;
  };
  const { ids, endAt } = await findPage(
    {
      organizationId,
      asked,
      readBehind: async (place, placesMax) =>
        (await find())
          .map((folder) => ({
            id: folder.id,
            values: orderBy.map(({ field }) => sortValue(valueOf(folder, field))),
          }))
          .filter(
            (one) => place === undefined || comparePositions(one, place, orderBy, idAscending) > 0,
          )
          .sort((one, other) => comparePositions(one, other, orderBy, idAscending))
          .slice(0, placesMax),
      findAmong: async (among) => new Set((await find(among)).map(({ id }) => id)),
    },
    after,
    limit,
    context,
  );
  const folders = ids.map((id) => ({ ...found.get(id)!, tags: [] }));
  await addTags(reader, organizationId, folders);
  return { folders, next: endAt(limit) };
}

/** Finds folders in any order; tags are there where a condition asks for one. */
async function findFolders(
  reader: Reader,
  { organizationId, stages, conditions }: Omit<SearchFolders, "limit" | "after">,
  among: readonly string[] | undefined,
): Promise<RunFolder[]> {
  const all = await readRunFolders(reader, organizationId, among);
  const staged = all.filter(
    ({ isDeleted }) => stages === "all" || isDeleted === (stages === "deleted"),
  );
  if (conditions.some(({ field }) => field.kind === "tag"))
    await addTags(reader, organizationId, staged);
  return staged.filter((folder) =>
    conditions.every((one) => fits(valueOf(folder, one.field), one)),
  );
}

function valueOf(folder: RunFolder, { kind, key }: Condition["field"]): ComparedValue {
  if (kind === "tag") return folder.tags.find((tag) => tag.key === key)?.value;
  switch (key) {
    case "name":
      return folder.name;
    case "experiment_id":
      return folder.id;
    case "creation_time":
      return folder.createdAtMs;
    case "last_update_time":
      return folder.updatedAtMs;
    default:
      throw new Error(`BUG: an experiment has no attribute ${key}`);
  }
}

/** `run.folder`: also one that is marked as deleted. */
export function readFolder(
  reader: Reader,
  { organizationId, folderId }: { organizationId: string; folderId: string },
): Promise<RunFolder> {
  return requireRunFolder(reader, organizationId, folderId);
}

/** `run.folderNamed`: null when there is no folder of this name. */
export async function readFolderNamed(
  reader: Reader,
  { organizationId, name }: { organizationId: string; name: string },
): Promise<RunFolder | null> {
  const folderId = await folderAtPath(reader, organizationId, name);
  return folderId === undefined ? null : requireRunFolder(reader, organizationId, folderId);
}
