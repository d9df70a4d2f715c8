import type { RunFilesReply } from "@lossless/protocol";
import type { Reader } from "../../../database/database.ts";
import { type FileOwner, requireOwner } from "./owner.ts";

export interface FilesPage extends FileOwner {
  /** Path after which the page begins; empty for the first page. */
  after: string;
  limit: number;
}

/** `file.page`: the files of a run or a logged model by path, whatever their folders. */
export async function readFilePage(
  reader: Reader,
  { after, limit, ...whose }: FilesPage,
): Promise<RunFilesReply> {
  await requireOwner(reader, whose);
  const rows = await reader.all<RunFilesReply["files"][number]>(
    `SELECT path, bytes, changed_at_ms AS "changedAtMs" FROM file
     WHERE owner = $1 AND path > $2 ORDER BY path LIMIT $3`,
    whose.owner,
    after,
    limit + 1,
  );
  const files = rows.slice(0, limit);
  return { files, next: rows.length > limit ? files[limit - 1].path : null };
}
