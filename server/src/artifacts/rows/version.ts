import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { findLocation, type StoredLocation } from "../../places/rows/locations/location.ts";
import { versionNamed } from "./aliases/named-version.ts";
import { type ArtifactName, findArtifact } from "./artifact.ts";
import { filesOf, type UploadFile } from "./upload.ts";

/** A committed version, with the fields needed to sign its files. */
export interface StoredVersion {
  artifact: string;
  version: string;
  committedAtMs: number;
  location: StoredLocation;
  bytes: number;
  /** JSON as the writer sent it, compact; it is never parsed here. */
  metaText: string;
  source: string;
  files: UploadFile[];
}

/** `version.read`: one version by its name, `latest`, or an alias with its mark. */
export async function readVersion(
  reader: Reader,
  { version, ...name }: ArtifactName & { version: string },
): Promise<StoredVersion> {
  const artifact = await findArtifact(reader, name);
  if (artifact !== undefined) {
    const wanted = await versionNamed(reader, name, artifact, version);
    const range = { from: wanted, through: wanted };
    const [found] = await readVersions(reader, name, artifact.id, range);
    if (found !== undefined) return found;
  }
  throw new ServiceError("not_found", "The artifact has no such version.");
}

/** Returns the highest version; undefined when there is none. */
export async function findLatest(
  reader: Reader,
  name: ArtifactName,
): Promise<StoredVersion | undefined> {
  const artifact = await findArtifact(reader, name);
  if (artifact === undefined || artifact.latest === null) return undefined;
  const range = { from: artifact.latest, through: artifact.latest };
  const [found] = await readVersions(reader, name, artifact.id, range);
  return found;
}

/** Versions from one name through another, both included, in name order. */
export async function readVersions(
  reader: Reader,
  { organizationId, artifact }: ArtifactName,
  artifactId: string,
  { from, through }: { from: string; through: string },
): Promise<StoredVersion[]> {
  const rows = await reader.all<
    Omit<StoredVersion, "artifact" | "location" | "files"> &
      Record<"location" | "prefix" | "files", string>
  >(
    `SELECT version.name AS version, version.committed_at_ms AS "committedAtMs", version.location, version.bytes,
       version.meta AS "metaText", version.source, upload.prefix, upload_files.files
     FROM version JOIN upload ON upload.id = version.upload JOIN upload_files ON upload_files.upload = version.upload
     WHERE version.artifact = $1 AND version.name >= $2 AND version.name <= $3 ORDER BY version.name`,
    artifactId,
    from,
    through,
  );
  const locations = new Map<string, StoredLocation>();
  for (const { location: id } of rows) {
    if (locations.has(id)) continue;
    const location = await findLocation(reader, organizationId, id);
    if (location === undefined) throw new Error(`BUG: a version has no location ${id}`);
    locations.set(id, location);
  }
  return rows.map(({ location, prefix, files, ...row }) => ({
    ...row,
    artifact,
    location: locations.get(location)!,
    files: filesOf(files, prefix),
  }));
}
