import { existsSync, readdirSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import type { Bucket } from "../../buckets/bucket.ts";
import { S3Bucket } from "../../buckets/s3/bucket.ts";
import { DiskBucket } from "../../buckets/segments/disk.ts";
import { lockDirectory } from "../../database/lock.ts";
import { ConfigError } from "../../settings/options.ts";
import { ownStoreOf } from "../../settings/segment-store.ts";

/** Where backups are: a directory, or a prefix of an S3 bucket. */
export interface BackupPlace extends AsyncDisposable {
  /** As people gave it, without credentials. */
  readonly address: string;
  readonly bucket: Bucket;
  /**
   * Age at which objects of no generation are removed: younger ones may belong to one being made.
   */
  readonly orphanAgeMs: number;
  /** Whether the place holds only the files made by opening it. */
  isEmpty(): Promise<boolean>;
}

const dayMs = 24 * 60 * 60 * 1_000;
const storeDeadlineMs = 60_000;

/**
 * Opens a place. For writing, a directory is locked for this process: DirectoryInUse. A bucket
 * cannot be locked, so one backup at a time is a rule for the operator.
 */
export async function openBackupPlace(
  address: string,
  access: "read" | "write",
  variables: Readonly<Record<string, string | undefined>>,
): Promise<BackupPlace> {
  return address.startsWith("s3://")
    ? openStore(address, variables)
    : openDirectory(address, access);
}

function openDirectory(address: string, access: "read" | "write"): BackupPlace {
  if (access === "read" && !existsSync(address)) {
    throw new ConfigError(`There is no directory ${address}.`);
  }
  if (access === "write") refuseOtherThings(address);
  const lock = access === "write" ? lockDirectory(address, "directory of backups") : undefined;
  return {
    address,
    // No other process writes while this one has the directory: unfinished files are leftovers.
    bucket: new DiskBucket(resolve(address), ...(lock === undefined ? [] : [0])),
    orphanAgeMs: 0,
    isEmpty: async () => readdirSync(address).every((name) => isNothing.test(name)),
    [Symbol.asyncDispose]: async () => lock?.[Symbol.dispose](),
  };
}

/** Refuses a directory with other files, before the lock is put there. */
function refuseOtherThings(address: string): void {
  const names = existsSync(address) ? readdirSync(address) : [];
  if (names.includes(placeRecordName) || names.every((name) => isNothing.test(name))) return;
  throw otherThings(address);
}

/** The place is neither empty nor one of backups. */
export function otherThings(address: string): ConfigError {
  return new ConfigError(`${address} contains other files: name an empty place, or a new one.`);
}

/** The object by which a place of backups is known. */
export const placeRecordName = "place";

/**
 * Names allowed in an empty directory: the lock's, those that a file system has at its root, and
 * the cache of the command's compiled code, when the directory is its user's home.
 */
export const isNothing = /^(lock\.db(-journal|-wal|-shm)?|lost\+found|\.cache)$/;

function openStore(
  address: string,
  variables: Readonly<Record<string, string | undefined>>,
): BackupPlace {
  const { prefix, ...settings } = ownStoreOf("The place of a backup", address, variables);
  const bucket = new S3Bucket({ ...settings, deadlineMs: storeDeadlineMs, egress: null });
  return {
    address: `s3://${settings.bucket}/${prefix}`,
    bucket: below(`${prefix}/`, bucket),
    orphanAgeMs: dayMs,
    async isEmpty() {
      for await (const _ of bucket.list(`${prefix}/`)) return false;
      return true;
    },
    [Symbol.asyncDispose]: () => bucket[Symbol.asyncDispose](),
  };
}

/** Returns the objects of a bucket with a prefix, under the rest of their keys. */
function below(prefix: string, bucket: Bucket): Bucket {
  return {
    put: (key, parts) => bucket.put(prefix + key, parts),
    read: (key, offset, length) => bucket.read(prefix + key, offset, length),
    size: (key) => bucket.size(prefix + key),
    delete: (key) => bucket.delete(prefix + key),
    async *list(within) {
      for await (const { key, ...found } of bucket.list(prefix + within)) {
        yield { ...found, key: key.slice(prefix.length) };
      }
    },
  };
}

/** Throws ConfigError when one directory is in the other: backups would hold backups. */
export function refuseNested(place: string, directory: string): void {
  if (place.startsWith("s3://")) return;
  const inner = realPath(place);
  const outer = realPath(directory);
  if (!`${inner}${sep}`.startsWith(`${outer}${sep}`)) return;
  throw new ConfigError(`The backup must not be in the data directory ${directory}.`);
}

/** Resolves the links of a path, as far as it exists. */
function realPath(path: string): string {
  const whole = resolve(path);
  if (existsSync(whole) || whole === dirname(whole)) return realpathSync(whole);
  return join(realPath(dirname(whole)), basename(whole));
}
