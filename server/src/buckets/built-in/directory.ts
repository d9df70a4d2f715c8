import { constants } from "node:fs";
import {
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  realpath,
  rm,
  rmdir,
  unlink,
} from "node:fs/promises";
import { dirname, join, relative, resolve, sep } from "node:path";
import { syncDirectory } from "../../ground/durable-file.ts";
import { StoreError } from "../bucket.ts";
import { isMissingFile } from "../disk-failure.ts";

const { O_NOFOLLOW, O_RDONLY } = constants;

/**
 * Files below one directory that other processes may use too: no state that matters is kept between
 * calls. Directories are 0700, files 0600 and never opened through a symbolic link below the root.
 * A name that a call made durable survives a power loss.
 */
export class DurableDirectory {
  readonly root: string;
  readonly #syncs = new Map<string, DirectorySync>();
  /** Directories that are known to survive a power loss. */
  readonly #durable = new Set<string>();
  /** Path of the root with its links resolved; undefined before the first look. */
  #realRoot: string | undefined;

  constructor(root: string) {
    this.root = resolve(root);
  }

  path(...names: string[]): string {
    return join(this.root, ...names);
  }

  /**
   * Opens a file. Rejects with ENOENT, or with SymbolicLink when a link was put in the way (T38).
   */
  async openForReading(path: string): Promise<FileHandle> {
    await this.refuseLinks(dirname(path));
    try {
      return await open(path, O_RDONLY | O_NOFOLLOW);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ELOOP") throw new SymbolicLink(path);
      throw error;
    }
  }

  /**
   * Makes the directory and those above it up to the root, durably; rejects with ENOENT when the
   * root is gone: one made anew would be another directory.
   */
  async makeDirectory(path: string): Promise<void> {
    if (this.#durable.has(path)) return;
    await this.makeUnsynced(path);
    await this.syncWay(path);
  }

  /**
   * Makes the names that lead to a directory durable. Directories made elsewhere are synced too:
   * another process that has just made one may not have synced it yet. A directory is synced once:
   * those that others remove belong to uploads that ended, and are not made a second time.
   */
  async syncWay(path: string): Promise<void> {
    const made: string[] = [];
    for (let child = path; !this.#durable.has(child); child = dirname(child)) {
      await this.sync(dirname(child));
      made.push(child);
      if (child === this.root || child === dirname(child)) break;
    }
    if (this.#durable.size + made.length > rememberedDirectoriesMax) this.#durable.clear();
    for (const child of made) this.#durable.add(child);
  }

  /** The same as `makeDirectory`, for now: `syncWay` makes it durable. */
  async makeUnsynced(path: string): Promise<void> {
    try {
      await mkdir(path, { mode: 0o700 });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") return;
      const parent = dirname(path);
      if (code !== "ENOENT" || parent === this.root || path === this.root) throw error;
      await this.makeUnsynced(parent);
      // Another process may have made it meanwhile.
      await mkdir(path, { mode: 0o700 }).catch((again: NodeJS.ErrnoException) => {
        if (again.code !== "EEXIST") throw again;
      });
    }
  }

  /** Removes a directory if it is empty. */
  async removeEmptyDirectory(path: string): Promise<void> {
    this.#durable.delete(path);
    await rmdir(path).catch((error: unknown) => {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== "ENOTEMPTY" && code !== "EEXIST" && !isMissingFile(error)) throw error;
    });
  }

  /**
   * Gives a finished file a second name; false when that name is taken. Among processes exactly one
   * wins: rename would replace an existing file.
   */
  async linkOnce(from: string, to: string): Promise<boolean> {
    try {
      await link(from, to);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
      throw error;
    }
  }

  /**
   * Makes the names in a directory durable. Callers that come while one sync runs share the next
   * one, so that a thousand new files in one directory do not cost a thousand syncs.
   */
  sync(path: string): Promise<void> {
    const running = this.#syncs.get(path);
    if (running !== undefined) {
      running.next ??= running.done.then(
        () => this.#startSync(path),
        () => this.#startSync(path),
      );
      return running.next;
    }
    return this.#startSync(path);
  }

  /** Names in a directory; empty when it is missing. */
  async names(path: string): Promise<string[]> {
    return readdir(path).catch((error: unknown) => {
      if (isMissingFile(error)) return [];
      throw error;
    });
  }

  /** Removes a file; one that is missing is no error. */
  async remove(path: string): Promise<void> {
    await unlink(path).catch((error: unknown) => {
      if (!isMissingFile(error)) throw error;
    });
  }

  /** Removes a directory and the files in it, also those that another process is just making. */
  async removeDirectory(path: string): Promise<void> {
    await rm(path, { recursive: true, force: true });
  }

  /** Throws SymbolicLink when a directory on the way from the root to `path` is one. */
  async refuseLinks(path: string): Promise<void> {
    if (await this.#isWithoutLinks(path)) return;
    const names = relative(this.root, path).split(sep);
    const directories = names.map((_, index) => join(this.root, ...names.slice(0, index + 1)));
    const found = await Promise.allSettled(directories.map((directory) => lstat(directory)));
    // In order: below a link a name may be missing, and the link is what matters.
    for (const [index, one] of found.entries()) {
      if (one.status === "rejected") throw one.reason;
      if (one.value.isSymbolicLink()) throw new SymbolicLink(directories[index]);
    }
  }

  /** Whether the whole way is free of links, by one call; a refusal has no reason. */
  async #isWithoutLinks(path: string): Promise<boolean> {
    try {
      this.#realRoot ??= await realpath(this.root);
      return (await realpath(path)) === join(this.#realRoot, relative(this.root, path));
    } catch {
      return false;
    }
  }

  #startSync(path: string): Promise<void> {
    const done = syncDirectory(path);
    const entry: DirectorySync = { done, next: undefined };
    this.#syncs.set(path, entry);
    const forget = (): void => {
      if (this.#syncs.get(path) === entry && entry.next === undefined) this.#syncs.delete(path);
    };
    done.then(forget, forget);
    return done;
  }
}

const rememberedDirectoriesMax = 10_000;

/** Thrown for a symbolic link, of which the service makes none. */
export class SymbolicLink extends StoreError {
  override name = "SymbolicLink";
  constructor(path: string) {
    super("symbolic link", false, `There is a symbolic link at ${path}; it is not followed.`);
  }
}

interface DirectorySync {
  done: Promise<void>;
  /** The one that starts when this one has ended. */
  next: Promise<void> | undefined;
}
