import { open } from "node:fs/promises";

/** Fsyncs the names in a directory. Not needed on Windows, which cannot open directories. */
export async function syncDirectory(path: string): Promise<void> {
  if (process.platform === "win32") return;
  await using directory = await open(path, "r");
  await directory.sync();
}
