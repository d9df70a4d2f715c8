import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { type FileHandle, mkdir, opendir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { syncDirectory, writeDurably } from "../../ground/durable-file.ts";
import {
  ObjectExists,
  ObjectMissing,
  ObjectShort,
  type SegmentBucket,
  type ListedObject,
} from "../bucket.ts";
import { isMissingFile, toDatabaseError } from "../disk-failure.ts";
import { OpenFiles } from "./open-files.ts";

/**
 * Objects as files below one directory (0700, files 0600). A file is written under another name,
 * fsynced, renamed, and its directory fsynced, so that after a power loss an object that `put`
 * acknowledged is whole, and any other is whole or absent. Several threads may use one directory.
 *
 * Throws DatabaseError: `full` when there is no space, `failed` when the disk does wrong.
 */
export class DiskBucket implements SegmentBucket {
  readonly #directory: string;
  readonly #abandonedAfterMs: number;
  readonly #files = new OpenFiles();
  /** Directories whose own entries, up to the root, this instance has fsynced. */
  readonly #durableDirectories = new Set<string>();

  /** Leftovers of a `put` after a crash are removed by the next `list` after `abandonedAfterMs`. */
  constructor(directory: string, abandonedAfterMs = usuallyAbandonedAfterMs) {
    this.#directory = directory;
    this.#abandonedAfterMs = abandonedAfterMs;
  }

  async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    const path = this.#pathOf(key);
    const unfinished = path + unfinishedSuffix;
    if (await exists(path)) throw new ObjectExists(key);
    try {
      await this.#makeDirectory(dirname(path));
      await writeDurably(unfinished, (file) => writeGathered(file, parts));
      await rename(unfinished, path);
      await syncDirectory(dirname(path));
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw toDatabaseError(error, `The object ${key} cannot be stored`);
    }
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array> {
    return this.#files
      .use(this.#pathOf(key), async (file) => {
        const bytes = Buffer.allocUnsafeSlow(length);
        for (let done = 0; done < length;) {
          const { bytesRead } = await file.read(bytes, done, length - done, offset + done);
          if (bytesRead === 0) throw new ObjectShort(key, offset, length);
          done += bytesRead;
        }
        if (length === 0 && (await file.stat()).size < offset)
          throw new ObjectShort(key, offset, length);
        return bytes;
      })
      .catch((error: unknown) => rethrow(error, key));
  }

  /** Reads in this thread: a turn in the pool of threads takes longer than a short file. */
  async readEnd(
    key: string,
    bytesMax: number,
    memory = (length: number): Uint8Array => Buffer.allocUnsafeSlow(length),
  ): Promise<{ size: number; bytes: Uint8Array }> {
    try {
      return readEndOf(this.#pathOf(key), key, bytesMax, memory);
    } catch (error) {
      return rethrow(error, key);
    }
  }

  async size(key: string): Promise<number> {
    return stat(this.#pathOf(key)).then(
      ({ size }) => size,
      (error: unknown) => rethrow(error, key),
    );
  }

  async localFile(key: string): Promise<string> {
    await this.size(key);
    return this.#pathOf(key);
  }

  async delete(key: string): Promise<void> {
    const path = this.#pathOf(key);
    this.#files.forget(path);
    await rm(path, { force: true }).catch((error: unknown) => rethrow(error, key));
    await this.#removeEmpty(dirname(path));
  }

  /** Removes the empty directory of an experiment without objects. */
  async #removeEmpty(directory: string): Promise<void> {
    if (directory === this.#directory) return;
    try {
      await rmdir(directory);
      this.#durableDirectories.delete(directory);
    } catch {
      // Most have other objects; an empty one that stays does no harm.
    }
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    yield* this.#walk("", prefix);
  }

  /**
   * Lists objects below one directory, whose key with a slash behind it is `within` (root: empty).
   */
  async *#walk(within: string, prefix: string): AsyncIterable<ListedObject> {
    const directory = await opendir(join(this.#directory, within)).catch(ignoreMissing);
    if (directory === undefined) return;
    for await (const entry of directory) {
      const key = within + entry.name;
      if (entry.isDirectory()) {
        const below = `${key}/`;
        if (below.startsWith(prefix) || prefix.startsWith(below)) yield* this.#walk(below, prefix);
      } else if (key.endsWith(unfinishedSuffix)) {
        await removeIfAbandoned(join(this.#directory, key), this.#abandonedAfterMs);
      } else if (key.startsWith(prefix)) {
        const found = await stat(join(this.#directory, key)).catch(ignoreMissing);
        if (found !== undefined) yield { key, sizeBytes: found.size, modifiedMs: found.mtimeMs };
      }
    }
  }

  /** The service makes keys; one that leaves the directory or looks unfinished is its mistake. */
  #pathOf(key: string): string {
    const isSound =
      /^[a-z0-9_-][a-z0-9._-]*(\/[a-z0-9_-][a-z0-9._-]*)*$/.test(key) &&
      !key.endsWith(unfinishedSuffix);
    if (!isSound) throw new Error(`BUG: got the object key ${key}`);
    // `join` would look at every character once more.
    return `${this.#directory}/${key}`;
  }

  /**
   * Makes a directory. Those made elsewhere are fsynced too: another thread that made one may not
   * have done so yet.
   */
  async #makeDirectory(path: string): Promise<void> {
    if (this.#durableDirectories.has(path)) return;
    await mkdir(path, { recursive: true, mode: 0o700 });
    for (let child = path; ; child = dirname(child)) {
      await syncDirectory(dirname(child));
      if (child === this.#directory || child === dirname(child)) break;
    }
    if (this.#durableDirectories.size >= rememberedDirectoriesMax) this.#durableDirectories.clear();
    this.#durableDirectories.add(path);
  }
}

const unfinishedSuffix = ".part";
const usuallyAbandonedAfterMs = 60 * 60 * 1000;
const rememberedDirectoriesMax = 10_000;
/** Size up to which small parts are gathered, because each write is a trip to a thread. */
const writeBytes = 1024 * 1024;

async function writeGathered(file: FileHandle, parts: readonly Uint8Array[]): Promise<void> {
  let waiting: Uint8Array[] = [];
  let waitingBytes = 0;
  for (const part of parts) {
    waiting.push(part);
    waitingBytes += part.length;
    if (waitingBytes < writeBytes) continue;
    await file.writeFile(Buffer.concat(waiting));
    waiting = [];
    waitingBytes = 0;
  }
  if (waitingBytes > 0) await file.writeFile(Buffer.concat(waiting));
}

async function removeIfAbandoned(path: string, abandonedAfterMs: number): Promise<void> {
  const found = await stat(path).catch(ignoreMissing);
  if (found === undefined || Date.now() - found.mtimeMs < abandonedAfterMs) return;
  await rm(path, { force: true });
}

function readEndOf(
  path: string,
  key: string,
  bytesMax: number,
  memory: (length: number) => Uint8Array,
) {
  const file = openSync(path, "r");
  try {
    const { size } = fstatSync(file);
    const bytes = memory(Math.min(size, bytesMax));
    const start = size - bytes.length;
    for (let done = 0; done < bytes.length;) {
      const read = readSync(file, bytes, done, bytes.length - done, start + done);
      if (read === 0) throw new ObjectShort(key, start, bytes.length);
      done += read;
    }
    return { size, bytes };
  } finally {
    closeSync(file);
  }
}

async function exists(path: string): Promise<boolean> {
  return (await stat(path).catch(ignoreMissing)) !== undefined;
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissingFile(error)) throw error;
}

function rethrow(error: unknown, key: string): never {
  if (isMissingFile(error)) throw new ObjectMissing(key);
  throw toDatabaseError(error, `The object ${key} cannot be read`);
}
