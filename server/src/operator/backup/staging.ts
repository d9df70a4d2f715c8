import { randomBytes } from "node:crypto";
import { rmSync, statfsSync, statSync } from "node:fs";
import { link, mkdir, readdir, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isMissingFile } from "../../buckets/disk-failure.ts";
import { DirectoryInUse, lockDirectory } from "../../database/lock.ts";
import { snapshotSqlite } from "../../database/sqlite-snapshot.ts";
import { databaseFileName } from "../../database/sqlite.ts";
import { ConfigError } from "../../settings/options.ts";
import type { Pace } from "../../ground/pace.ts";

const prefix = "backup-in-work-";

/** A temporary directory for a backup, removed at its end. */
export class Staging implements AsyncDisposable {
  readonly directory: string;
  readonly #lock: Disposable;

  private constructor(directory: string, lock: Disposable) {
    this.directory = directory;
    this.#lock = lock;
  }

  /** Makes the directory; removes those of crashed backups in the same parent, too. */
  static async begin(parent: string): Promise<Staging> {
    await mkdir(parent, { recursive: true, mode: 0o700 });
    for (const name of await readdir(parent)) {
      if (name.startsWith(prefix)) await removeIfAbandoned(join(parent, name));
    }
    const directory = join(parent, prefix + randomBytes(6).toString("hex"));
    return new Staging(directory, lockDirectory(directory));
  }

  /** Removes the directory at once, for a signal that ends the process. */
  removeNow(): void {
    this.#lock[Symbol.dispose]();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#lock[Symbol.dispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/**
 * Takes the state of an embedded installation, which may run: a copy of its database in
 * `directory`, and below `segments` there a second name for every object in the copy, so that a
 * merge that replaces them removes none that is still to be copied. Objects removed in between have
 * none. On another file system there are no second names, and objects are read in their place.
 * Throws ConfigError when there is no room for the copy.
 */
export async function takeSnapshot(
  dataDirectory: string,
  directory: string,
  pace: Pace,
): Promise<{ takenAtMs: number; segmentsDirectory: string }> {
  requireFreeBytes(dataDirectory, directory);
  let takenAtMs = 0;
  let segmentsDirectory = join(directory, "segments");
  await snapshotSqlite(
    dataDirectory,
    directory,
    async (all) => {
      takenAtMs = Date.now();
      const keys = all<{ key: string }>("SELECT key FROM segment").map(({ key }) => key);
      const inPlace = join(dataDirectory, "segments");
      if (!(await hold(keys, inPlace, segmentsDirectory))) segmentsDirectory = inPlace;
    },
    (bytes) => pace.takeSynchronously(bytes),
  );
  return { takenAtMs, segmentsDirectory };
}

/** Gives objects second names; false where files cannot have them. */
async function hold(keys: readonly string[], from: string, to: string): Promise<boolean> {
  const made = new Set<string>();
  for (const key of keys) {
    const held = join(to, key);
    if (!made.has(dirname(held))) await mkdir(dirname(held), { recursive: true, mode: 0o700 });
    made.add(dirname(held));
    try {
      await link(join(from, key), held);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== undefined && withoutLinks.has(code)) return false;
      if (!isMissingFile(error)) throw error;
    }
  }
  return true;
}

/**
 * Error codes of another file system, of one without hard links, or with no more of them for this
 * file.
 */
const withoutLinks = new Set(["EXDEV", "EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

/** Bytes to leave free: by default the service refuses writes below this. */
const bytesLeftFree = 256 * 1024 * 1024;

function requireFreeBytes(dataDirectory: string, directory: string): void {
  const { size } = statSync(join(dataDirectory, databaseFileName));
  const { bavail, bsize } = statfsSync(directory);
  if (bavail * bsize - size >= bytesLeftFree) return;
  throw new ConfigError(
    `There is no room for a copy of the database (${size} bytes) beside ${directory}: name another directory with --staging.`,
  );
}

async function removeIfAbandoned(directory: string): Promise<void> {
  try {
    lockDirectory(directory)[Symbol.dispose]();
  } catch (error) {
    if (error instanceof DirectoryInUse) return;
    throw error;
  }
  await rm(directory, { recursive: true, force: true });
}
