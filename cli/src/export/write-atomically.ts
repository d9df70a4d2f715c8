import { createWriteStream, existsSync, openSync, rmSync, statSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { syncDirectory } from "@lossless/client/durable-file";
import { CommandError } from "../command.ts";

/** Files being written, to be removed on an interruption. */
export class PartialFiles {
  readonly #paths = new Set<string>();

  /** Opened here and not later by a stream, so that `removeAll` misses none. */
  create(path: string): number {
    this.#paths.add(path);
    return openSync(path, "w");
  }

  async remove(path: string): Promise<void> {
    await rm(path, { force: true });
    this.#paths.delete(path);
  }

  async complete(path: string, finalPath: string): Promise<void> {
    await rename(path, finalPath);
    this.#paths.delete(path);
  }

  /** Removes the files. Synchronous, for signal handlers. */
  removeAll(): void {
    for (const path of this.#paths) rmSync(path, { force: true });
  }
}

export interface WriteOptions {
  overwrite: boolean;
  partials: PartialFiles;
}

/**
 * Writes a file completely or not at all: under another name first, synced, then renamed. `.gz` at
 * the end of the path means gzip.
 */
export async function writeAtomically(
  path: string,
  content: AsyncIterable<string | Uint8Array>,
  { overwrite, partials }: WriteOptions,
): Promise<void> {
  if (!overwrite && existsSync(path)) {
    throw new CommandError(`${path} exists; --force replaces it`);
  }
  await makeDirectory(dirname(path));
  const partial = `${path}.${process.pid}.partial`;
  try {
    const fd = partials.create(partial);
    const source = Readable.from(content);
    const target = createWriteStream(partial, { fd, flush: true });
    if (path.endsWith(".gz")) await pipeline(source, createGzip(), target);
    else await pipeline(source, target);
    await partials.complete(partial, path);
    // The rename is on stable storage only once the directory is.
    await syncDirectory(dirname(path));
  } catch (error) {
    await partials.remove(partial);
    throw error;
  }
}

/**
 * Makes a directory level by level: Node's recursive mkdir never returns where the system says
 * ENOENT (/proc).
 */
async function makeDirectory(path: string): Promise<void> {
  if (existsSync(path)) return;
  await makeDirectory(dirname(path));
  try {
    await mkdir(path);
  } catch (error) {
    // Another export may have made it first.
    if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) throw error;
  }
}

/** Turns a slug into a file name: characters that a file system might refuse are written as %XX. */
export function fileNameOf(slug: string): string {
  const name = slug.replaceAll(/[/\\:*?"<>|%]|\p{Cc}|^\.|\.$/gu, percentEncoded);
  // Most file systems allow 255 bytes, and the endings need some of them.
  if (Buffer.byteLength(name) <= 230) return name;
  throw new CommandError(`the slug ${slug} is too long for a file name; export it with --stdout`);
}

function percentEncoded(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}
