import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import { manifestKeyOf } from "../../artifacts/rows/object-key.ts";
import { readUploadFiles } from "../../artifacts/rows/upload.ts";
import { type Bucket, ObjectMissing } from "../../buckets/bucket.ts";
import { DamagedObject } from "../../buckets/built-in/part.ts";
import { SymbolicLink } from "../../buckets/built-in/directory.ts";
import { identityFileName } from "../../buckets/built-in/identity.ts";
import { storedFilesOf } from "../../buckets/built-in/stored-files.ts";
import { isMissingFile } from "../../buckets/disk-failure.ts";
import type { Database } from "../../database/database.ts";
import { databaseFileName } from "../../database/sqlite.ts";
import { inParallel } from "../../ground/in-parallel.ts";
import { masterKeyFileName } from "../../settings/master-key.ts";
import { builtInFiles, builtInVersions } from "../../places/stores/built-in-check.ts";
import { type BackupFile, storeFile } from "./generation.ts";
import type { Pace } from "../../ground/pace.ts";
import type { Pieces } from "./pieces.ts";

/** Sources of a generation. */
export interface Source {
  /** Directory with the database as of one moment. */
  databaseDirectory: string;
  /** The same, opened. */
  database: Database;
  segments: Pick<Bucket, "size" | "read">;
  /** Files of the built-in location. */
  artifactsDirectory: string;
  /** The master key, only if it is to be in the backup. */
  masterKey: Uint8Array | undefined;
}

export interface Stored {
  files: BackupFile[];
  /** Files that could not be read, a sentence each. */
  problems: string[];
}

/**
 * Size of the database's pieces. Its pages change here and there: smaller pieces have more in
 * common.
 */
const databasePieceBytes = 256 * 1024;
const atOnce = 4;
/** A path whose file an operator may rewrite. */
const identityPath = `artifacts/${identityFileName}`;

/**
 * Stores all files of a source, except those that `known` shows as stored: objects and files of
 * artifacts are immutable, so that for these a name and a length suffice.
 */
export async function storeContents(
  source: Source,
  { pieces, pace, known }: { pieces: Pieces; pace: Pace; known: ReadonlyMap<string, BackupFile> },
): Promise<Stored> {
  const problems: string[] = [];
  const files: BackupFile[] = [];
  const store = (path: string, read: Reading, pieceBytes?: number) =>
    storeFile(pieces, { path, bytes: read.bytes }, pacedReadOf(read, pace), pieceBytes);
  const storePath = async (path: string, from: string, pieceBytes?: number) => {
    await using read = await readingOf(from);
    return await store(path, read, pieceBytes);
  };
  files.push(
    await storePath(
      databaseFileName,
      join(source.databaseDirectory, databaseFileName),
      databasePieceBytes,
    ),
  );
  const add = async (path: string, find: () => Promise<Reading>): Promise<void> => {
    try {
      await using read = await find();
      const before = path === identityPath ? undefined : known.get(path);
      const isThere = before?.bytes === read.bytes && before.pieces.every((one) => pieces.has(one));
      files.push(isThere ? before : await store(path, read));
    } catch (error) {
      if (!isFound(error)) throw error;
      problems.push(`${path}: ${(error as Error).message}`);
    }
  };
  await inParallel(atOnce, await segmentKeys(source.database), (key) =>
    add(`segments/${key}`, () => segmentReading(source.segments, key)),
  );
  const artifacts = await artifactFiles(source, problems);
  await inParallel(atOnce, artifacts, (path) =>
    add(`artifacts/${path}`, () => readingOf(join(source.artifactsDirectory, path))),
  );
  if (source.masterKey !== undefined) {
    const text = Buffer.from(`${Buffer.from(source.masterKey).toString("hex")}\n`);
    const read = async () => text;
    files.push(await storeFile(pieces, { path: masterKeyFileName, bytes: text.length }, read));
  }
  return { files: files.sort((a, b) => (a.path < b.path ? -1 : 1)), problems };
}

/** A file that can be read, or an object. */
interface Reading extends AsyncDisposable {
  bytes: number;
  read(offset: number, length: number): Promise<Uint8Array>;
}

function pacedReadOf(reading: Reading, pace: Pace) {
  return async (offset: number, length: number): Promise<Uint8Array> => {
    await pace.take(length);
    return reading.read(offset, length);
  };
}

async function readingOf(path: string): Promise<Reading> {
  const file = await open(path, "r");
  try {
    const { size } = await file.stat();
    return {
      bytes: size,
      async read(offset, length) {
        const bytes = Buffer.allocUnsafeSlow(length);
        const { bytesRead } = await file.read(bytes, 0, length, offset);
        return bytes.subarray(0, bytesRead);
      },
      [Symbol.asyncDispose]: () => file.close(),
    };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function segmentReading(segments: Source["segments"], key: string): Promise<Reading> {
  return {
    bytes: await segments.size(key),
    read: (offset, length) => segments.read(key, offset, length),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

async function segmentKeys(database: Database): Promise<string[]> {
  const rows = await database.read((reader) =>
    reader.all<{ key: string }>("SELECT DISTINCT key FROM segment ORDER BY key"),
  );
  return rows.map(({ key }) => key);
}

/**
 * Lists the files of committed versions, of runs and of models; files of unfinished uploads are not
 * included.
 */
export async function artifactFiles(
  { database, artifactsDirectory }: Pick<Source, "database" | "artifactsDirectory">,
  problems: string[],
): Promise<string[]> {
  const versions = await database.read(builtInVersions);
  // The installation knows the directory by it, also while it is empty.
  const paths = existsSync(join(artifactsDirectory, identityFileName)) ? [identityFileName] : [];
  const add = async (key: string, whose: string) => {
    try {
      paths.push(...(await storedFilesOf(artifactsDirectory, key)));
    } catch (error) {
      if (!isFound(error)) throw error;
      problems.push(`${whose}: ${(error as Error).message}`);
    }
  };
  for (const { artifact, version, uploadId: id, prefix } of versions) {
    const files = await database.read((reader) => readUploadFiles(reader, { id, prefix }));
    for (const key of [...files.map((file) => file.key), manifestKeyOf(prefix)])
      await add(key, `${artifact} ${version}`);
  }
  for (const { owner, path, key } of await database.read(builtInFiles))
    await add(key, `${owner} ${path}`);
  return paths;
}

/**
 * Whether a failure is a missing or damaged file, which is reported; any other one ends the backup.
 */
function isFound(error: unknown): boolean {
  return (
    error instanceof ObjectMissing ||
    error instanceof DamagedObject ||
    error instanceof SymbolicLink ||
    isMissingFile(error)
  );
}
