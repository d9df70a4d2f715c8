import type { Match, Place } from "@lossless/protocol";
import type { Reader, Transaction } from "../../database/database.ts";
import { findLocation, type StoredLocation } from "../../places/rows/locations/location.ts";

/**
 * The states of an upload. Only `committed` is ever visible, only `abandoned` is ever removed.
 *
 *   starting    The row is there; the store's multipart uploads are being begun. `uploadStarted`
 *               makes it pending, `uploadFailed` abandons it and begins one at another location.
 *   pending     The client sends parts. `completeUpload` makes it completing.
 *   completing  A commit completes the objects at the store, outside of any transaction. If that
 *               fails, `reopenUpload` makes it pending again; if it succeeds, `commitUpload` makes
 *               it committed. Whoever repeats the commit goes on here.
 *   committed   It is a version. Only a purge ends it: then it is abandoned.
 *   abandoned   Superseded, overtaken, failed, crowded, expired or purged (`RemovalReason`). What
 *               it left in the store is queued for removal; the row answers for it for 30 days.
 *
 * Each transition compares epoch and version under a lock of the artifact (`writerProblem`), so a
 * writer that was superseded moves nothing.
 */
export type UploadState = "starting" | "pending" | "completing" | "committed" | "abandoned";

export const unfinished = "('starting', 'pending', 'completing')";

export interface UploadFile {
  name: string;
  size: number;
  partSize: number;
  /** Number of parts, at least 1: an empty file is one empty part. */
  parts: number;
  /** The object's name in the bucket. */
  key: string;
  /** The store's name of the committed object, where it keeps several states of a key (Azure). */
  storeVersion?: string;
}

/** An upload without its files. */
export interface Upload {
  id: string;
  artifactId: string;
  organizationId: string;
  version: string;
  epoch: number;
  state: UploadState;
  locationId: string;
  match: Match | null;
  warning: string | null;
  place: Place;
  metaText: string;
  prefix: string;
  bytes: number;
  createdAtMs: number;
  /** The time that the version will bear; null before completing. */
  committedAtMs: number | null;
}

/** An upload with all that is needed to talk to its bucket. */
export interface StoredUpload extends Upload {
  location: StoredLocation;
  files: UploadFile[];
  /** The store's ids of the multipart uploads, in the files' order; null for an unknown one. */
  storeUploads: (string | null)[];
}

/**
 * Finds an upload. With `lock`, the row is fixed until the transaction ends. Always lock the
 * artifact first.
 */
export async function findUpload(
  reader: Reader,
  id: string,
  { lock = false }: { lock?: boolean } = {},
): Promise<Upload | undefined> {
  const row = await reader.get<Omit<Upload, "place"> & { place: string }>(
    `SELECT id, artifact AS "artifactId", organization AS "organizationId", version, epoch, state,
       location AS "locationId", match, warning, place, meta AS "metaText", prefix, bytes,
       created_at_ms AS "createdAtMs", committed_at_ms AS "committedAtMs"
     FROM upload WHERE id = $1${lock ? reader.forUpdate : ""}`,
    id,
  );
  return row && { ...row, place: JSON.parse(row.place) as Place };
}

export async function withFiles(reader: Reader, upload: Upload): Promise<StoredUpload> {
  const location = await locationOf(reader, upload);
  const files = await readUploadFiles(reader, upload);
  const storeUploads = await readStoreUploads(reader, upload.id, files);
  return { ...upload, location, files, storeUploads };
}

export async function locationOf(
  reader: Reader,
  { id, organizationId, locationId }: Upload,
): Promise<StoredLocation> {
  const location = await findLocation(reader, organizationId, locationId);
  if (location === undefined) throw new Error(`BUG: upload ${id} has no location`);
  return location;
}

export async function readStoreUploads(
  reader: Reader,
  uploadId: string,
  files: readonly UploadFile[],
): Promise<(string | null)[]> {
  const row = await reader.get<{ ids: string }>(
    "SELECT ids FROM store_upload WHERE upload = $1",
    uploadId,
  );
  return row === undefined ? files.map(() => null) : (JSON.parse(row.ids) as (string | null)[]);
}

export async function readUploadFiles(
  reader: Reader,
  upload: Pick<Upload, "id" | "prefix">,
): Promise<UploadFile[]> {
  const files = await findUploadFiles(reader, upload);
  if (files === undefined) throw new Error(`BUG: upload ${upload.id} has no files`);
  return files;
}

/** Undefined for an abandoned upload of which nothing is left. */
export async function findUploadFiles(
  reader: Reader,
  { id, prefix }: Pick<Upload, "id" | "prefix">,
): Promise<UploadFile[] | undefined> {
  const row = await reader.get<{ files: string }>(
    "SELECT files FROM upload_files WHERE upload = $1",
    id,
  );
  return row === undefined ? undefined : filesOf(row.files, prefix);
}

/** Keys are stored without the prefix that all of them share. */
export function filesOf(text: string, prefix: string): UploadFile[] {
  const files = JSON.parse(text) as UploadFile[];
  for (const file of files) file.key = prefix + file.key;
  return files;
}

/**
 * Records the store's version of each committed object; writes nothing where the store keeps only
 * one.
 */
export async function keepStoreVersions(
  transaction: Transaction,
  uploadId: string,
  storeVersions: readonly (string | null)[],
): Promise<void> {
  if (storeVersions.every((one) => one === null)) return;
  // As it is stored: keys without the prefix.
  const files = await findUploadFiles(transaction, { id: uploadId, prefix: "" });
  if (files?.length !== storeVersions.length) {
    throw new Error(`BUG: files of ${uploadId} got ${storeVersions.length} states`);
  }
  for (const [at, storeVersion] of storeVersions.entries()) {
    if (storeVersion !== null) files[at].storeVersion = storeVersion;
  }
  await transaction.run(
    "UPDATE upload_files SET files = $2 WHERE upload = $1",
    uploadId,
    JSON.stringify(files),
  );
}

export async function keepStoreUploads(
  transaction: Transaction,
  uploadId: string,
  ids: readonly (string | null)[],
): Promise<void> {
  await transaction.run(
    `INSERT INTO store_upload (upload, ids) VALUES ($1, $2)
     ON CONFLICT (upload) DO UPDATE SET ids = excluded.ids`,
    uploadId,
    JSON.stringify(ids),
  );
}

/**
 * `upload.state`: the state, read for every part sent to the built-in location; null when there is
 * no upload.
 */
export async function readUploadState(
  reader: Reader,
  { organizationId, uploadId }: { organizationId: string; uploadId: string },
): Promise<UploadState | null> {
  const row = await reader.get<{ state: UploadState }>(
    "SELECT state FROM upload WHERE id = $1 AND organization = $2",
    uploadId,
    organizationId,
  );
  return row?.state ?? null;
}
