import { createHash } from "node:crypto";
import type { Database, Transaction } from "../database/database.ts";
import { ConfigError } from "../settings/options.ts";
import type { DriverSettings } from "./open-drivers.ts";

const rowName = "segments";

/**
 * Requires the option when the installation keeps its segments in S3. Throws ConfigError when it is
 * missing: all segments would look lost.
 */
export async function requireSegments(
  { segments }: Pick<DriverSettings, "segments">,
  database: Database,
): Promise<string | undefined> {
  const row = await database.read((reader) =>
    reader.get<{ value: string }>("SELECT value FROM installation WHERE name = $1", rowName),
  );
  if (row !== undefined && segments === undefined) {
    throw new ConfigError(
      `The segments of this installation are in ${row.value}: give --segments.`,
    );
  }
  return row?.value;
}

/**
 * Requires that the bucket of `--segments` holds the objects of this installation and of no other,
 * before anything is stored or swept there. Throws ConfigError, and DatabaseError when the store
 * does not answer.
 */
export async function claimSegments(
  settings: DriverSettings,
  database: Database,
  hashSeed: Uint32Array,
): Promise<void> {
  const known = await requireSegments(settings, database);
  const address = await ownBucket(settings, hashSeed, known);
  if (address === undefined || known === address) return;
  await database.write((transaction) => writeSegments(transaction, address));
}

/**
 * Claims the bucket without the database, which `writeSegments` updates: returns the bucket's
 * address. `known` is the one in the database.
 */
export async function ownBucket(
  { segments, cacheDirectory }: DriverSettings,
  hashSeed: Uint32Array,
  known: string | undefined,
): Promise<string | undefined> {
  if (segments === undefined) return undefined;
  const address = `s3://${segments.bucket}/${segments.prefix}`;
  const self = createHash("sha256").update(hashSeed).digest("hex");
  const { S3Segments } = await import("../buckets/segments/s3.ts");
  await using store = new S3Segments(segments, cacheDirectory);
  const owner = await store.owner();
  if (owner === undefined && known !== undefined) {
    throw new ConfigError(`${address} does not have the segments of this installation.`);
  }
  if (owner !== undefined && owner !== self) {
    throw new ConfigError(`${address} has the segments of another installation.`);
  }
  if (owner === undefined) await store.own(self);
  return address;
}

/** Undefined: they are in the database. */
export async function writeSegments(
  transaction: Transaction,
  address: string | undefined,
): Promise<void> {
  if (address === undefined) {
    await transaction.run("DELETE FROM installation WHERE name = $1", rowName);
    return;
  }
  await transaction.run(
    `INSERT INTO installation (name, value) VALUES ($1, $2)
     ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
    rowName,
    address,
  );
}
