import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";

/**
 * Returns the folder and those above it, the root folder last; empty when there is none with this
 * id.
 */
export async function pathToRoot(
  reader: Reader,
  organizationId: string,
  folderId: string,
): Promise<string[]> {
  const rows = await reader.all<{ id: string }>(
    `WITH RECURSIVE ancestor (id, parent, distance) AS (
      SELECT id, parent, 1 FROM folder WHERE id = $1 AND organization = $2
      UNION ALL
      SELECT folder.id, folder.parent, ancestor.distance + 1
      FROM ancestor JOIN folder ON folder.id = ancestor.parent
    ) SELECT id FROM ancestor ORDER BY distance`,
    folderId,
    organizationId,
  );
  return rows.map((row) => row.id);
}

/** Levels of the folder's subtree: 1 for a folder without folders. */
export async function heightOf(reader: Reader, folderId: string): Promise<number> {
  const row = await reader.get<{ height: number }>(
    `WITH RECURSIVE descendant (id, level) AS (
      SELECT id, 1 FROM folder WHERE id = $1
      UNION ALL
      SELECT folder.id, descendant.level + 1
      FROM descendant JOIN folder ON folder.parent = descendant.id
    ) SELECT max(level) AS height FROM descendant`,
    folderId,
  );
  return row?.height ?? 0;
}

/** Returns the folders from the parent up, none for the root; throws `folder_not_found`. */
export async function pathToParent(
  reader: Reader,
  organizationId: string,
  parentFolderId: string | null,
): Promise<string[]> {
  if (parentFolderId === null) return [];
  const path = await pathToRoot(reader, organizationId, parentFolderId);
  if (path.length === 0) {
    throw new ServiceError(
      "folder_not_found",
      "There is no folder with the id in parentFolderId.",
      { folderId: parentFolderId },
    );
  }
  return path;
}

export function requireDepth(depth: number): void {
  if (depth <= limits.folderDepthMax) return;
  throw new ServiceError(
    "limit_exceeded",
    `Folders are at most ${limits.folderDepthMax} levels deep.`,
    { limit: "folderDepth", maximum: limits.folderDepthMax },
  );
}
