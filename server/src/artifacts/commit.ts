import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { ServiceError } from "../errors.ts";
import { findLocation } from "../locations/location.ts";
import { transferOf } from "../locations/placement.ts";
import { countUsage } from "../locations/usage.ts";
import { findArtifact, uploadNotFound, writerProblem } from "./artifact.ts";
import type { Artifact, ArtifactName } from "./artifact.ts";
import { lost } from "./lost.ts";
import type { Lost } from "./lost.ts";
import { abandonUpload } from "./removal.ts";
import { findUpload, unfinished, withFiles } from "./upload.ts";
import type { StoredUpload, Upload, UploadFile } from "./upload.ts";

export interface UploadName extends ArtifactName {
  uploadId: string;
}

/** What a commit answers, the first time and every time after. */
export interface CommittedVersion {
  version: string;
  committedAtMs: number;
}

export interface SentFile {
  name: string;
  etags: string[];
}

/**
 * `upload.read`: a pending upload, to be signed again. Committed is a clash (A21), whoever asks with an old
 * epoch has to stop (A22).
 */
export async function readUpload(
  reader: Reader,
  { epoch, ...name }: UploadName & { epoch: number },
): Promise<StoredUpload> {
  const { artifact, upload } = await findOwnUpload(reader, name, false);
  const problem = writerProblem(artifact, { epoch, version: upload.version });
  if (problem?.code === "superseded") throw problem;
  if (upload.state === "committed") {
    throw new ServiceError("conflict", "The upload is committed; nothing can be added to it.");
  }
  if (upload.state !== "pending" && upload.state !== "completing") throw uploadNotFound();
  return withFiles(reader, upload);
}

/**
 * `upload.complete`, the first half of a commit: everything that can be told without the store is checked, and
 * the time that the version will bear is set. A commit that was answered before is answered again (A24).
 */
export async function completeUpload(
  transaction: Transaction,
  { epoch, files, ...name }: UploadName & { epoch: number; files: SentFile[] },
  { nowMs }: Moment,
): Promise<{ committed: CommittedVersion } | { upload: StoredUpload; committedAtMs: number }> {
  const { artifact, upload } = await findOwnUpload(transaction, name, true);
  if (upload.state === "committed") return { committed: committedVersion(upload) };
  const problem = writerProblem(artifact, { epoch, version: upload.version });
  if (problem !== undefined) throw problem;
  if (upload.state !== "pending" && upload.state !== "completing") throw uploadNotFound();
  const stored = await withFiles(transaction, upload);
  checkSentFiles(stored.files, files);
  const committedAtMs = upload.committedAtMs ?? nowMs;
  await transaction.run(
    "UPDATE upload SET state = 'completing', committed_at_ms = $2 WHERE id = $1",
    upload.id,
    committedAtMs,
  );
  return { upload: stored, committedAtMs };
}

/**
 * `upload.reopen`: the store refused or failed before the manifest was written; the upload is pending as before,
 * unless it was abandoned meanwhile.
 */
export async function reopenUpload(
  transaction: Transaction,
  name: UploadName,
): Promise<"pending" | CommittedVersion | Lost> {
  const { artifact, upload } = await findOwnUpload(transaction, name, true);
  // Another node did what this one could not.
  if (upload.state === "committed") return committedVersion(upload);
  const problem = writerProblem(artifact, upload);
  if (problem !== undefined) return lost(problem);
  if (upload.state === "abandoned") return lost(uploadNotFound());
  await transaction.run(
    "UPDATE upload SET state = 'pending', committed_at_ms = NULL WHERE id = $1 AND state = 'completing'",
    upload.id,
  );
  return "pending";
}

/**
 * `upload.commit`: the only commit point of a version. All objects are in the store when it runs. Epoch and latest
 * are compared once more under the artifact's lock; a loser's upload is abandoned.
 */
export async function commitUpload(
  transaction: Transaction,
  { committedAtMs, ...name }: UploadName & { committedAtMs: number },
  moment: Moment,
): Promise<CommittedVersion | Lost> {
  const { artifact, upload } = await findOwnUpload(transaction, name, true);
  if (upload.state === "committed") return committedVersion(upload);
  const isAlive = upload.state === "completing" || upload.state === "pending";
  const problem = writerProblem(artifact, upload) ?? (isAlive ? undefined : uploadNotFound());
  if (problem !== undefined) {
    const reason = problem.code === "not_after_latest" ? "overtaken" : "superseded";
    await abandonUpload(transaction, upload.id, reason, moment);
    return lost(problem);
  }
  await transaction.run(
    "UPDATE upload SET state = 'committed', committed_at_ms = $2 WHERE id = $1",
    upload.id,
    committedAtMs,
  );
  await insertVersion(transaction, upload, committedAtMs);
  await abandonOvertaken(transaction, upload, moment);
  await transaction.run("DELETE FROM store_upload WHERE upload = $1", upload.id);
  await countWrite(transaction, upload, moment);
  return { version: upload.version, committedAtMs };
}

/** An upload of another artifact or organization is as absent as one that never was (T10, T11). */
async function findOwnUpload(
  reader: Reader,
  { uploadId, ...name }: UploadName,
  lock: boolean,
): Promise<{ artifact: Artifact; upload: Upload }> {
  const artifact = await findArtifact(reader, name, { lock });
  const upload = artifact === undefined ? undefined : await findUpload(reader, uploadId, { lock });
  if (artifact === undefined || upload?.artifactId !== artifact.id) throw uploadNotFound();
  return { artifact, upload };
}

function committedVersion({ version, committedAtMs }: Upload): CommittedVersion {
  if (committedAtMs === null)
    throw new Error(`BUG: version ${version} is committed without a time`);
  return { version, committedAtMs };
}

/** The same names as at begin, in any order, each with one ETag a part (A23, T40). */
function checkSentFiles(files: readonly UploadFile[], sent: readonly SentFile[]): void {
  const etags = new Map(sent.map((file) => [file.name, file.etags]));
  const isSame = etags.size === sent.length && sent.length === files.length;
  if (!isSame || !files.every(({ name }) => etags.has(name))) {
    throw new ServiceError("bad_request", "files must be those of begin, each once.");
  }
  for (const { name, parts } of files) {
    const count = etags.get(name)?.length ?? 0;
    if (count === parts) continue;
    const quoted = JSON.stringify(name);
    const message = `The file ${quoted} has ${parts} parts, but ${count} ETags.`;
    throw new ServiceError("bad_request", message);
  }
}

async function insertVersion(
  transaction: Transaction,
  upload: Upload,
  committedAtMs: number,
): Promise<void> {
  const { artifactId, version, epoch, bytes, place } = upload;
  await transaction.run(
    `INSERT INTO version (artifact, name, upload, location, epoch, committed_at_ms, files, bytes, meta, source)
     SELECT artifact, version, id, location, epoch, $2, files, bytes, meta, $3 FROM upload WHERE id = $1`,
    upload.id,
    committedAtMs,
    place.source,
  );
  const moved = await transaction.run(
    `UPDATE artifact SET versions = versions + 1, bytes = bytes + $2, latest = $3, latest_at_ms = $4,
       latest_source = $5
     WHERE id = $1 AND epoch = $6 AND (latest IS NULL OR latest < $3)`,
    artifactId,
    bytes,
    version,
    committedAtMs,
    place.source,
    epoch,
  );
  if (moved !== 1) throw new Error(`BUG: version ${version} was committed against the lock`);
}

/** Uploads at or below the new version can never be committed any more (A12). */
async function abandonOvertaken(
  transaction: Transaction,
  { artifactId, version }: Upload,
  moment: Moment,
): Promise<void> {
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM upload WHERE artifact = $1 AND version <= $2 AND state IN ${unfinished} ORDER BY id`,
    artifactId,
    version,
  );
  for (const { id } of rows) await abandonUpload(transaction, id, "overtaken", moment);
}

async function countWrite(transaction: Transaction, upload: Upload, moment: Moment): Promise<void> {
  const { organizationId, locationId, place, match, bytes } = upload;
  const location = await findLocation(transaction, organizationId, locationId);
  if (location === undefined) throw new Error(`BUG: there is no location ${locationId}`);
  const entry = {
    organizationId,
    kind: "write" as const,
    placeCloud: place.cloud,
    placeRegion: place.region,
    locationId,
    match,
    transfer: transferOf(place, location),
    bytes,
  };
  await countUsage(transaction, entry, moment);
}
