import { manifestKeyOf } from "../../artifacts/rows/object-key.ts";
import { readUploadFiles } from "../../artifacts/rows/upload.ts";
import { ObjectMissing } from "../../buckets/bucket.ts";
import { SymbolicLink } from "../../buckets/built-in/directory.ts";
import { DamagedObject } from "../../buckets/built-in/part.ts";
import type { BuiltInBucket } from "../../buckets/built-in/bucket.ts";
import type { Database, Reader } from "../../database/database.ts";

export interface CheckedVersion {
  artifact: string;
  version: string;
  uploadId: string;
  prefix: string;
}

/** Committed versions at the built-in location, in the order of their paths and names. */
export async function builtInVersions(reader: Reader): Promise<CheckedVersion[]> {
  return reader.all<CheckedVersion>(
    `SELECT artifact.path AS artifact, version.name AS version, upload.id AS "uploadId", upload.prefix
     FROM version JOIN artifact ON artifact.id = version.artifact JOIN upload ON upload.id = version.upload
       JOIN location ON location.id = version.location
     WHERE location.driver = 'built-in' ORDER BY artifact.path, version.name`,
  );
}

/** A file of a run or a logged model, at the built-in location. */
export interface CheckedFile {
  owner: string;
  path: string;
  key: string;
  bytes: number;
}

export async function builtInFiles(reader: Reader): Promise<CheckedFile[]> {
  return reader.all<CheckedFile>(
    `SELECT file.owner, file.path, file.key, file.bytes
     FROM file JOIN location ON location.id = file.location
     WHERE location.driver = 'built-in' ORDER BY file.owner, file.path`,
  );
}

/** Reads every byte of a file, and compares its size and checksums; a sentence for each problem. */
export function checkFile(bucket: BuiltInBucket, { key, bytes }: CheckedFile): Promise<string[]> {
  return problemsOf(bucket, key, bytes);
}

/** Committed versions that are elsewhere, which only their stores can check. */
export async function countVersionsElsewhere(reader: Reader): Promise<number> {
  const [row] = await reader.all<{ count: number }>(
    `SELECT CAST(COUNT(*) AS INTEGER) AS count
     FROM version JOIN location ON location.id = version.location WHERE location.driver <> 'built-in'`,
  );
  return row?.count ?? 0;
}

/** Reads every byte of a version's files and its manifest, and compares sizes and checksums. */
export async function checkVersion(
  database: Pick<Database, "read">,
  bucket: BuiltInBucket,
  { uploadId: id, prefix }: CheckedVersion,
  report: (sentence: string) => void,
): Promise<{ files: number; bytes: number }> {
  // The database is let go before the files are read: that may take hours.
  const files = await database.read((reader) => readUploadFiles(reader, { id, prefix }));
  let bytes = 0;
  for (const { name, key, size } of files) {
    const found = await problemsOf(bucket, key, size);
    for (const problem of found) report(`file ${JSON.stringify(name)}: ${problem}`);
    bytes += size;
  }
  for (const problem of await problemsOf(bucket, manifestKeyOf(prefix), undefined)) {
    report(`manifest: ${problem}`);
  }
  return { files: files.length, bytes };
}

async function problemsOf(
  bucket: BuiltInBucket,
  key: string,
  sizeBytes: number | undefined,
): Promise<string[]> {
  try {
    const object = await bucket.open(key);
    const problems = await object.check();
    if (sizeBytes !== undefined && object.sizeBytes !== sizeBytes) {
      problems.push(`${object.sizeBytes} bytes are stored instead of ${sizeBytes}`);
    }
    return problems;
  } catch (error) {
    const isFound =
      error instanceof ObjectMissing ||
      error instanceof DamagedObject ||
      error instanceof SymbolicLink;
    if (!isFound) throw error;
    return [error.message];
  }
}
