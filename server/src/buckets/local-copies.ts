import { randomUUID } from "node:crypto";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** Disk that copies may take; beyond it the oldest go. */
const copiedBytesMax = 16 * 1024 ** 3;

/**
 * Copies of objects in a directory, which several threads share. A copy appears whole, by renaming. Any of them
 * may vanish at any time: the object in the database is the truth.
 */
export class LocalCopies {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Path of the copy, which `fill` writes when there is none. */
  async path(
    key: string,
    fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<string> {
    const path = this.#pathOf(key);
    if (await exists(path)) return path;
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    const unfinished = `${path}.${randomUUID()}.part`;
    try {
      await writeDurably(unfinished, fill);
      await rename(unfinished, path);
    } catch (error) {
      await rm(unfinished, { force: true });
      throw error;
    }
    await this.#removeOldest(path);
    return path;
  }

  /** Bytes of the copy, or undefined when there is none, or none as long as that. */
  async read(key: string, offset: number, length: number): Promise<Uint8Array | undefined> {
    const file = await open(this.#pathOf(key), "r").catch(() => undefined);
    if (file === undefined) return undefined;
    try {
      const bytes = new Uint8Array(length);
      const { bytesRead } = await file.read(bytes, 0, length, offset);
      return bytesRead === length ? bytes : undefined;
    } finally {
      await file.close();
    }
  }

  async remove(key: string): Promise<void> {
    await rm(this.#pathOf(key), { force: true });
  }

  /** Keys are `[a-z0-9/._-]`; a slash becomes `+`, so that the directory is flat and no key leaves it. */
  #pathOf(key: string): string {
    if (!/^[a-z0-9/._-]+$/.test(key)) throw new Error(`BUG: object key got ${key}`);
    return join(this.#directory, `${key.replaceAll("/", "+")}.copy`);
  }

  async #removeOldest(newest: string): Promise<void> {
    const names = await readdir(this.#directory);
    const copies = [];
    for (const name of names) {
      const path = join(this.#directory, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined)
        copies.push({ path, sizeBytes: found.size, writtenMs: found.mtimeMs });
    }
    let total = copies.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
    for (const { path, sizeBytes } of copies.sort((a, b) => a.writtenMs - b.writtenMs)) {
      if (total <= copiedBytesMax) return;
      if (path === newest) continue;
      await rm(path, { force: true });
      total -= sizeBytes;
    }
  }
}

/** Fsynced before it gets its name: after a power loss a copy is whole or absent. */
async function writeDurably(
  path: string,
  fill: (write: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<void> {
  const file = await open(path, "wx", 0o600);
  try {
    await fill((bytes) => file.writeFile(bytes));
    await file.sync();
  } finally {
    await file.close();
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
