import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { writeDurably } from "../../ground/durable-file.ts";

/** Disk space of copies; beyond it the oldest are evicted. */
const copiedBytesMax = 16 * 1024 ** 3;
/** A copy is read whole and checked by its checksum at its first use, and again after this time. */
const trustedMs = 10 * 60 * 1000;
const trustedCopiesMax = 10_000;
const readBytes = 1024 * 1024;

/** Size and checksum of an object as the database has them. */
export interface ObjectSeal {
  sizeBytes: number;
  crc: number;
}

/**
 * Copies of objects in a directory, which several threads share. A copy appears whole, by renaming.
 * Any of them may vanish or be damaged at any time: the object in the database is the truth.
 */
export class LocalCopies {
  readonly #directory: string;
  readonly #bytesMax: number;
  /** Time until which a copy is trusted to be unchanged, by path. */
  readonly #trustedUntilMs = new Map<string, number>();
  /** Bytes that this object wrote since it last looked at the directory; it looks at the first. */
  #writtenBytes = Infinity;

  constructor(directory: string, bytesMax = copiedBytesMax) {
    this.#directory = directory;
    this.#bytesMax = bytesMax;
  }

  /**
   * Returns the path of the copy; `fill` writes it if there is no sound one. Throws errors of the
   * file system.
   */
  async path(
    key: string,
    seal: () => Promise<ObjectSeal>,
    fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<string> {
    const path = this.#pathOf(key);
    if (await this.#isSound(path, seal)) return path;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const unfinished = `${path}.${randomUUID()}.part`;
    try {
      // Fsynced before it gets its name: after a power loss a copy is whole or absent.
      this.#writtenBytes += await writeDurably(unfinished, async (file) => {
        await fill((bytes) => file.writeFile(bytes));
        return (await file.stat()).size;
      });
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true }).catch(() => undefined);
      throw error;
    }
    this.#trust(path);
    // Other threads write here too, each at most a sixteenth of the maximum before it looks.
    if (this.#writtenBytes >= this.#bytesMax / 16) await this.#removeOldest(path);
    return path;
  }

  /** Bytes of the copy, or undefined when there is no sound one, or it cannot be read. */
  async read(
    key: string,
    seal: () => Promise<ObjectSeal>,
    offset: number,
    length: number,
  ): Promise<Uint8Array | undefined> {
    const path = this.#pathOf(key);
    // The file would not tell whether an empty range lies within the object.
    if (length === 0 || !(await this.#isSound(path, seal))) return undefined;
    const bytes = new Uint8Array(length);
    const bytesRead = await readAt(path, bytes, offset).catch(() => -1);
    if (bytesRead === length) return bytes;
    this.#trustedUntilMs.delete(path);
    return undefined;
  }

  /** Removes a copy; best effort: keys are not reused, so a remaining copy only takes space. */
  async remove(key: string): Promise<void> {
    const path = this.#pathOf(key);
    this.#trustedUntilMs.delete(path);
    await rm(path, { force: true }).catch(() => undefined);
  }

  /** Removes every copy: for a disk that has no room left. */
  async clear(): Promise<void> {
    this.#trustedUntilMs.clear();
    for (const name of await readdir(this.#directory).catch(() => [])) {
      if (name.endsWith(copySuffix)) await rm(join(this.#directory, name), { force: true });
    }
  }

  /** Removes a copy that differs from its object, so that the next use makes a new one. */
  async #isSound(path: string, seal: () => Promise<ObjectSeal>): Promise<boolean> {
    const found = await stat(path).catch(() => undefined);
    if (found === undefined) return false;
    if (performance.now() < (this.#trustedUntilMs.get(path) ?? 0)) return true;
    const { sizeBytes, crc } = await seal();
    const isSound = found.size === sizeBytes && (await checksum(path).catch(() => -1)) === crc;
    if (isSound) this.#trust(path);
    else await rm(path, { force: true }).catch(() => undefined);
    return isSound;
  }

  #trust(path: string): void {
    if (this.#trustedUntilMs.size >= trustedCopiesMax) this.#trustedUntilMs.clear();
    this.#trustedUntilMs.set(path, performance.now() + trustedMs);
  }

  /** Keys are `[a-z0-9/._-]`; a slash becomes `+`: the directory is flat and no key leaves it. */
  #pathOf(key: string): string {
    if (!/^[a-z0-9/._-]+$/.test(key)) throw new Error(`BUG: object key got ${key}`);
    return join(this.#directory, `${key.replaceAll("/", "+")}${copySuffix}`);
  }

  async #removeOldest(newest: string): Promise<void> {
    this.#writtenBytes = 0;
    const copies = [];
    for (const name of await readdir(this.#directory)) {
      const path = join(this.#directory, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined)
        copies.push({ path, sizeBytes: found.size, writtenMs: found.mtimeMs });
    }
    let total = copies.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { path, sizeBytes } of copies.sort((a, b) => a.writtenMs - b.writtenMs)) {
      if (total <= this.#bytesMax) return;
      if (path === newest) continue;
      await rm(path, { force: true });
      total -= sizeBytes;
    }
  }
}

const copySuffix = ".copy";

async function readAt(path: string, bytes: Uint8Array, offset: number): Promise<number> {
  const file = await open(path, "r");
  try {
    return (await file.read(bytes, 0, bytes.length, offset)).bytesRead;
  } finally {
    await file.close();
  }
}

async function checksum(path: string): Promise<number> {
  const file = await open(path, "r");
  try {
    const bytes = new Uint8Array(readBytes);
    for (let crc = 0; ;) {
      const { bytesRead } = await file.read(bytes, 0, bytes.length, null);
      if (bytesRead === 0) return crc;
      crc = crc32(bytes.subarray(0, bytesRead), crc);
    }
  } finally {
    await file.close();
  }
}
