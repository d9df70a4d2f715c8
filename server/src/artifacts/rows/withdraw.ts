import type { Place } from "@lossless/protocol";
import type { Transaction } from "../../database/database.ts";
import type { Moment } from "../../ground/clock.ts";
import type { Artifact } from "./artifact.ts";
import { findUpload } from "./upload.ts";
import { noteExperiment } from "./writing-experiment.ts";

/** A version whose row was deleted: its upload has all that is needed to restore the row. */
export interface WithdrawnVersion {
  upload: string;
  name: string;
  bytes: number;
}

/**
 * Removes a version from every list and read; its files stay. Undefined when the artifact has no
 * such version. Under the artifact's lock.
 */
export async function withdrawVersion(
  transaction: Transaction,
  { id }: Pick<Artifact, "id">,
  name: string,
): Promise<WithdrawnVersion | undefined> {
  const [row] = await transaction.all<WithdrawnVersion>(
    "DELETE FROM version WHERE artifact = $1 AND name = $2 RETURNING upload, name, bytes",
    id,
    name,
  );
  if (row === undefined) return undefined;
  await transaction.run(
    "DELETE FROM version_experiment WHERE artifact = $1 AND version = $2",
    id,
    name,
  );
  await sumUp(transaction, id, { versions: -1, bytes: -row.bytes });
  return row;
}

/** Puts it back where it stood. Under the artifact's lock. */
export async function putBackVersion(
  transaction: Transaction,
  uploadId: string,
  { nowMs }: Moment,
): Promise<void> {
  const upload = await findUpload(transaction, uploadId);
  if (upload?.state !== "committed") throw new Error(`BUG: no version is in upload ${uploadId}`);
  const { artifactId, organizationId, version, metaText: meta, bytes, place } = upload;
  await transaction.run(
    `INSERT INTO version (artifact, name, upload, location, epoch, committed_at_ms, files, bytes, meta, source,
       restored_at_ms)
     SELECT artifact, version, id, location, epoch, committed_at_ms, files, bytes, meta, $2, $3
     FROM upload WHERE id = $1`,
    uploadId,
    place.source,
    nowMs,
  );
  await sumUp(transaction, artifactId, { versions: 1, bytes });
  await noteExperiment(transaction, { organizationId, artifactId, version, meta });
}

/** The artifact's row says how many versions it has, how large, and which is the highest. */
async function sumUp(
  transaction: Transaction,
  id: string,
  { versions, bytes }: { versions: number; bytes: number },
): Promise<void> {
  const latest = await transaction.get<{ name: string; committed_at_ms: number; place: string }>(
    `SELECT version.name, version.committed_at_ms, upload.place
     FROM version JOIN upload ON upload.id = version.upload
     WHERE version.artifact = $1 ORDER BY version.name DESC LIMIT 1`,
    id,
  );
  const source = latest === undefined ? null : (JSON.parse(latest.place) as Place).source;
  await transaction.run(
    `UPDATE artifact SET versions = versions + $2, bytes = bytes + $3, latest = $4, latest_at_ms = $5,
       latest_source = $6 WHERE id = $1`,
    id,
    versions,
    bytes,
    latest?.name ?? null,
    latest?.committed_at_ms ?? null,
    source,
  );
}
