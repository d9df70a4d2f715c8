import { mkdir, readFile, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { writeDurably } from "../../ground/durable-file.ts";
import { newId } from "../../ground/ids.ts";
import { DurableDirectory } from "./directory.ts";
import { unfinishedFileName } from "./part-writer.ts";
import { isMissingFile } from "../disk-failure.ts";

/**
 * Name of the identity file in the directory itself, so that it moves with the content. Every key
 * has a slash, so none is equal to it.
 */
export const identityFileName = "directory-id";

/**
 * Makes the directory when it is missing, and returns its id: by it nodes find out whether they
 * share one, and a node notices that the disk with its artifacts is not mounted. Undefined: the
 * file does not hold an id.
 */
export async function directoryIdentity(
  directory: string,
  nowMs: number,
): Promise<string | undefined> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = `${directory}/${identityFileName}`;
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    if (!isMissingFile(error)) throw error;
    return undefined;
  });
  if (text !== undefined) return /^([0-9a-z]{26})\s*$/.exec(text)?.[1];
  const files = new DurableDirectory(directory);
  const unfinished = files.path(unfinishedFileName());
  try {
    await writeDurably(unfinished, (file) => file.writeFile(`${newId(nowMs)}\n`));
    // Another node may be first.
    await files.linkOnce(unfinished, path);
  } finally {
    await rm(unfinished, { force: true });
  }
  await files.sync(directory);
  await files.sync(dirname(directory));
  return directoryIdentity(directory, nowMs);
}
