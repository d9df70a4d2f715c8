import { randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  type Stats,
} from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";

/**
 * Returns the path of a hidden directory that only this user can have made, existing or not:
 * `.NAME`, or `.NAME-` and six letters where that belongs to another user. In a directory shared by
 * all users, others may plant one that looks like ours.
 */
export function ownPath(parent: string, hiddenName: string): string {
  const usual = join(parent, hiddenName);
  const stats = statsOf(usual);
  if (stats !== undefined && isOwnDirectory(stats)) return usual;
  const own = namesIn(parent).find((name) => {
    const found = isSuffixed(name, hiddenName) ? statsOf(join(parent, name)) : undefined;
    return found !== undefined && isOwnDirectory(found);
  });
  if (own !== undefined) return join(parent, own);
  return stats === undefined ? usual : freshPath(parent, hiddenName);
}

export function freshPath(parent: string, hiddenName: string): string {
  return join(parent, `${hiddenName}-${randomBytes(3).toString("hex")}`);
}

/**
 * Whether this is a directory of this user, no link, that no other user may write to. Windows keeps
 * users' files apart and reports no owner.
 */
export function isOwnDirectory(stats: Stats): boolean {
  return stats.isDirectory() && isOwn(stats);
}

/** Whether only this user can have put everything there: directories and files, no links. */
export async function isAllOwn(directory: string): Promise<boolean> {
  const stats = await lstat(directory).catch(() => undefined);
  if (stats === undefined || !isOwnDirectory(stats)) return false;
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const entry = await lstat(path);
    const isSound = entry.isDirectory() ? await isAllOwn(path) : isOwnFile(entry);
    if (!isSound) return false;
  }
  return true;
}

/** Reads a file that only this user can have written; undefined for any other. */
export function ownText(path: string): string | undefined {
  let descriptor: number;
  try {
    descriptor = openSync(path, constants.O_RDONLY | noFollow | noWait);
  } catch {
    return undefined;
  }
  try {
    return isOwnFile(fstatSync(descriptor)) ? readFileSync(descriptor, "utf8") : undefined;
  } finally {
    closeSync(descriptor);
  }
}

/** 0 where the system lacks the flag. */
const noFollow = constants.O_NOFOLLOW ?? 0;
/** Opening a pipe does not wait for its other end. */
const noWait = constants.O_NONBLOCK ?? 0;
const othersMayWrite = 0o022;

function isOwnFile(stats: Stats): boolean {
  return stats.isFile() && stats.nlink <= 1 && isOwn(stats);
}

function isOwn({ uid, mode }: Stats): boolean {
  const own = process.getuid?.();
  return own === undefined || (uid === own && (mode & othersMayWrite) === 0);
}

function isSuffixed(name: string, hiddenName: string): boolean {
  return (
    name.startsWith(`${hiddenName}-`) && /^[0-9a-f]{6}$/.test(name.slice(hiddenName.length + 1))
  );
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory).sort();
  } catch {
    return [];
  }
}

function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
