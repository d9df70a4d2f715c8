import { limits } from "@lossless/protocol/limits";
import type { Moment } from "../../ground/clock.ts";
import type { Reader, Transaction } from "../../database/database.ts";
import type { Counting } from "../../database/quotas/ledger.ts";
import { backOff } from "./back-off.ts";
import { isUnder, manifestKeyOf, uploadIdsIn } from "./object-key.ts";
import {
  findUploadFiles,
  findUpload,
  locationOf,
  readStoreUploads,
  type StoredUpload,
  unfinished,
  type UploadFile,
  type UploadState,
} from "./upload.ts";

/**
 * Why an upload was abandoned: another writer opened the artifact; a version at or above it was
 * committed; the store failed while it was begun; its writer began too many; it was pending for too
 * long; it was left while it was begun. deleted: it was a version, which was purged.
 */
export type RemovalReason =
  | "superseded"
  | "overtaken"
  | "failed"
  | "crowded"
  | "expired"
  | "unstarted"
  | "deleted";

/** A completion under way when its upload was abandoned is over: one call may take 5 minutes. */
const settleMs = 10 * 60_000;
/**
 * Time that the row of an abandoned upload is kept, to identify requests for it and objects found
 * in the store.
 */
const abandonedKeptMs = 30 * 24 * 60 * 60_000;
/** Age at which an upload that is still starting counts as interrupted; no begin takes as long. */
const startingLifetimeMs = 60 * 60_000;

/** Abandons an upload that is not finished, and queues its leftovers for removal. */
export async function abandonUpload(
  transaction: Transaction,
  uploadId: string,
  reason: RemovalReason,
  moment: Counting,
): Promise<void> {
  const abandoned = await transaction.get<{ organization: string }>(
    `UPDATE upload SET state = 'abandoned' WHERE id = $1 AND state IN ${unfinished} RETURNING organization`,
    uploadId,
  );
  if (abandoned !== undefined) moment.ledger.note(abandoned.organization, { uploads: -1 });
  const isQueued = await queueRemoval(transaction, uploadId, reason, moment);
  if (!isQueued && abandoned !== undefined) await freeUpload(transaction, uploadId, moment);
}

/** Queues the files of a version that cannot be read any more; its upload is abandoned. */
export async function removeCommitted(
  transaction: Transaction,
  uploadId: string,
  moment: Counting,
): Promise<void> {
  await transaction.run(
    "UPDATE upload SET state = 'abandoned' WHERE id = $1 AND state = 'committed'",
    uploadId,
  );
  // No completion is under way.
  const now = { nowMs: moment.nowMs - settleMs };
  const isQueued = await queueRemoval(transaction, uploadId, "deleted", now);
  if (!isQueued) await freeUpload(transaction, uploadId, moment);
}

/** Subtracts the upload's bytes from those of its organization. */
async function freeUpload(
  transaction: Transaction,
  uploadId: string,
  { ledger }: Counting,
): Promise<void> {
  const row = await transaction.get<{ organization: string; counted_bytes: number }>(
    `SELECT organization, counted_bytes FROM upload WHERE id = $1${transaction.forUpdate}`,
    uploadId,
  );
  if (row === undefined || row.counted_bytes === 0) return;
  await transaction.run("UPDATE upload SET counted_bytes = 0 WHERE id = $1", uploadId);
  ledger.note(row.organization, { bytes: -row.counted_bytes });
}

/**
 * Queues an upload for removal and returns whether it is in the queue. Does nothing for an upload
 * that is not abandoned, or whose location has lost its connection: the removal could never be
 * done. An upload that is in the queue waits anew.
 */
export async function queueRemoval(
  transaction: Transaction,
  uploadId: string,
  reason: RemovalReason,
  { nowMs }: Moment,
): Promise<boolean> {
  const queued = await transaction.run(
    `INSERT INTO removal (upload, location, reason, queued_at_ms, not_before_ms, attempts)
     SELECT id, location, $2, $3, $4, 0 FROM upload WHERE id = $1 AND state = 'abandoned'
       AND NOT EXISTS (SELECT 1 FROM location WHERE location.id = upload.location
         AND connection IS NOT NULL AND connection NOT IN (SELECT id FROM connection))
     ON CONFLICT (upload) DO UPDATE SET not_before_ms = excluded.not_before_ms`,
    uploadId,
    reason,
    nowMs,
    nowMs + settleMs,
  );
  return queued > 0;
}

/** Possible leftovers of an abandoned upload: multipart uploads, objects, a manifest. */
export interface Removal extends Pick<
  StoredUpload,
  "id" | "organizationId" | "location" | "prefix" | "storeUploads"
> {
  reason: RemovalReason;
  /**
   * Files of the upload; null once it was removed: objects that arrive later are found by the
   * prefix.
   */
  files: UploadFile[] | null;
  manifestKey: string;
  notBeforeMs: number;
  attempts: number;
}

/** `removal.due`: the oldest removals that are due, except at the locations `without`. */
export async function dueRemovals(
  reader: Reader,
  { limit, without }: { limit: number; without: string[] },
  { nowMs }: Moment,
): Promise<{ id: string; locationId: string }[]> {
  return reader.all<{ id: string; locationId: string }>(
    `SELECT upload AS id, location AS "locationId" FROM removal
     WHERE not_before_ms <= $1 AND NOT (${reader.isOneOf("location", "$2")})
     ORDER BY not_before_ms, upload LIMIT $3`,
    nowMs,
    JSON.stringify(without),
    limit,
  );
}

/** `removal.list`: ids of everything in the queue, in their order, behind `after`. */
export async function listRemovals(
  reader: Reader,
  { after, limit }: { after: string; limit: number },
): Promise<string[]> {
  const rows = await reader.all<{ upload: string }>(
    "SELECT upload FROM removal WHERE upload > $1 ORDER BY upload LIMIT $2",
    after,
    limit,
  );
  return rows.map(({ upload }) => upload);
}

/**
 * `removal.read`: one removal with its files, which may be megabytes; null when it is not in the
 * queue any more. Where `storeUploads` has null, the store may hold an upload that was not
 * recorded: `listUploads(prefix)` finds it.
 */
export async function readRemoval(
  reader: Reader,
  { uploadId }: { uploadId: string },
): Promise<Removal | null> {
  const row = await reader.get<{ reason: RemovalReason; not_before_ms: number; attempts: number }>(
    "SELECT reason, not_before_ms, attempts FROM removal WHERE upload = $1",
    uploadId,
  );
  if (row === undefined) return null;
  const upload = await findUpload(reader, uploadId);
  if (upload?.state !== "abandoned") {
    throw new Error(`BUG: removal of ${uploadId}, got ${upload?.state ?? "no upload"}`);
  }
  const { organizationId, prefix } = upload;
  const files = (await findUploadFiles(reader, upload)) ?? null;
  return {
    id: uploadId,
    organizationId,
    location: await locationOf(reader, upload),
    prefix,
    files,
    storeUploads: await readStoreUploads(reader, uploadId, files ?? []),
    reason: row.reason,
    manifestKey: manifestKeyOf(prefix),
    notBeforeMs: row.not_before_ms,
    attempts: row.attempts,
  };
}

/**
 * `removal.done`: the upload is removed. Its row stays for a month, so that a late object is known
 * as abandoned; the names of its files, which may be megabytes, are deleted. An upload queued again
 * during its removal stays in the queue.
 */
export async function removalDone(
  transaction: Transaction,
  { uploadId, notBeforeMs }: { uploadId: string; notBeforeMs: number },
  context: Counting,
): Promise<void> {
  const removed = await transaction.run(
    "DELETE FROM removal WHERE upload = $1 AND not_before_ms = $2",
    uploadId,
    notBeforeMs,
  );
  if (removed === 0) return;
  await transaction.run("DELETE FROM store_upload WHERE upload = $1", uploadId);
  await transaction.run("DELETE FROM upload_files WHERE upload = $1", uploadId);
  await freeUpload(transaction, uploadId, context);
}

/**
 * `upload.forget`: removes the rows of at most `limit` uploads that were abandoned a month ago or
 * more and of which nothing is left; the number of them.
 */
export async function forgetUploads(
  transaction: Transaction,
  { limit }: { limit: number },
  { nowMs }: Moment,
): Promise<number> {
  const rows = await transaction.all<{ id: string }>(
    `SELECT id FROM upload WHERE state = 'abandoned' AND created_at_ms < $1
       AND NOT EXISTS (SELECT 1 FROM removal WHERE removal.upload = upload.id)
     ORDER BY created_at_ms, id LIMIT $2${transaction.forUpdate}`,
    nowMs - limits.pendingUploadLifetimeMs - abandonedKeptMs,
    limit,
  );
  const ids = JSON.stringify(rows.map(({ id }) => id));
  for (const [table, column] of [
    ["store_upload", "upload"],
    ["upload_files", "upload"],
    ["upload", "id"],
  ] as const) {
    await transaction.run(`DELETE FROM ${table} WHERE ${transaction.isOneOf(column, "$1")}`, ids);
  }
  return rows.length;
}

/** `removal.failed` */
export async function removalFailed(
  transaction: Transaction,
  { uploadId }: { uploadId: string },
  moment: Moment,
): Promise<void> {
  await backOff(transaction, "removal", uploadId, moment);
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

/** Uploads that were pending for 6 days, or left for an hour while being begun, oldest first. */
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
  moment: Counting,
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
    const abandoned = await transaction.get<{ organization: string }>(
      "UPDATE upload SET state = 'abandoned' WHERE id = $1 AND state = $2 RETURNING organization",
      id,
      state,
    );
    if (abandoned === undefined) continue;
    moment.ledger.note(abandoned.organization, { uploads: -1 });
    const reason = state === "starting" ? "unstarted" : "expired";
    const isQueued = await queueRemoval(transaction, id, reason, moment);
    if (!isQueued) await freeUpload(transaction, id, moment);
    expired++;
  }
  return expired;
}

/**
 * `upload.find`: the upload to which each object or multipart upload of a store belongs, by its
 * key; null when no row knows it. An upload owns the keys of its files and its manifest, nothing
 * else. An upload whose files are forgotten owns all keys with its prefix, unless another id
 * follows: that may be an upload that these rows, an older copy, do not know. One upload's files
 * are in memory at a time.
 */
export async function findUploads(
  reader: Reader,
  { keys }: { keys: string[] },
): Promise<({ id: string; state: UploadState } | null)[]> {
  const owners: ({ id: string; state: UploadState } | null)[] = keys.map(() => null);
  const candidates = new Map<string, number[]>();
  for (const [at, key] of keys.entries()) {
    for (const id of uploadIdsIn(key)) {
      const found = candidates.get(id);
      if (found === undefined) candidates.set(id, [at]);
      else found.push(at);
    }
  }
  for (const [id, indexes] of candidates) {
    const owns = await ownershipOf(reader, id);
    if (owns === undefined) continue;
    for (const at of indexes) {
      if (owners[at] === null && owns.has(keys[at])) owners[at] = { id, state: owns.state };
    }
  }
  return owners;
}

async function ownershipOf(
  reader: Reader,
  id: string,
): Promise<{ state: UploadState; has: (key: string) => boolean } | undefined> {
  const upload = await findUpload(reader, id);
  if (upload === undefined) return undefined;
  const { state, prefix } = upload;
  const files = await findUploadFiles(reader, upload);
  if (files === undefined) return { state, has: (key) => isUnder(prefix, key) };
  const keys = new Set([...files.map(({ key }) => key), manifestKeyOf(prefix)]);
  return { state, has: (key) => keys.has(key) };
}
