import type { Reader, Transaction } from "../../../database/database.ts";
import type { Moment } from "../../../ground/clock.ts";
import { findLocation, type StoredLocation } from "../../../places/rows/locations/location.ts";
import { fileBytes } from "../../../database/quotas/amounts.ts";
import type { Counting } from "../../../database/quotas/ledger.ts";
import { backOff } from "../back-off.ts";

/** Leftovers in a store of an interrupted upload, or of a replaced or deleted file. */
export interface LeftUpload {
  id: string;
  key: string;
  bytes: number;
  location: StoredLocation;
  /** Whether the upload was a file: then only the object can be left. */
  wasFile: boolean;
}

/** `file.expire`: ends uploads of files that take too long; no commit of them succeeds any more. */
export async function expireFiles(
  transaction: Transaction,
  _: undefined,
  { nowMs }: Moment,
): Promise<number> {
  return transaction.run(
    "UPDATE file_upload SET state = 'left' WHERE state = 'writing' AND not_before_ms <= $1",
    nowMs,
  );
}

/** `file.due`: some of the leftovers that can be removed now, except at the locations `without`. */
export async function dueFiles(
  reader: Reader,
  { limit, without }: { limit: number; without: string[] },
  { nowMs }: Moment,
): Promise<LeftUpload[]> {
  const rows = await reader.all<{
    id: string;
    key: string;
    bytes: number;
    organization: string;
    location: string;
    was_file: number;
  }>(
    `SELECT id, key, bytes, organization, location, was_file FROM file_upload
     WHERE state = 'left' AND not_before_ms <= $1 AND NOT (${reader.isOneOf("location", "$2")})
     ORDER BY not_before_ms, id LIMIT $3`,
    nowMs,
    JSON.stringify(without),
    limit,
  );
  const due: LeftUpload[] = [];
  for (const { id, key, bytes, was_file: wasFile, ...row } of rows) {
    const location = await findLocation(reader, row.organization, row.location);
    if (location === undefined) throw new Error(`BUG: the upload ${id} has no location`);
    due.push({ id, key, bytes, location, wasFile: wasFile === 1 });
  }
  return due;
}

/** `file.removed`: the leftovers are removed. */
export async function fileRemoved(
  transaction: Transaction,
  { id }: { id: string },
  { ledger }: Counting,
): Promise<void> {
  const row = await transaction.get<{ organization: string; bytes: number; driver: string }>(
    `DELETE FROM file_upload WHERE id = $1 AND state = 'left' RETURNING organization, bytes,
       (SELECT driver FROM location WHERE location.id = file_upload.location) AS driver`,
    id,
  );
  if (row === undefined) return;
  const freed = fileBytes({ bytes: row.bytes, isBuiltIn: row.driver === "built-in" });
  ledger.note(row.organization, { bytes: -freed });
}

/** `file.notRemoved` */
export async function fileNotRemoved(
  transaction: Transaction,
  { id }: { id: string },
  moment: Moment,
): Promise<void> {
  await backOff(transaction, "file_upload", id, moment);
}

/**
 * `file.find`: the owner of each key of a store: a file, an upload under way or a leftover; null:
 * none of these.
 */
export async function findFileKeys(
  reader: Reader,
  { keys }: { keys: string[] },
): Promise<("file" | "known" | null)[]> {
  const ids = new Set(keys.flatMap((key) => key.split("/")));
  const found = new Map<string, "file" | "known">();
  for (const [what, table, id] of [
    ["file", "file", "upload"],
    ["known", "file_upload", "id"],
  ] as const) {
    const rows = await reader.all<{ key: string }>(
      `SELECT key FROM ${table} WHERE ${reader.isOneOf(id, "$1")}`,
      JSON.stringify([...ids]),
    );
    for (const { key } of rows) found.set(key, what);
  }
  return keys.map((key) => found.get(key) ?? null);
}
