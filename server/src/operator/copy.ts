import { existsSync } from "node:fs";
import { copyFile, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { artifactFiles } from "../backup/contents.ts";
import { copyRows, digestRows, type TableDigest } from "../backup/copy-rows.ts";
import { requireNewestFormat } from "../backup/make-generation.ts";
import { readTables } from "../backup/tables.ts";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { lockDirectory } from "../database/lock.ts";
import type { Database, Reader, Transaction } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { masterKeyFileName } from "../master-key.ts";
import { ConfigError } from "../options.ts";
import { claimSegments, requireSegments } from "../storage/claim-segments.ts";
import { readInstallation } from "../storage/installation.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, openBucket, requireData } from "../storage/open-drivers.ts";
import { empty, refuseTaken } from "./new-directory.ts";
import { verify, type Verification } from "./verify.ts";

/** One side of a copy, as a service has it. */
export interface Side extends DriverSettings {
  /** The service's directory: it has master key and artifacts. */
  data: string;
  artifacts: string | undefined;
}

export interface Copied {
  tables: number;
  rows: number;
  /** Objects of segments, and files of artifacts. */
  objects: number;
  files: number;
  /** The target's, afterwards. */
  verification: Verification;
}

/**
 * Copies a whole installation, with its ids, keys and tokens, from a data directory to PostgreSQL
 * or back, and compares what is there then. No service may run on the source, so that nothing is
 * written to it that the copy lacks; the target has no data. Throws ConfigError, DirectoryInUse,
 * NewerFormat, DatabaseError. Until all is there, an error leaves nothing of it, and
 * `interruptible` is told how to clean up when a signal ends the process.
 */
export async function copyInstallation(
  source: Side,
  target: Side,
  interruptible: (clean: () => void) => void,
): Promise<Copied> {
  if ((source.databaseUrl === undefined) === (target.databaseUrl === undefined)) {
    throw new ConfigError(
      "One of source and target has to be PostgreSQL: a data directory is copied by lossless backup and restore, " +
        "a database by PostgreSQL's own tools.",
    );
  }
  requireData(source);
  refuseTaken(target.data);
  using _source =
    source.dataDirectory === undefined ? undefined : lockDirectory(source.dataDirectory);
  using _target = lockDirectory(target.data);
  const clean = () => empty(target.data);
  interruptible(clean);
  let copied: Omit<Copied, "verification">;
  try {
    copied = await copyAll(source, target);
  } catch (error) {
    clean();
    throw error;
  } finally {
    interruptible(() => undefined);
  }
  const artifacts = target.artifacts ?? join(target.data, "artifacts");
  return { ...copied, verification: await verify({ ...target, artifacts }) };
}

async function copyAll(source: Side, target: Side): Promise<Omit<Copied, "verification">> {
  await using from = await openDatabase(source, "write");
  await from.read(requireNewestFormat);
  await from.read(refuseRunning);
  await using to =
    target.dataDirectory === undefined
      ? await openDatabase(target, "write")
      : openSqlite({ directory: target.dataDirectory });
  await migrate(to);
  await to.read(refuseRows);
  await requireSegments(source, from);
  const { hashSeed } = await from.read(readInstallation);
  await claimSegments(target, to, hashSeed);
  const segments = await openBucket(source, from);
  const objects = await copyObjects(from, segments, await openBucket(target, to));
  const files = await copyFiles(source, target, from);
  // They come last, and all at once: a database that a copy cut short has left has no data.
  const digests = await from.read((reader) =>
    to.write(async (transaction) => {
      const copied = await copyRows(reader, transaction);
      await compare(reader, transaction, copied);
      return copied;
    }),
  );
  const rows = digests.reduce((sum, table) => sum + table.rows, 0);
  return { tables: digests.length, rows, objects, files };
}

/** Reads every row of the target again. */
async function compare(
  from: Reader,
  to: Transaction,
  digests: readonly TableDigest[],
): Promise<void> {
  const tables = await readTables(from.dialect === "sqlite" ? from : to);
  const found = await digestRows(to, tables);
  for (const [index, { table, rows, digest }] of digests.entries()) {
    if (found[index].digest === digest) continue;
    throw new Error(
      `BUG: the table ${table} got ${found[index].rows} rows that are not the ${rows} of the source`,
    );
  }
}

/** On PostgreSQL a node is a connection; a directory is locked. */
export async function refuseRunning(reader: Reader): Promise<void> {
  if (reader.dialect === "sqlite") return;
  const [{ others }] = await reader.all<{ others: number }>(
    `SELECT count(*)::bigint AS others FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  if (others === 0) return;
  throw new ConfigError(
    `${others} other connections to the database are open: stop all nodes and tools first, so that the copy has everything.`,
  );
}

async function refuseRows(reader: Reader): Promise<void> {
  const row = await reader.get("SELECT id FROM organization LIMIT 1");
  if (row === undefined) return;
  throw new ConfigError("The target has data: name an empty database, or a new directory.");
}

const pieceBytes = 8 * 1024 * 1024;

async function copyObjects(
  database: Database,
  source: SegmentBucket,
  target: SegmentBucket,
): Promise<number> {
  const rows = await database.read((reader) =>
    reader.all<{ key: string }>("SELECT DISTINCT key FROM segment ORDER BY key"),
  );
  for (const { key } of rows) {
    const size = await source.size(key);
    const parts: Uint8Array[] = [];
    for (let offset = 0; offset < size; offset += pieceBytes) {
      parts.push(await source.read(key, offset, Math.min(pieceBytes, size - offset)));
    }
    // A copy that was cut short may have left one.
    await target.delete(key);
    await target.put(key, parts);
  }
  return rows.length;
}

/** Files of committed versions, and the master key where the source has it in its directory. */
async function copyFiles(source: Side, target: Side, database: Database): Promise<number> {
  const from = source.artifacts ?? join(source.data, "artifacts");
  const to = target.artifacts ?? join(target.data, "artifacts");
  const problems: string[] = [];
  const files = await artifactFiles({ database, artifactsDirectory: from }, problems);
  if (problems.length > 0) throw new ConfigError(`${problems[0]} Nothing can be copied so.`);
  for (const path of files) await copyDurably(join(from, path), join(to, path));
  const key = join(source.data, masterKeyFileName);
  if (existsSync(key)) await copyDurably(key, join(target.data, masterKeyFileName));
  return files.length;
}

async function copyDurably(from: string, to: string): Promise<void> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await copyFile(from, to);
  const file = await open(to, "r+");
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}
