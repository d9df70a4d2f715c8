import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../clock.ts";
import type { Reader, Transaction } from "../database/database.ts";
import { manifestKeyOf, uploadIdsIn } from "./object-key.ts";
import { findUpload, readFiles, unfinished, withFiles } from "./upload.ts";
import type { StoredUpload, UploadState } from "./upload.ts";

/**
 * Why an upload was abandoned: another writer opened the artifact; a version at or above it was committed; the
 * store failed while it was begun; its writer began too many; it was pending for too long; it was left while it
 * was begun.
 */
export type RemovalReason =
  | "superseded"
  | "overtaken"
  | "failed"
  | "crowded"
  | "expired"
  | "unstarted";

/** A completion that was under way when its upload was abandoned is over by then. */
const settleMs = 5 * 60_000;
/** An upload whose begin was cut short; no begin takes as long. */
const startingLifetimeMs = 60 * 60_000;
const backOffMs = 60_000;
const backOffMaxMs = 6 * 60 * 60_000;

/** Abandons one upload, if it is not finished, and queues what it left in its store. */
export async function abandonUpload(
  transaction: Transaction,
  uploadId: string,
  reason: RemovalReason,
  moment: Moment,
): Promise<void> {
  await transaction.run(
    `UPDATE upload SET state = 'abandoned' WHERE id = $1 AND state IN ${unfinished}`,
    uploadId,
  );
  await queueRemoval(transaction, uploadId, reason, moment);
}

/** Does nothing for an upload that is not abandoned. One that is in the queue waits anew. */
export async function queueRemoval(
  transaction: Transaction,
  uploadId: string,
  reason: RemovalReason,
  { nowMs }: Moment,
): Promise<void> {
  await transaction.run(
    `INSERT INTO removal (upload, location, reason, queued_at_ms, not_before_ms, attempts)
     SELECT id, location, $2, $3, $4, 0 FROM upload WHERE id = $1 AND state = 'abandoned'
     ON CONFLICT (upload) DO UPDATE SET not_before_ms = excluded.not_before_ms`,
    uploadId,
    reason,
    nowMs,
    nowMs + settleMs,
  );
}

/** What an abandoned upload may have left: multipart uploads, objects, a manifest. */
export interface DueRemoval extends Pick<
  StoredUpload,
  "id" | "organizationId" | "location" | "prefix" | "files" | "storeUploads"
> {
  reason: RemovalReason;
  manifestKey: string;
  notBeforeMs: number;
  attempts: number;
}

/**
 * `removal.due`: the oldest removals whose time has come. Where `storeUploads` has null, the store may hold an
 * upload that nobody noted: `listUploads(prefix)` finds it.
 */
export async function dueRemovals(
  reader: Reader,
  { limit }: { limit: number },
  { nowMs }: Moment,
): Promise<DueRemoval[]> {
  const rows = await reader.all<{
    upload: string;
    reason: RemovalReason;
    not_before_ms: number;
    attempts: number;
  }>(
    `SELECT removal.upload, removal.reason, removal.not_before_ms, removal.attempts
     FROM removal JOIN upload ON upload.id = removal.upload
     WHERE removal.not_before_ms <= $1 AND upload.state = 'abandoned'
     ORDER BY removal.not_before_ms, removal.upload LIMIT $2`,
    nowMs,
    limit,
  );
  const due: DueRemoval[] = [];
  for (const { upload: id, reason, not_before_ms: notBeforeMs, attempts } of rows) {
    const upload = await findUpload(reader, id);
    if (upload === undefined) throw new Error(`BUG: removal of ${id}, which is no upload`);
    const { organizationId, location, prefix, files, storeUploads } = await withFiles(
      reader,
      upload,
    );
    const manifestKey = manifestKeyOf(prefix);
    due.push({
      id,
      organizationId,
      location,
      prefix,
      files,
      storeUploads,
      reason,
      manifestKey,
      notBeforeMs,
      attempts,
    });
  }
  return due;
}

/** `removal.done`: nothing of the upload is left. Its row stays, so that a late object is known as abandoned. */
export async function removalDone(
  transaction: Transaction,
  { uploadId }: { uploadId: string },
): Promise<void> {
  const removed = await transaction.run("DELETE FROM removal WHERE upload = $1", uploadId);
  if (removed > 0) await transaction.run("DELETE FROM store_upload WHERE upload = $1", uploadId);
}

/** `removal.failed`: tried again after 1 minute, 2, 4 … at most 6 hours. */
export async function removalFailed(
  transaction: Transaction,
  { uploadId }: { uploadId: string },
  { nowMs }: Moment,
): Promise<void> {
  const row = await transaction.get<{ attempts: number }>(
    `SELECT attempts FROM removal WHERE upload = $1${transaction.forUpdate}`,
    uploadId,
  );
  if (row === undefined) return;
  const waitMs = Math.min(backOffMaxMs, backOffMs * 2 ** Math.min(row.attempts, 20));
  await transaction.run(
    "UPDATE removal SET attempts = attempts + 1, not_before_ms = $2 WHERE upload = $1",
    uploadId,
    nowMs + waitMs,
  );
}

/** `removal.counts`, for the operator's figures. */
export async function countRemovals(
  reader: Reader,
): Promise<{ queued: number; failing: number; bytes: number }> {
  const row = await reader.get<{ queued: number; failing: number; bytes: number }>(
    `SELECT count(*) AS queued, coalesce(sum(CASE WHEN removal.attempts > 0 THEN 1 ELSE 0 END), 0) AS failing,
       coalesce(sum(upload.bytes), 0) AS bytes
     FROM removal JOIN upload ON upload.id = removal.upload`,
  );
  return row ?? { queued: 0, failing: 0, bytes: 0 };
}

interface ExpiredUpload {
  id: string;
  artifact: string;
  state: UploadState;
}

/** Uploads that were pending for 6 days, or left while they were begun for an hour, oldest first. */
export async function findExpired(
  reader: Reader,
  { limit }: { limit: number },
  { nowMs }: Moment,
): Promise<ExpiredUpload[]> {
  const old = `(state = 'starting' AND created_at_ms < $1)
    OR (state IN ('pending', 'completing') AND created_at_ms < $2)`;
  return reader.all<ExpiredUpload>(
    `SELECT id, artifact, state FROM upload WHERE state IN ${unfinished} AND (${old})
     ORDER BY created_at_ms, id LIMIT $3`,
    nowMs - startingLifetimeMs,
    nowMs - limits.pendingUploadLifetimeMs,
    limit,
  );
}

/** `upload.expire`: abandons at most `limit` of them; the number of them. */
export async function expireUploads(
  transaction: Transaction,
  input: { limit: number },
  moment: Moment,
): Promise<number> {
  const rows = await findExpired(transaction, input, moment);
  // Artifacts before uploads, as everywhere; in one order among themselves.
  for (const artifact of [...new Set(rows.map((row) => row.artifact))].sort()) {
    await transaction.get(
      `SELECT id FROM artifact WHERE id = $1${transaction.forUpdate}`,
      artifact,
    );
  }
  let expired = 0;
  for (const { id, state } of rows) {
    // A begin or commit may have come first.
    const changed = await transaction.run(
      "UPDATE upload SET state = 'abandoned' WHERE id = $1 AND state = $2",
      id,
      state,
    );
    if (changed === 0) continue;
    await queueRemoval(transaction, id, state === "starting" ? "unstarted" : "expired", moment);
    expired++;
  }
  return expired;
}

/**
 * `upload.find`: to which upload each object or multipart upload of a store belongs, by its key; null when no
 * row knows it. An upload owns the keys of its files and its manifest, nothing else.
 */
export async function findUploads(
  reader: Reader,
  { keys }: { keys: string[] },
): Promise<({ id: string; state: UploadState } | null)[]> {
  const known = new Map<string, { id: string; state: UploadState; keys: Set<string> } | null>();
  const ownerOf = async (key: string) => {
    for (const id of uploadIdsIn(key)) {
      let upload = known.get(id);
      if (upload === undefined) known.set(id, (upload = await keysOfUpload(reader, id)));
      if (upload?.keys.has(key)) return { id, state: upload.state };
    }
    return null;
  };
  const owners = [];
  for (const key of keys) owners.push(await ownerOf(key));
  return owners;
}

async function keysOfUpload(
  reader: Reader,
  id: string,
): Promise<{ id: string; state: UploadState; keys: Set<string> } | null> {
  const upload = await findUpload(reader, id);
  if (upload === undefined) return null;
  const files = await readFiles(reader, upload);
  const keys = new Set([...files.map(({ key }) => key), manifestKeyOf(upload.prefix)]);
  return { id, state: upload.state, keys };
}
