import type { Reader } from "../../database/database.ts";
import { type Condition, fits, type ComparedValue } from "./condition.ts";
import {
  addTags,
  folderAtPath,
  readRunFolders,
  requireRunFolder,
  type RunFolder,
} from "./folder.ts";
import { comparePositions, type OrderBy, type SearchPosition, sortValue } from "./order.ts";
import type { Stages } from "./search-statement.ts";

export interface SearchFolders {
  organizationId: string;
  stages: Stages;
  conditions: Condition[];
  orderBy: OrderBy[];
  /** Order of ids where all clauses are equal. */
  idAscending: boolean;
  limit: number;
  after: SearchPosition | undefined;
}

/** `run.searchFolders` */
export async function searchFolders(
  reader: Reader,
  { organizationId, stages, conditions, orderBy, idAscending, limit, after }: SearchFolders,
): Promise<{ folders: RunFolder[]; next: SearchPosition | undefined }> {
  const all = await readRunFolders(reader, organizationId);
  const staged = all.filter(
    ({ isDeleted }) => stages === "all" || isDeleted === (stages === "deleted"),
  );
  if (conditions.some(({ field }) => field.kind === "tag"))
    await addTags(reader, organizationId, staged);
  const places = staged
    .filter((folder) => conditions.every((one) => fits(valueOf(folder, one.field), one)))
    .map((folder) => ({
      id: folder.id,
      values: orderBy.map(({ field }) => sortValue(valueOf(folder, field))),
      folder,
    }))
    .filter(
      (place) => after === undefined || comparePositions(place, after, orderBy, idAscending) > 0,
    )
    .sort((one, other) => comparePositions(one, other, orderBy, idAscending));
  const page = places.slice(0, limit);
  const folders = page.map(({ folder }) => ({ ...folder, tags: [] }));
  await addTags(reader, organizationId, folders);
  const last = places.length > limit ? page.at(-1) : undefined;
  return { folders, next: last && { values: last.values, id: last.id } };
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
