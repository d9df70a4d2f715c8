import { closeSync, fsyncSync, openSync } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";

/**
 * Makes a file, 0600, and fsyncs what `fill` writes. Its name is durable only when its directory is
 * fsynced too: so a file is written under another name, gets its own by a rename or a link, and
 * then comes `syncDirectory`.
 */
export async function writeDurably<Result>(
  path: string,
  fill: (file: FileHandle) => Promise<Result>,
): Promise<Result> {
  const file = await open(path, "wx", 0o600);
  try {
    const result = await fill(file);
    await file.sync();
    return result;
  } finally {
    await file.close();
  }
}

/** Fsyncs the names in a directory. Windows opens no directories, and keeps names by itself. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const directory = await open(path, "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** Syncs a directory synchronously, for the start. */
export function syncDirectorySync(path: string): void {
  if (process.platform === "win32") return;
  const directory = openSync(path, "r");
  try {
    fsyncSync(directory);
  } finally {
    closeSync(directory);
  }
}
