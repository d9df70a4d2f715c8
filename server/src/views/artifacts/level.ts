import type { ArtifactListReply } from "@lossless/protocol";
import { prefixEnd } from "../../artifacts/rows/prefix.ts";
import type { Reader } from "../../database/database.ts";
import { SqlText } from "../table/sql-text.ts";
import { isGone } from "./gone.ts";

type Folder = ArtifactListReply["folders"][number];

export interface Level {
  organizationId: string;
  under: string;
  /** The last entry of the page before: a path, or a folder with its slash; else empty. */
  after: string;
  limit: number;
}

/** Paths that are read at once: more than one of them only where artifacts stand side by side. */
const pathsRead = 32;
/** Databases bound what one statement is put together from. */
const foldersTogether = 100;

/**
 * Lists the entries right below a prefix, in the order of the paths. A folder is passed over as
 * soon as its first artifact was seen, so what is read to find the entries does not grow with their
 * contents; only their sums do.
 */
export async function readLevel(
  reader: Reader,
  { organizationId, under, after, limit }: Level,
): Promise<{ folders: Folder[]; paths: string[]; next: string | null }> {
  const end = prefixEnd(under);
  const entries: string[] = [];
  let from: string | undefined = after === "" ? under : behind(after);
  while (from !== undefined && entries.length <= limit) {
    const rows: { path: string }[] = await reader.all<{ path: string }>(
      `SELECT path FROM artifact WHERE organization = $1 AND path >= $2${end === undefined ? "" : " AND path < $4"}
         AND NOT ${isGone} ORDER BY path LIMIT $3`,
      organizationId,
      from,
      pathsRead,
      ...(end === undefined ? [] : [end]),
    );
    for (const { path } of rows) {
      const entry = entryOf(path, under);
      if (entry !== entries.at(-1)) entries.push(entry);
    }
    from = rows.length < pathsRead ? undefined : behind(entries.at(-1)!);
  }
  const page = entries.slice(0, limit);
  const next = entries.length > limit ? page.at(-1)! : null;
  const folders = page.filter(isFolder);
  return {
    folders: await readSums(reader, organizationId, folders),
    paths: page.filter((entry) => !isFolder(entry)),
    next,
  };
}

function entryOf(path: string, under: string): string {
  const slash = path.indexOf("/", under.length);
  return slash === -1 ? path : path.slice(0, slash + 1);
}

function isFolder(entry: string): boolean {
  return entry.endsWith("/");
}

/** Returns the first text that an entry behind this one may have; no path holds the character 0. */
function behind(entry: string): string | undefined {
  return isFolder(entry) ? prefixEnd(entry) : `${entry}\u0001`;
}

async function readSums(
  reader: Reader,
  organizationId: string,
  folders: readonly string[],
): Promise<Folder[]> {
  const sums: Folder[] = [];
  for (let at = 0; at < folders.length; at += foldersTogether) {
    const text = new SqlText();
    const organization = text.bind(organizationId);
    const some = folders.slice(at, at + foldersTogether);
    const selects = some.map((path, place) => {
      const below = `organization = ${organization}
          AND path >= ${text.bind(path)} AND path < ${text.bind(prefixEnd(path)!)}`;
      // The sums read an index alone, which does not tell deleted artifacts; few rows of it may be.
      return `SELECT ${place} AS place,
            count(*) - (SELECT count(*) FROM artifact WHERE ${below} AND ${isGone}) AS artifacts,
            CAST(sum(versions) AS BIGINT) AS versions, CAST(sum(bytes) AS BIGINT) AS bytes,
            max(latest_at_ms) AS "lastCommitAtMs"
          FROM artifact WHERE ${below}`;
    });
    const rows = await reader.composed<Omit<Folder, "path"> & { place: number }>(
      `${selects.join(" UNION ALL ")} ORDER BY place`,
      ...text.values,
    );
    sums.push(...rows.map(({ place, ...row }) => ({ path: some[place], ...row })));
  }
  return sums;
}
