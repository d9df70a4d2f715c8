import type { Moment } from "../../ground/clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";
import { unquotedEtag } from "../../ground/etag.ts";
import { findLocation } from "../../places/rows/locations/location.ts";
import { transferOf } from "../../places/rows/locations/placement.ts";
import { countUsage } from "../../places/rows/locations/usage.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import {
  type Artifact,
  type ArtifactName,
  findArtifact,
  uploadNotFound,
  writerProblem,
} from "./artifact.ts";
import { keptRefusal, type KeptRefusal } from "./kept-refusal.ts";
import { abandonUpload, queueRemoval } from "./removal.ts";
import { noteExperiment } from "./writing-experiment.ts";
import {
  findUpload,
  keepStoreVersions,
  type StoredUpload,
  unfinished,
  type Upload,
  type UploadFile,
  withFiles,
} from "./upload.ts";

export interface UploadName extends ArtifactName {
  uploadId: string;
}

/** The result of a commit, the same every time it is repeated. */
export interface CommittedVersion {
  version: string;
  committedAtMs: number;
}

export interface SentFile {
  name: string;
  etags: string[];
}

/**
 * `upload.read`: a pending upload, to be signed again. A committed one is a conflict (A21); a
 * writer with an old epoch has to stop (A22).
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

/** The upload as accepted for a commit, with what the store needs to complete it. */
export interface AcceptedUpload {
  upload: StoredUpload;
  /** The time the version will bear, of the first commit that went on to the store's objects. */
  committedAtMs: number;
  /** ETags that the client sent, in the order of the files, without quotes. */
  etags: string[][];
  /** A commit before this one may have put objects together, and written the manifest. */
  isRepeated: boolean;
}

/**
 * `upload.complete`, the first half of a commit: checks all that can be checked without the store,
 * and sets the version's time. A commit that was answered before gets the same reply (A24).
 */
export async function completeUpload(
  transaction: Transaction,
  { epoch, files, ...name }: UploadName & { epoch: number; files: SentFile[] },
  { nowMs }: Moment,
): Promise<{ committed: CommittedVersion } | AcceptedUpload> {
  const { artifact, upload } = await findOwnUpload(transaction, name, true);
  if (upload.state === "committed") return { committed: committedVersion(upload) };
  const problem = writerProblem(artifact, { epoch, version: upload.version });
  if (problem !== undefined) throw problem;
  if (upload.state !== "pending" && upload.state !== "completing") throw uploadNotFound();
  const stored = await withFiles(transaction, upload);
  const sent = checkSentFiles(stored.files, files);
  const earlier = upload.committedAtMs === null ? null : await readEtags(transaction, upload.id);
  const committedAtMs = upload.committedAtMs ?? nowMs;
  await transaction.run(
    "UPDATE upload SET state = 'completing', committed_at_ms = $2 WHERE id = $1",
    upload.id,
    committedAtMs,
  );
  if (earlier === null) await keepEtags(transaction, upload.id, sent);
  const isRepeated = upload.committedAtMs !== null;
  return { upload: stored, committedAtMs, etags: earlier ?? sent, isRepeated };
}

/** `upload.accept`: records the parts that the store holds instead of those sent first. */
export async function acceptEtags(
  transaction: Transaction,
  { uploadId, etags, ...name }: UploadName & { etags: string[][] },
): Promise<void> {
  const { upload } = await findOwnUpload(transaction, { ...name, uploadId }, true);
  await keepEtags(transaction, upload.id, etags);
}

/**
 * `upload.reopen`: makes an upload pending again after the store refused or failed. If it was
 * abandoned meanwhile, objects that the commit made since are queued for removal. `keptAtMs` is the
 * version's time when there may be objects or a manifest of that time, else null.
 */
export async function reopenUpload(
  transaction: Transaction,
  { keptAtMs, ...name }: UploadName & { keptAtMs: number | null },
  moment: Moment,
): Promise<"pending" | CommittedVersion | KeptRefusal> {
  const { artifact, upload } = await findOwnUpload(transaction, name, true);
  // Another node succeeded where this one failed.
  if (upload.state === "committed") return committedVersion(upload);
  const problem = writerProblem(artifact, upload);
  if (upload.state === "abandoned") {
    await queueRemoval(transaction, upload.id, "superseded", moment);
    return keptRefusal(problem ?? uploadNotFound());
  }
  if (problem !== undefined) return keptRefusal(problem);
  // A commit on another node may have come further and failed: its time is not taken away.
  const from = keptAtMs === null ? "('completing')" : "('pending', 'completing')";
  await transaction.run(
    `UPDATE upload SET state = 'pending', committed_at_ms = $2 WHERE id = $1 AND state IN ${from}`,
    upload.id,
    keptAtMs,
  );
  return "pending";
}

/** The store's result of a commit. */
export interface DecidedVersion {
  committedAtMs: number;
  /**
   * Versions of the objects in the store, in the order of the files, as ArtifactBucket.complete
   * returned them.
   */
  storeVersions: (string | null)[];
}

/**
 * `upload.commit`: the only commit point of a version. All objects are in the store when it runs.
 * Epoch and latest are compared once more under the artifact's lock; a loser's upload is abandoned.
 */
export async function commitUpload(
  transaction: Transaction,
  { committedAtMs, storeVersions, ...name }: UploadName & DecidedVersion,
  moment: Counting,
): Promise<CommittedVersion | KeptRefusal> {
  const { artifact, upload } = await findOwnUpload(transaction, name, true);
  if (upload.state === "committed") return committedVersion(upload);
  const isAlive = upload.state === "completing" || upload.state === "pending";
  const problem = writerProblem(artifact, upload) ?? (isAlive ? undefined : uploadNotFound());
  if (problem !== undefined) {
    const reason = problem.code === "not_after_latest" ? "overtaken" : "superseded";
    await abandonUpload(transaction, upload.id, reason, moment);
    return keptRefusal(problem);
  }
  await transaction.run(
    "UPDATE upload SET state = 'committed', committed_at_ms = $2 WHERE id = $1",
    upload.id,
    committedAtMs,
  );
  moment.ledger.note(upload.organizationId, { uploads: -1 });
  await keepStoreVersions(transaction, upload.id, storeVersions);
  await insertVersion(transaction, upload, committedAtMs);
  await abandonOvertaken(transaction, upload, moment);
  await transaction.run("DELETE FROM store_upload WHERE upload = $1", upload.id);
  await countWrite(transaction, upload, moment);
  return { version: upload.version, committedAtMs };
}

/** An upload of another artifact or organization is as absent as one that never was (T10, T11). */
export async function findOwnUpload(
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

async function readEtags(reader: Reader, uploadId: string): Promise<string[][] | null> {
  const row = await reader.get<{ etags: string | null }>(
    "SELECT etags FROM store_upload WHERE upload = $1",
    uploadId,
  );
  return row?.etags == null ? null : (JSON.parse(row.etags) as string[][]);
}

async function keepEtags(
  transaction: Transaction,
  uploadId: string,
  etags: readonly string[][],
): Promise<void> {
  await transaction.run(
    "UPDATE store_upload SET etags = $2 WHERE upload = $1",
    uploadId,
    JSON.stringify(etags),
  );
}

/**
 * Checks for the same names as at begin, in any order, each with one ETag a part (A23, T40).
 * Returns the ETags in the order of the files, without quotes.
 */
function checkSentFiles(files: readonly UploadFile[], sent: readonly SentFile[]): string[][] {
  const etags = new Map(sent.map((file) => [file.name, file.etags]));
  const isSame = etags.size === sent.length && sent.length === files.length;
  if (!isSame || !files.every(({ name }) => etags.has(name))) {
    throw new ServiceError("bad_request", "files must be the files of begin, each once.");
  }
  return files.map(({ name, parts }) => {
    const own = etags.get(name) ?? [];
    const count = own.length;
    if (count === parts) return own.map(unquotedEtag);
    const quoted = JSON.stringify(name);
    const message = `The file ${quoted} has ${parts} parts, but ${count} ETags.`;
    throw new ServiceError("bad_request", message);
  });
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
       latest_source = $5, highest = $3
     WHERE id = $1 AND epoch = $6 AND (latest IS NULL OR latest < $3)
       AND (highest IS NULL OR highest < $3)`,
    artifactId,
    bytes,
    version,
    committedAtMs,
    place.source,
    epoch,
  );
  if (moved !== 1) throw new Error(`BUG: version ${version} was committed against the lock`);
  const { organizationId, metaText: meta } = upload;
  await noteExperiment(transaction, { organizationId, artifactId, version, meta });
}

/** Uploads at or below the new version can never be committed any more (A12). */
async function abandonOvertaken(
  transaction: Transaction,
  { artifactId, version }: Upload,
  moment: Counting,
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
