import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { readersWaitMs } from "./checkpoints.ts";
import { SqliteConnection } from "./node-sqlite.ts";
import { databaseFileName, requireSafeVersion } from "./sqlite.ts";

/** Sizes of a file and of its free pages. */
export interface FileUse {
  bytes: number;
  freeBytes: number;
}

/** Timeout for a transaction of the service, and of the service's own for this one. */
const busyTimeoutMs = 60_000;
/** Attempts to have the service's readers release the old pages. */
const tries = 60;

/** Thrown when there is not enough room for the copy. */
export class NoRoomToCompact extends Error {
  override name = "NoRoomToCompact";
}

export function readFileUse(directory: string): FileUse {
  const file = join(directory, databaseFileName);
  using connection = new SqliteConnection(file, { readOnly: true, timeout: busyTimeoutMs });
  return useOf(connection);
}

/**
 * Writes the database without its free pages and returns their space to the disk. A running service
 * goes on reading; its writes wait until the copy is made, and none is lost. An interruption leaves
 * all as before. Throws NoRoomToCompact.
 */
export async function compactSqlite(
  directory: string,
): Promise<{ before: FileUse; after: FileUse }> {
  const file = join(directory, databaseFileName);
  // SQLite's copy is as large as the data: not in memory, and not where /tmp may be small.
  process.env["SQLITE_TMPDIR"] = directory;
  using connection = new SqliteConnection(file, { timeout: busyTimeoutMs });
  requireSafeVersion(connection);
  connection.exec("PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA temp_store = FILE");
  connection.exec("PRAGMA checkpoint_fullfsync = ON; PRAGMA wal_autocheckpoint = 0");
  const use = useOf(connection);
  requireFreeBytes(directory, use);
  const before = { ...use, bytes: statSync(file).size };
  connection.exec("VACUUM");
  // No writes happen while it waits for readers.
  connection.exec(`PRAGMA busy_timeout = ${readersWaitMs}`);
  const checkpoint = connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  // The copy is in the WAL, and the file gets shorter when no reader needs its old pages.
  for (let left = tries; left > 0 && checkpoint.get()!["busy"] !== 0; left--) {
    await setTimeout(1_000);
  }
  return { before, after: { ...useOf(connection), bytes: statSync(file).size } };
}

function useOf(connection: SqliteConnection): FileUse {
  const number = (name: string) =>
    Number(Object.values(connection.prepare(`PRAGMA ${name}`).get()!)[0]);
  const size = number("page_size");
  return { bytes: size * number("page_count"), freeBytes: size * number("freelist_count") };
}

/** The copy is made once beside the file and once in its WAL. */
function requireFreeBytes(directory: string, { bytes, freeBytes }: FileUse): void {
  const { bavail, bsize } = statfsSync(directory);
  const wanted = 2 * (bytes - freeBytes);
  const room = bavail * bsize;
  if (room >= wanted) return;
  const gib = (value: number) => (value / 2 ** 30).toFixed(1);
  throw new NoRoomToCompact(
    `The disk of ${directory} has ${gib(room)} GiB left, and this temporarily needs ${gib(wanted)} GiB. ` +
      "Nothing was changed.",
  );
}
