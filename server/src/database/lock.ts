import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { platform } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createPrivately } from "./create-privately.ts";
import { SqliteConnection } from "./node-sqlite.ts";

const lockFileName = "lock.db";

/** Another process uses the data directory (exit code 3). */
export class DirectoryInUse extends Error {
  override name = "DirectoryInUse";
}

/** The data directory belongs to another user, who could read or change what is in it (exit code 2). */
export class DirectoryForeign extends Error {
  override name = "DirectoryForeign";
}

export interface DirectoryLock extends Disposable {
  /** Sentences for the log, when the directory was readable by others and was closed to them. */
  readonly warnings: string[];
}

/**
 * Creates the data directory when it is missing, closes it to other users, and takes it for this process
 * until disposed. The lock is a file lock of SQLite: it ends with the process, however the process ends, so
 * there is no stale lock after kill -9.
 */
export function lockDirectory(directory: string): DirectoryLock {
  createDurably(directory);
  const warnings = closeToOthers(directory);
  const file = join(directory, lockFileName);
  createPrivately(file);
  const connection = new SqliteConnection(file, { timeout: 0 });
  try {
    connection.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (!isBusy(error)) throw error;
    throw new DirectoryInUse(`The data directory ${directory} is in use by another process.`);
  }
  return {
    warnings,
    [Symbol.dispose]() {
      if (connection.isOpen) connection.close();
    },
  };
}

/** A new directory could vanish with the power, and everything acknowledged in it, until its parent is fsynced. */
function createDurably(directory: string): void {
  const first = mkdirSync(directory, { recursive: true, mode: 0o700 });
  if (first === undefined || platform() === "win32") return;
  const outermost = dirname(resolve(first));
  for (let parent = dirname(resolve(directory)); ; parent = dirname(parent)) {
    const opened = openSync(parent, "r");
    fsyncSync(opened);
    closeSync(opened);
    if (parent === outermost) return;
  }
}

function closeToOthers(directory: string): string[] {
  const { uid, mode } = statSync(directory);
  const ourUid = process.getuid?.();
  if (ourUid === undefined) return []; // Windows: the directory inherits the rights of its parent.
  if (uid !== ourUid) {
    throw new DirectoryForeign(
      `The data directory ${directory} belongs to user ${uid}, not to ${ourUid}.`,
    );
  }
  if ((mode & 0o077) === 0) return [];
  chmodSync(directory, 0o700);
  return [`The data directory ${directory} was open to other users; its mode is now 0700.`];
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === 5;
}
