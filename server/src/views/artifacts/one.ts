import type { ArtifactReply, PendingUpload, Place, ViewedVersion } from "@lossless/protocol";
import { limits } from "@lossless/protocol/limits";
import { shownAliases } from "../../artifacts/rows/aliases/artifact-aliases.ts";
import { versionNamed } from "../../artifacts/rows/aliases/named-version.ts";
import { unfinished } from "../../artifacts/rows/upload.ts";
import type { Reader } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { ReplyText } from "../../ground/reply-text.ts";
import { transferOf } from "../../places/rows/locations/placement.ts";
import { readShownNames } from "../../experiments/mlflow/shown-names.ts";

export interface ReadArtifact {
  organizationId: string;
  artifact: string;
  /** The only version to return: a name, `latest`, or an alias with its mark. */
  version: string | null;
  /** Versions below this name; empty at the first page. */
  after: string;
  limit: number;
  metas: boolean;
}

interface ArtifactRow extends Pick<
  ArtifactReply,
  "epoch" | "openedAtMs" | "openedBy" | "versionsTotal" | "bytes" | "latest"
> {
  id: string;
}

/** `views.artifact`: one artifact with its versions, newest first. Metas are never parsed. */
export async function readArtifact(
  reader: Reader,
  input: ReadArtifact,
  text: ReplyText,
): Promise<void> {
  const row = await reader.get<ArtifactRow>(
    `SELECT id, epoch, opened_at_ms AS "openedAtMs", opened_source AS "openedBy", versions AS "versionsTotal",
       bytes, latest FROM artifact WHERE organization = $1 AND path = $2`,
    input.organizationId,
    input.artifact,
  );
  if (row === undefined) throw new ServiceError("not_found", "There is no such artifact.");
  const { id, ...artifact } = row;
  const { version: wanted } = input;
  const version = wanted === null ? null : await versionNamed(reader, input, row, wanted);
  const page = await readVersions(reader, id, { ...input, version });
  if (input.version !== null && page.versions.length === 0) {
    throw new ServiceError("not_found", "The artifact has no such version.");
  }
  const aliases = await shownAliases(reader, input, id);
  const uploads = await readUploads(reader, id);
  const notes = await reader.all<ArtifactReply["notes"][number]>(
    `SELECT name AS note, octet_length(content) AS bytes, changed_at_ms AS "changedAtMs"
     FROM note WHERE artifact = $1 ORDER BY name`,
    id,
  );
  const head = JSON.stringify({ artifact: input.artifact, ...artifact });
  await text.add(`${head.slice(0, -1)},"versions":[`);
  for (const [at, { metaText, ...shown }] of page.versions.entries()) {
    const plain = JSON.stringify(shown satisfies Omit<ViewedVersion, "meta">);
    await text.add(at === 0 ? "" : ",");
    await text.add(input.metas ? `${plain.slice(0, -1)},"meta":${metaText}}` : plain);
  }
  const tail = JSON.stringify({ aliases, uploads, notes, next: page.next });
  await text.add(`],${tail.slice(1)}`);
}

type Version = Omit<ViewedVersion, "meta"> & { metaText: string };

/** No name of a version has this character, which follows all that they have. */
const aboveAll = "~";

const nothing: { versions: Version[]; next: null } = { versions: [], next: null };

async function readVersions(
  reader: Reader,
  artifactId: string,
  { organizationId, version, after, limit, metas }: ReadArtifact,
): Promise<{ versions: Version[]; next: string | null }> {
  const most = version === null ? Math.min(limit, limits.versionsPerPageMax) : 1;
  const above = version ?? (after === "" ? aboveAll : after);
  const found = await reader.all<{ name: string; metaBytes: number }>(
    `SELECT name, octet_length(meta) AS "metaBytes" FROM version
     WHERE artifact = $1 AND name ${version === null ? "<" : "="} $2 ORDER BY name DESC LIMIT $3`,
    artifactId,
    above,
    most + 1,
  );
  const count = metas ? fitting(found, most) : Math.min(found.length, most);
  if (count === 0) return nothing;
  const last = found[count - 1].name;
  const rows = await reader.all<VersionRow>(
    `SELECT version.name AS version, version.committed_at_ms AS "committedAtMs", version.files, version.bytes,
       version.epoch, ${metas ? "version.meta" : "''"} AS "metaText", upload.place, upload.match,
       location.id AS location, location.name AS "locationName", location.cloud, location.region,
       experiment.id AS "experimentId", experiment.slug, written.step
     FROM version JOIN upload ON upload.id = version.upload JOIN location ON location.id = version.location
     LEFT JOIN version_experiment AS written
       ON written.artifact = version.artifact AND written.version = version.name
     LEFT JOIN experiment ON experiment.id = written.experiment AND experiment.trashed_at_ms IS NULL
     WHERE version.artifact = $1 AND version.name BETWEEN $2 AND $3 ORDER BY version.name DESC`,
    artifactId,
    last,
    found[0].name,
  );
  const experimentIds = rows.flatMap(({ experimentId }) => experimentId ?? []);
  const names = await readShownNames(reader, organizationId, experimentIds);
  const versions = rows.map((row) => versionOf(row, names));
  return { versions, next: count < found.length ? last : null };
}

/**
 * Returns how many versions fit a page. As for `versions/list`, the bytes of metas together are
 * bounded; one version always fits.
 */
function fitting(found: readonly { metaBytes: number }[], most: number): number {
  let metaBytes = 0;
  let count = 0;
  while (count < found.length && count < most) {
    metaBytes += found[count].metaBytes;
    if (count > 0 && metaBytes > limits.metaBytesPerPageMax) break;
    count++;
  }
  return count;
}

interface Placed {
  location: string;
  locationName: string;
  cloud: string;
  region: string;
  place: string;
}

interface VersionRow
  extends
    Placed,
    Omit<Version, "location" | "writer" | "transfer" | "experiment">,
    Record<"experimentId" | "slug", string | null> {
  step: number | null;
}

function versionOf(
  { experimentId, slug, step, metaText, match, ...row }: VersionRow,
  names: ReadonlyMap<string, string>,
): Version {
  const { location, locationName, cloud, region, place, ...plain } = row;
  const { writer, at } = placedOf({ location, locationName, cloud, region, place });
  const experiment =
    experimentId === null || slug === null
      ? null
      : { experimentId, slug, name: names.get(experimentId) ?? null, step };
  const transfer = transferOf(writer, at);
  return { ...plain, location: at, writer, match, transfer, experiment, metaText };
}

function placedOf({ location: id, locationName: name, cloud, region, place }: Placed) {
  return { writer: JSON.parse(place) as Place, at: { id, name, cloud, region } };
}

async function readUploads(reader: Reader, artifactId: string): Promise<PendingUpload[]> {
  const rows = await reader.all<
    Placed & Omit<PendingUpload, "location" | "writer" | "expiresAtMs">
  >(
    `SELECT upload.id AS upload, upload.version, upload.epoch, upload.state, upload.created_at_ms AS "createdAtMs",
       upload.files, upload.bytes, upload.warning, upload.place, location.id AS location,
       location.name AS "locationName", location.cloud, location.region
     FROM upload JOIN location ON location.id = upload.location
     WHERE upload.artifact = $1 AND upload.state IN ${unfinished} ORDER BY upload.created_at_ms DESC, upload.id DESC`,
    artifactId,
  );
  return rows.map(({ location, locationName, cloud, region, place, ...row }) => {
    const { writer, at } = placedOf({ location, locationName, cloud, region, place });
    const expiresAtMs = row.createdAtMs + limits.pendingUploadLifetimeMs;
    return { ...row, expiresAtMs, location: at, writer };
  });
}
