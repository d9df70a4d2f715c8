import { chmodSync, mkdirSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { syncDirectorySync } from "../ground/durable-file.ts";
import { createPrivately } from "./create-privately.ts";
import { SqliteConnection } from "./node-sqlite.ts";

const lockFileName = "lock.db";

/** Thrown when another process uses the data directory (exit code 3). */
export class DirectoryInUse extends Error {
  override name = "DirectoryInUse";
}

/**
 * Thrown when the data directory belongs to another user, who could read or change its files (exit
 * code 2).
 */
export class DirectoryForeign extends Error {
  override name = "DirectoryForeign";
}

/** The data directory cannot be made or opened (exit code 2). */
export class DirectoryUnusable extends Error {
  override name = "DirectoryUnusable";
}

export interface DirectoryLock extends Disposable {
  /** Sentences for the log, when the directory was readable by others and was closed to them. */
  readonly warnings: string[];
}

/**
 * Creates the directory when it is missing, closes it to other users, and locks it for this process
 * until disposed. The lock is a file lock of SQLite: it ends with the process in any case, so there
 * is no stale lock after kill -9. `kind` is the directory's name for people.
 */
export function lockDirectory(directory: string, kind = "data directory"): DirectoryLock {
  createDurably(resolve(directory));
  const warnings = closeToOthers(directory, kind);
  const file = join(directory, lockFileName);
  createPrivately(file);
  const connection = new SqliteConnection(file, { timeout: 0 });
  try {
    connection.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (!isBusy(error)) throw error;
    throw new DirectoryInUse(`The ${kind} ${directory} is in use by another process.`);
  }
  return {
    warnings,
    [Symbol.dispose]() {
      if (connection.isOpen) connection.close();
    },
  };
}

/**
 * A new directory could vanish with the power, and everything acknowledged in it, until its parent
 * is fsynced. One level at a time: on /proc Node's recursive mkdir never returns.
 */
function createDurably(directory: string): void {
  const found = statSync(directory, { throwIfNoEntry: false });
  if (found?.isDirectory() === true) return;
  if (found !== undefined) throw new DirectoryUnusable(`${directory} is not a directory.`);
  const parent = dirname(directory);
  createDurably(parent);
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST") return;
    const help = code === "EACCES" ? " Make it, and give it to the user who runs this." : "";
    throw new DirectoryUnusable(`The directory ${directory} cannot be made: ${code}.${help}`);
  }
  syncDirectorySync(parent);
}

function closeToOthers(directory: string, kind: string): string[] {
  const { uid, mode } = statSync(directory);
  const ourUid = process.getuid?.();
  if (ourUid === undefined) return []; // Windows: the directory inherits the rights of its parent.
  if (uid !== ourUid) {
    throw new DirectoryForeign(
      `The ${kind} ${directory} belongs to user ${uid}, not to ${ourUid}.`,
    );
  }
  if ((mode & 0o077) === 0) return [];
  if (holdsOtherThings(directory)) {
    return [
      `The ${kind} ${directory} is open to other users and contains other files, so its mode was not changed.`,
    ];
  }
  chmodSync(directory, 0o700);
  return [`The ${kind} ${directory} was open to other users; its mode is now 0700.`];
}

/**
 * Whether the directory has other files: it may be /tmp or a home directory, which must not be
 * closed to others.
 */
function holdsOtherThings(directory: string): boolean {
  const names = readdirSync(directory).filter((name) => name !== "lost+found");
  return names.length > 0 && !names.includes(lockFileName);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}
