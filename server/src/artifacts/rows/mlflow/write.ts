import { limits } from "@lossless/protocol/limits";
import type { Reader, Transaction } from "../../../database/database.ts";
import { ServiceError } from "../../../ground/errors.ts";
import { findLocation } from "../../../places/rows/locations/location.ts";
import { countUsage } from "../../../places/rows/locations/usage.ts";
import { fileBytes } from "../../../database/quotas/amounts.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import { addLoggedFile } from "../../../experiments/logged/index-logged.ts";
import { above, below } from "./below.ts";
import type { FileName } from "./file.ts";
import { leaveFiles, type LeftFile, replacedKeptMs } from "./leave.ts";
import { isModel, lockOwner } from "./owner.ts";
import { wasCommitted } from "./parts.ts";

export interface BeginFile extends FileName {
  uploadId: string;
  locationId: string;
  key: string;
  /** Declared size; 0 when the client declared none. */
  bytes: number;
}

/**
 * `file.begin`: records an upload before the store hears of it. Returns false when the location
 * takes no writes any more and another has to be chosen. The bytes count from here on.
 */
export async function beginFile(
  transaction: Transaction,
  input: BeginFile,
  context: Counting,
): Promise<boolean> {
  const { organizationId, uploadId, locationId, key, bytes } = input;
  await lockOwner(transaction, input);
  await requireFreePath(transaction, input);
  const location = await findLocation(transaction, organizationId, locationId);
  if (location?.state !== "active") return false;
  await transaction.run(
    `INSERT INTO file_upload (id, organization, location, key, bytes, state, was_file, not_before_ms, attempts)
     VALUES ($1, $2, $3, $4, $5, 'writing', 0, $6, 0)`,
    uploadId,
    organizationId,
    locationId,
    key,
    bytes,
    context.nowMs + limits.fileSendingMsMax,
  );
  const isBuiltIn = location.driver === "built-in";
  await context.ledger.charge(organizationId, { bytes: fileBytes({ bytes, isBuiltIn }) });
  return true;
}

export interface CommitFile extends FileName {
  uploadId: string;
  bytes: number;
  storeVersion: string | null;
}

/** `file.commit`: from now on the path means this object; the one before goes an hour later. */
export async function commitFile(
  transaction: Transaction,
  input: CommitFile,
  context: Counting,
): Promise<void> {
  const { organizationId, owner, path, uploadId, bytes, storeVersion } = input;
  await lockOwner(transaction, input);
  await requireFreePath(transaction, input);
  const upload = await transaction.get<{ location: string; key: string; bytes: number }>(
    `DELETE FROM file_upload WHERE id = $1 AND organization = $2 AND state = 'writing'
     RETURNING location, key, bytes`,
    uploadId,
    organizationId,
  );
  if (upload === undefined) {
    // The reply of the commit that made it was lost.
    if (await wasCommitted(transaction, input)) return;
    throw new ServiceError("request_timeout", "The file took too long; send it again.");
  }
  const location = await findLocation(transaction, organizationId, upload.location);
  if (location === undefined) throw new Error(`BUG: the upload ${uploadId} has no location`);
  const isBuiltIn = location.driver === "built-in";
  context.ledger.note(organizationId, {
    bytes: -fileBytes({ bytes: upload.bytes, isBuiltIn }),
  });
  const before = await transaction.all<LeftFile>(
    `DELETE FROM file WHERE owner = $1 AND path = $2
     RETURNING upload AS id, organization, location, key, bytes`,
    owner,
    path,
  );
  await leaveFiles(transaction, before, context.nowMs + replacedKeptMs);
  await context.ledger.charge(organizationId, { bytes: fileBytes({ bytes, isBuiltIn }) });
  await transaction.run(
    `INSERT INTO file (owner, path, organization, location, key, upload, store_version, bytes, changed_at_ms)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    owner,
    path,
    organizationId,
    upload.location,
    upload.key,
    uploadId,
    storeVersion,
    bytes,
    context.nowMs,
  );
  if (!isModel(owner)) await addLoggedFile(transaction, owner, path);
  const usage = { organizationId, kind: "write", locationId: upload.location, bytes } as const;
  const noPlace = { placeCloud: "", placeRegion: "", match: null, transfer: "unknown" } as const;
  await countUsage(transaction, { ...usage, ...noPlace }, context);
}

export type FailedFile = Pick<BeginFile, "organizationId" | "uploadId" | "locationId" | "key">;

/**
 * `file.failed`: marks a failed upload as a leftover, removed in the next round of the sweeper;
 * recorded anew when the sweeper has removed it while it was still being sent.
 */
export async function fileFailed(
  transaction: Transaction,
  { organizationId, uploadId, locationId, key }: FailedFile,
  { nowMs, ledger }: Counting,
): Promise<void> {
  const ended = await transaction.run(
    "UPDATE file_upload SET state = 'left', not_before_ms = $2 WHERE id = $1 AND state = 'writing'",
    uploadId,
    nowMs,
  );
  if (ended > 0) return;
  const added = await transaction.run(
    `INSERT INTO file_upload (id, organization, location, key, bytes, state, was_file, not_before_ms, attempts)
     SELECT $1, $2, $3, $4, 0, 'left', 0, $5, 0
     WHERE NOT EXISTS (SELECT 1 FROM file WHERE upload = $1) ON CONFLICT (id) DO NOTHING`,
    uploadId,
    organizationId,
    locationId,
    key,
    nowMs,
  );
  if (added > 0) ledger.note(organizationId, { bytes: fileBytes({ bytes: 0, isBuiltIn: false }) });
}

/** A path is a file or a folder, and an owner has so many files. */
async function requireFreePath(reader: Reader, { owner, path }: FileName): Promise<void> {
  const range = below(path);
  const clash = await reader.get<{ path: string }>(
    `SELECT path FROM file WHERE owner = $1
       AND (${reader.isOneOf("path", "$2")} OR (path >= $3 AND path < $4)) LIMIT 1`,
    owner,
    JSON.stringify(above(path)),
    range.from,
    range.to,
  );
  if (clash !== undefined) {
    throw new ServiceError(
      "bad_request",
      clash.path.startsWith(path)
        ? `Invalid path: '${path}' is a folder.`
        : `Invalid path: '${clash.path}' is a file, not a folder.`,
    );
  }
  const { files } = (await reader.get<{ files: number }>(
    `SELECT count(*) AS files FROM
       (SELECT 1 FROM file WHERE owner = $1 AND path <> $2 LIMIT ${limits.filesPerOwnerMax}) AS others`,
    owner,
    path,
  ))!;
  if (files < limits.filesPerOwnerMax) return;
  throw new ServiceError(
    "limit_exceeded",
    `A run or a model has at most ${limits.filesPerOwnerMax} files.`,
    { limit: "filesPerOwner", maximum: limits.filesPerOwnerMax },
  );
}
