import { readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ObjectMissing, StoreError, UploadMissing } from "../bucket.ts";
import { identityFileName } from "./identity.ts";
import { isMissingFile } from "../disk-failure.ts";

/**
 * Checks whether the directory is still the one that was opened: an unmounted disk leaves an empty
 * directory, in which all objects seem to be gone, and objects written there are lost with the next
 * mount. One `stat` of the file with the id; when that is another file than last time, its content
 * decides, so that a disk that comes back is used again. No handle is kept open: it would keep the
 * disk from being unmounted.
 */
export class DirectoryPresence {
  readonly #directory: string;
  /** Undefined when the directory's id is unknown, as for a command that only reads it. */
  readonly #id: string | undefined;
  #seen: string | undefined;

  constructor(directory: string, id: string | undefined) {
    this.#directory = directory;
    this.#id = id;
  }

  /** Throws StoreError `directory gone`. */
  async require(): Promise<void> {
    if (this.#id === undefined) return;
    const path = join(this.#directory, identityFileName);
    try {
      const { dev, ino, ctimeNs } = await stat(path, { bigint: true });
      const found = `${dev} ${ino} ${ctimeNs}`;
      if (found === this.#seen) return;
      if ((await readFile(path, "utf8")).trim() === this.#id) {
        this.#seen = found;
        return;
      }
    } catch (error) {
      throw this.#gone(error);
    }
    throw this.#gone();
  }

  /** Checks the directory before a file counts as missing: the directory may be gone instead. */
  async explain(error: unknown): Promise<void> {
    const isMissing =
      error instanceof UploadMissing || error instanceof ObjectMissing || isMissingFile(error);
    const isStale = error instanceof Error && "code" in error && staleCodes.has(String(error.code));
    if (isMissing || isStale) await this.require();
  }

  #gone(cause?: unknown): StoreError {
    const sentence =
      `The directory ${this.#directory} (--artifacts) is missing, or another one is in its place. ` +
      `Mount the right disk; the service then uses it at once.`;
    return new StoreError("directory gone", true, sentence, cause);
  }
}

/** Error codes of a network file system whose server went away. */
const staleCodes: ReadonlySet<string> = new Set(["ESTALE", "ENOTCONN", "EHOSTDOWN", "ENXIO"]);
