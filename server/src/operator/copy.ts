import { existsSync } from "node:fs";
import { copyFile, mkdir, open } from "node:fs/promises";
import { dirname, join } from "node:path";
import { artifactFiles } from "./backup/contents.ts";
import { copyRows, digestRows, type TableDigest } from "./backup/copy-rows.ts";
import { requireNewestFormat } from "./backup/make-generation.ts";
import { readTables, type Table } from "./backup/tables.ts";
import { ObjectMissing, type SegmentBucket } from "../buckets/bucket.ts";
import { lockDirectory } from "../database/lock.ts";
import type { Database, Reader } from "../database/database.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { masterKeyFileName } from "../settings/master-key.ts";
import { ConfigError } from "../settings/options.ts";
import { ownBucket, requireSegments, writeSegments } from "../storage/claim-segments.ts";
import { refuseWorkers } from "../storage/claim-workers.ts";
import { readInstallation } from "../storage/installation.ts";
import { openDatabase } from "../storage/open-database.ts";
import { type DriverSettings, openBucket, requireData } from "../storage/open-drivers.ts";
import { empty, refuseTaken } from "./new-directory.ts";
import { verify, type Verification } from "./verify.ts";

/** One side of a copy, with the settings of a service. */
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

/** Clean-up and message of a process that ends now. */
export interface Ending {
  /** Removes the files made; undefined when they have to stay. */
  clean?: () => void;
  /** Sentence on the remains of the copy. */
  sentence: string;
}

const ofCopying =
  "no data is in the copy, and the directory of --to-data is empty: run the same command again";
const ofCommitting =
  "the database on PostgreSQL got the whole copy, or no data at all: if lossless verify finds no experiment there, " +
  "empty the directory of --to-data and run the same command again";
const ofWhole = "the copy is whole, but was not checked to its end: check it with lossless verify";

/**
 * Copies a whole installation, with its ids, keys and tokens, from a data directory to PostgreSQL
 * or back, and compares the result. No service may run on the source, so that it gets no rows that
 * the copy lacks; the target has no data. Throws ConfigError, DirectoryInUse, NewerFormat,
 * DatabaseError. Until the rows are committed, an error or a signal leaves the target's directory
 * empty, and its database without data; tables may exist, and objects of segments, which the next
 * attempt replaces. `stage` receives the consequences of an ending from now on.
 */
export async function copyInstallation(
  source: Side,
  target: Side,
  stage: (ending: Ending) => void,
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
  let ending: Ending = { clean: () => empty(target.data), sentence: ofCopying };
  stage(ending);
  const keep = (sentence: string): void => stage((ending = { sentence }));
  try {
    const copied = await copyAll(source, target, keep);
    const artifacts = target.artifacts ?? join(target.data, "artifacts");
    return { ...copied, verification: await verify({ ...target, artifacts }) };
  } catch (error) {
    if (ending.clean !== undefined) ending.clean();
    else if (error instanceof Error) {
      error.message = `${error.message.replace(/\.$/, "")}; ${ending.sentence}`;
    }
    throw error;
  }
}

async function copyAll(
  source: Side,
  target: Side,
  keep: (sentence: string) => void,
): Promise<Omit<Copied, "verification">> {
  await using from = await openDatabase(source, "write");
  await from.read(requireNewestFormat);
  await from.read(refuseRunning);
  await from.read(refuseWorkers);
  await using to =
    target.dataDirectory === undefined
      ? await openDatabase(target, "write")
      : openSqlite({ directory: target.dataDirectory });
  await migrate(to);
  await to.read(refuseRows);
  await requireSegments(source, from);
  const { hashSeed } = await from.read(readInstallation);
  const bucket = await ownBucket(target, hashSeed, undefined);
  const segments = await openBucket(source, from);
  const objects = await copyObjects(from, segments, await openBucket(target, to));
  const files = await copyFiles(source, target, from);
  // They come last, and all at once: a database that a copy cut short has left has no data. The
  // source's transaction ends first, so that no failure of its end comes behind the commit.
  const digests = await to.write(async (transaction) => {
    await takeTime(transaction);
    await writeSegments(transaction, bucket);
    const { tables, copied } = await from.read(async (reader) => {
      await takeTime(reader);
      const sqlite = reader.dialect === "sqlite" ? reader : transaction;
      return { tables: await readTables(sqlite), copied: await copyRows(reader, transaction) };
    });
    await compare(transaction, tables, copied);
    // The outcome of a commit that is cut short is not known. A directory holds the rows itself.
    if (transaction.dialect === "postgres") keep(ofCommitting);
    return copied;
  });
  keep(ofWhole);
  const rows = digests.reduce((sum, table) => sum + table.rows, 0);
  return { tables: digests.length, rows, objects, files };
}

/** Lifts PostgreSQL's timeouts: it waits while the other side works, for any time. */
async function takeTime(reader: Reader): Promise<void> {
  if (reader.dialect === "sqlite") return;
  await reader.all(
    `SELECT set_config('idle_in_transaction_session_timeout', '0', true),
       set_config('statement_timeout', '0', true)`,
  );
}

/** Reads every row of the target again. */
async function compare(
  to: Reader,
  tables: readonly Table[],
  digests: readonly TableDigest[],
): Promise<void> {
  const found = await digestRows(to, tables);
  for (const [index, { table, rows, digest }] of digests.entries()) {
    if (found[index].digest === digest) continue;
    throw new Error(
      `BUG: the table ${table} got ${found[index].rows} rows that are not the ${rows} of the source`,
    );
  }
}

/** Throws when a service runs. On PostgreSQL a node is a connection; a directory is locked. */
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

const lacking = "Nothing can be copied so: lossless verify tells what else the source lacks.";
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
    const parts = await readObject(source, key);
    // A copy that was cut short may have left one.
    await target.delete(key);
    await target.put(key, parts);
  }
  return rows.length;
}

async function readObject(source: SegmentBucket, key: string): Promise<Uint8Array[]> {
  const parts: Uint8Array[] = [];
  try {
    const size = await source.size(key);
    for (let offset = 0; offset < size; offset += pieceBytes) {
      parts.push(await source.read(key, offset, Math.min(pieceBytes, size - offset)));
    }
  } catch (error) {
    if (!(error instanceof ObjectMissing)) throw error;
    throw new ConfigError(`${error.message} ${lacking}`);
  }
  return parts;
}

/** Files of committed versions, and the master key where the source has it in its directory. */
async function copyFiles(source: Side, target: Side, database: Database): Promise<number> {
  const from = source.artifacts ?? join(source.data, "artifacts");
  const to = target.artifacts ?? join(target.data, "artifacts");
  const problems: string[] = [];
  const files = await artifactFiles({ database, artifactsDirectory: from }, problems);
  if (problems.length > 0) throw new ConfigError(`${problems[0]} ${lacking}`);
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
