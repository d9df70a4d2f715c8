import { createWriteStream, existsSync } from "node:fs";
import { mkdir, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { CommandError } from "../command.ts";

/**
 * Writes a file that is either whole or not there: under another name first, synced, then renamed. `.gz`
 * at the end of the path means gzip.
 */
export async function writeAtomically(
  path: string,
  text: AsyncIterable<string>,
  overwrite: boolean,
): Promise<void> {
  if (!overwrite && existsSync(path)) {
    throw new CommandError(`${path} exists; --force replaces it`);
  }
  await mkdir(dirname(path), { recursive: true });
  const partial = `${path}.${process.pid}.partial`;
  try {
    const source = Readable.from(text);
    const target = createWriteStream(partial, { flush: true });
    if (path.endsWith(".gz")) await pipeline(source, createGzip(), target);
    else await pipeline(source, target);
    await rename(partial, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** The rename itself is on stable storage only when the directory is. */
async function syncDirectory(path: string): Promise<void> {
  await using directory = await open(path, "r");
  await directory.sync();
}

/** A slug as a file name: what a file system might take amiss is written as %XX. */
export function fileNameOf(slug: string): string {
  const name = slug.replaceAll(/[/\\:*?"<>|%]|\p{Cc}|^\.|\.$/gu, percentEncoded);
  // Most file systems end at 255 bytes, and the endings need some of them.
  if (Buffer.byteLength(name) <= 230) return name;
  throw new CommandError(`the slug ${slug} is too long for a file name; export it with --stdout`);
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
