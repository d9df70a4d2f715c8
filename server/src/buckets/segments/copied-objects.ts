import { DatabaseError } from "../../database/database.ts";
import { isDiskFull } from "../disk-failure.ts";
import { LocalCopies, type ObjectSeal } from "./local-copies.ts";

const countedKeysMax = 10_000;

/** Source of the objects; every method throws ObjectMissing. */
export interface ObjectSource {
  seal(key: string): Promise<ObjectSeal>;
  readRange(key: string, offset: number, length: number): Promise<Uint8Array>;
  /** Hands over the whole object, in order and in pieces. */
  readWhole(key: string, write: (bytes: Uint8Array) => Promise<void>): Promise<void>;
}

/**
 * Reads of objects that are elsewhere. One that is read so often (`readsBeforeCopy`) gets a copy on
 * the local disk, where a read costs no round trips.
 */
export class CopiedObjects {
  readonly #source: ObjectSource;
  readonly #copies: LocalCopies;
  readonly #readsBeforeCopy: number;
  readonly #reads = new Map<string, number>();

  constructor(source: ObjectSource, directory: string, readsBeforeCopy: number) {
    this.#source = source;
    this.#copies = new LocalCopies(directory);
    this.#readsBeforeCopy = readsBeforeCopy;
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array> {
    const seal = () => this.#source.seal(key);
    const copied = await this.#copies.read(key, seal, offset, length);
    if (copied !== undefined) return copied;
    if (this.#countRead(key) >= this.#readsBeforeCopy && (await this.#copyIfPossible(key))) {
      const fromCopy = await this.#copies.read(key, seal, offset, length);
      if (fromCopy !== undefined) return fromCopy;
    }
    return this.#source.readRange(key, offset, length);
  }

  /**
   * Throws DatabaseError `full` or `unavailable` when the copy cannot be written: the objects are
   * sound, so that nothing is damaged and the process need not stop.
   */
  async localFile(key: string): Promise<string> {
    try {
      return await this.#copy(key).catch(async (error: unknown) => {
        if (!isDiskFull(error)) throw error;
        await this.#copies.clear();
        return this.#copy(key);
      });
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      const kind = isDiskFull(error) ? "full" : "unavailable";
      throw new DatabaseError(kind, `The object ${key} cannot be copied: ${error.message}`, error);
    }
  }

  async remove(key: string): Promise<void> {
    this.#reads.delete(key);
    await this.#copies.remove(key);
  }

  /** Whether there is a copy now. Without one, reads cost round trips, and that is all. */
  async #copyIfPossible(key: string): Promise<boolean> {
    try {
      await this.#copy(key);
      return true;
    } catch (error) {
      if (!(error instanceof Error && "syscall" in error)) throw error;
      this.#reads.delete(key);
      return false;
    }
  }

  #copy(key: string): Promise<string> {
    return this.#copies.path(
      key,
      () => this.#source.seal(key),
      (write) => this.#source.readWhole(key, write),
    );
  }

  #countRead(key: string): number {
    if (this.#reads.size >= countedKeysMax) this.#reads.clear();
    const count = (this.#reads.get(key) ?? 0) + 1;
    this.#reads.set(key, count);
    return count;
  }
}
