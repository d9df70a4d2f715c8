import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { DiskBucket } from "../buckets/segments/disk.ts";
import { LayeredSegments } from "../buckets/segments/layered.ts";
import { TableBucket } from "../buckets/segments/table.ts";
import { type Database, DatabaseError } from "../database/database.ts";
import type { PostgresDatabase } from "../database/postgres.ts";
import { databaseFileName } from "../database/sqlite.ts";
import { ConfigError } from "../settings/options.ts";
import type { SegmentStore } from "../settings/segment-store.ts";

export interface DriverSettings {
  dataDirectory: string | undefined;
  databaseUrl: string | undefined;
  /** Holds the password of `databaseUrl`, which then has none. */
  databasePasswordFile?: string | undefined;
  /** Addresses of the workers; in the order of their numbers once they are claimed. */
  workerUrls?: readonly string[] | undefined;
  cacheDirectory: string;
  /** An S3 bucket for sealed objects; only with `databaseUrl`. */
  segments?: SegmentStore | undefined;
}

/** Throws ConfigError if the directory has no Lossless data; for commands beside the service. */
export function requireData({ dataDirectory }: DriverSettings): void {
  if (dataDirectory === undefined || existsSync(join(dataDirectory, databaseFileName))) return;
  throw new ConfigError(`There is no data of Lossless in ${dataDirectory}.`);
}

/**
 * Refuses to make a database beside sealed points: it was lost, or is not yet copied back, and a
 * new one would take writes as if there had been no data. Throws DatabaseError (exit code 5).
 */
export function refuseLostDatabase(dataDirectory: string): void {
  const file = join(dataDirectory, databaseFileName);
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0) return;
  const segments = join(dataDirectory, "segments");
  if (!existsSync(segments) || readdirSync(segments).length === 0) return;
  throw new DatabaseError(
    "corrupt",
    `${segments} has sealed points, and ${file} is missing or empty: put it back, together with ` +
      "its -wal file, or restore a backup; to start anew use another directory.",
  );
}

/**
 * Opens the bucket of sealed objects: files of one node, or rows that all nodes see, read through
 * the connections of the thread's own database, or objects of an S3 bucket; then objects sealed
 * before are still in rows. The driver of a store is loaded only where there is one.
 */
export async function openBucket(
  settings: DriverSettings,
  database: Database | PostgresDatabase,
): Promise<SegmentBucket> {
  const { segments, cacheDirectory } = settings;
  if ("inner" in database) {
    const rows = new TableBucket(database.inner, cacheDirectory);
    if (segments === undefined) return rows;
    const { S3Segments } = await import("../buckets/segments/s3.ts");
    return new LayeredSegments(new S3Segments(segments, cacheDirectory), rows);
  }
  return new DiskBucket(join(settings.dataDirectory!, "segments"));
}
