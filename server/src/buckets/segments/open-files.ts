import { open, type FileHandle } from "node:fs/promises";

/** Files that stay open between reads, the least recently used closed first. */
export class OpenFiles {
  readonly #byPath = new Map<string, OpenFile>();
  #timer: NodeJS.Timeout | undefined;

  /** Opens the file unless it is open, and keeps it open at least as long as `work` runs. */
  async use<T>(path: string, work: (file: FileHandle) => Promise<T>): Promise<T> {
    const file = this.#take(path);
    file.users++;
    try {
      return await work(await file.handle);
    } catch (error) {
      // An open that failed, or a file that is damaged: the next use opens it anew.
      this.#drop(path, file);
      throw error;
    } finally {
      file.users--;
      closeWhenUnused(file);
    }
  }

  /** The file is about to be deleted: its space is free only when it is closed. */
  forget(path: string): void {
    const file = this.#byPath.get(path);
    if (file !== undefined) this.#drop(path, file);
  }

  #take(path: string): OpenFile {
    let file = this.#byPath.get(path);
    if (file === undefined) file = { handle: open(path, "r"), users: 0, isDropped: false };
    else this.#byPath.delete(path);
    this.#byPath.set(path, file);
    if (this.#byPath.size > openFilesMax) {
      const [oldest] = this.#byPath;
      this.#drop(...oldest);
    }
    this.#closeLater();
    return file;
  }

  /** Closes files after a while: another thread may delete one without this one knowing. */
  #closeLater(): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      for (const [path, file] of this.#byPath) this.#drop(path, file);
    }, heldOpenMs).unref();
  }

  #drop(path: string, file: OpenFile): void {
    if (this.#byPath.get(path) === file) this.#byPath.delete(path);
    file.isDropped = true;
    closeWhenUnused(file);
  }
}

const openFilesMax = 64;
const heldOpenMs = 60_000;

interface OpenFile {
  handle: Promise<FileHandle>;
  users: number;
  isDropped: boolean;
}

function closeWhenUnused(file: OpenFile): void {
  if (!file.isDropped || file.users > 0) return;
  // The promise that could not open was rejected to its user already.
  file.handle.then((handle) => handle.close()).catch(() => undefined);
}
