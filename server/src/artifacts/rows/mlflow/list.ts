import type { Reader } from "../../../database/database.ts";
import { below } from "./below.ts";
import { type FileOwner, requireOwner } from "./owner.ts";

/** A file or folder right below a folder; a folder has no bytes. */
export interface FileEntry {
  name: string;
  bytes: number | undefined;
}

const rowsPerPage = 1_000;

/**
 * `file.list`: files and folders right below a path, the root when it is empty, in the order of
 * their bytes; nothing below a file. Deeper paths are skipped without being read, however many
 * there are.
 */
export async function listFiles(
  reader: Reader,
  { path, ...whose }: FileOwner & { path: string },
): Promise<FileEntry[]> {
  await requireOwner(reader, whose);
  const range = path === "" ? { from: "", to: undefined } : below(path);
  const start = path === "" ? 0 : path.length + 1;
  const found = new Map<string, FileEntry>();
  for (let { from } = range; ;) {
    const rows = await reader.all<{ path: string; bytes: number }>(
      `SELECT path, bytes FROM file WHERE owner = $1 AND path >= $2
         ${range.to === undefined ? "" : "AND path < $3"} ORDER BY path LIMIT ${rowsPerPage}`,
      whose.owner,
      from,
      ...(range.to === undefined ? [] : [range.to]),
    );
    for (const row of rows) {
      const rest = row.path.slice(start);
      const end = rest.indexOf("/");
      const name = end < 0 ? rest : rest.slice(0, end);
      found.set(name, { name, bytes: end < 0 ? row.bytes : undefined });
    }
    const last = rows.at(-1)?.path;
    if (rows.length < rowsPerPage || last === undefined) break;
    const end = last.indexOf("/", start);
    // After the last file, or after all files of the last folder.
    from = end < 0 ? `${last}\u0001` : below(last.slice(0, end)).to;
  }
  return [...found.values()].sort((one, other) => {
    return Buffer.compare(Buffer.from(one.name), Buffer.from(other.name));
  });
}
