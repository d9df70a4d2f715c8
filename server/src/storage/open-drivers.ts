import { existsSync } from "node:fs";
import { join } from "node:path";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { DiskBucket } from "../buckets/disk.ts";
import { LayeredSegments } from "../buckets/layered-segments.ts";
import { S3Segments } from "../buckets/s3-segments.ts";
import { TableBucket } from "../buckets/table.ts";
import type { Database } from "../database/database.ts";
import { openPostgres, type PostgresDatabase } from "../database/postgres.ts";
import { databaseFileName, openSqlite } from "../database/sqlite.ts";
import { ConfigError } from "../options.ts";
import type { SegmentStore } from "../segment-store.ts";

export interface DriverSettings {
  dataDirectory: string | undefined;
  databaseUrl: string | undefined;
  cacheDirectory: string;
  /** An S3 bucket for sealed objects; only with `databaseUrl`. */
  segments?: SegmentStore | undefined;
}

/** For commands beside the service: throws ConfigError when the directory holds no data of Lossless. */
export function requireData({ dataDirectory }: DriverSettings): void {
  if (dataDirectory === undefined || existsSync(join(dataDirectory, databaseFileName))) return;
  throw new ConfigError(`There is no data of Lossless in ${dataDirectory}.`);
}

/** SQLite in the data directory, or PostgreSQL. Each thread opens its own. */
export function openDatabase(
  settings: DriverSettings,
  access: "read" | "write",
): Database | PostgresDatabase {
  if (settings.databaseUrl !== undefined) return openPostgres({ url: settings.databaseUrl });
  return openSqlite({ directory: settings.dataDirectory!, readOnly: access === "read" });
}

/**
 * Sealed objects: files of one node, or rows that all nodes see, read through the connections of the thread's
 * own database, or objects of an S3 bucket; then what was sealed before is still in rows.
 */
export function openBucket(
  settings: DriverSettings,
  database: Database | PostgresDatabase,
): SegmentBucket {
  const { segments, cacheDirectory } = settings;
  if ("inner" in database) {
    const rows = new TableBucket(database.inner, cacheDirectory);
    if (segments === undefined) return rows;
    return new LayeredSegments(new S3Segments(segments, cacheDirectory), rows);
  }
  return new DiskBucket(join(settings.dataDirectory!, "segments"));
}
