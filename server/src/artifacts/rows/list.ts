import type { ArtifactEntry } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import type { Reader } from "../../database/database.ts";
import { type ArtifactName, findArtifact } from "./artifact.ts";
import { prefixEnd } from "./prefix.ts";
import { readVersions, type StoredVersion } from "./version.ts";

export interface StoredVersionsPage {
  versions: StoredVersion[];
  /** Name after which the next page begins; null on the last page. */
  next: string | null;
}

/**
 * `version.list`: versions above `after` in name order, at most 200 with at most 5,000 files and 4
 * MiB of metas together. A version is never split: the page ends before one that would be too much,
 * unless it is the first.
 */
export async function listVersions(
  reader: Reader,
  { after, ...name }: ArtifactName & { after: string | null },
): Promise<StoredVersionsPage> {
  const artifact = await findArtifact(reader, name);
  if (artifact === undefined) return { versions: [], next: null };
  const rows = await reader.all<{ name: string; files: number; meta_bytes: number }>(
    `SELECT name, files, octet_length(meta) AS meta_bytes FROM version
     WHERE artifact = $1 AND name > $2 ORDER BY name LIMIT $3`,
    artifact.id,
    after ?? "",
    limits.versionsPerPageMax + 1,
  );
  let files = 0;
  let metaBytes = 0;
  let count = 0;
  while (count < rows.length && count < limits.versionsPerPageMax) {
    files += rows[count].files;
    metaBytes += rows[count].meta_bytes;
    const isTooMuch = files > limits.filesPerPageMax || metaBytes > limits.metaBytesPerPageMax;
    if (count > 0 && isTooMuch) break;
    count++;
  }
  if (count === 0) return { versions: [], next: null };
  const range = { from: rows[0].name, through: rows[count - 1].name };
  const versions = await readVersions(reader, name, artifact.id, range);
  return { versions, next: count < rows.length ? range.through : null };
}

/**
 * `artifact.list`: artifacts with versions whose path begins with `under` bytewise (A36), by name.
 */
export async function listArtifacts(
  reader: Reader,
  { organizationId, under, after }: { organizationId: string; under: string; after: string | null },
): Promise<{ artifacts: ArtifactEntry[]; next: string | null }> {
  const end = prefixEnd(under);
  const rows = await reader.all<EntryRow>(
    `SELECT path, versions, bytes, latest, latest_at_ms, latest_source FROM artifact
     WHERE organization = $1 AND path >= $2 AND path > $3${end === undefined ? "" : " AND path < $5"}
       AND latest IS NOT NULL
     ORDER BY path LIMIT $4`,
    organizationId,
    under,
    after ?? "",
    limits.artifactsPerPageMax + 1,
    ...(end === undefined ? [] : [end]),
  );
  const page = rows.slice(0, limits.artifactsPerPageMax);
  return {
    artifacts: page.map((row) => ({
      artifact: row.path,
      versions: row.versions,
      bytes: row.bytes,
      latest: row.latest,
      lastCommit: new Date(row.latest_at_ms).toISOString(),
      source: row.latest_source,
    })),
    next: page.length < rows.length ? page.at(-1)!.path : null,
  };
}

interface EntryRow {
  path: string;
  versions: number;
  bytes: number;
  latest: string;
  latest_at_ms: number;
  latest_source: string;
}
