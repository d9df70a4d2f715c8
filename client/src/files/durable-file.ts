import { open } from "node:fs/promises";

/** Fsyncs the names in a directory. Windows opens no directories, and keeps names by itself. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await using directory = await open(path, "r");
  await directory.sync();
}
