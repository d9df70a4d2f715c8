/** A file that is read completely. */
export interface WantedFile {
  /** Identifies its content, which never changes. */
  key: string;
  read: () => Promise<Uint8Array>;
}

/**
 * Reads files, few at a time: browsers have six connections to a host, and one of them waits for
 * news. Nobody waits for a file that is not shown any more: one that has not begun is dropped. One
 * that has begun is read to its end and kept, as its request has been paid for.
 */
export class FileQueue {
  readonly #atOnce: number;
  readonly #keptBytesMax: number;
  readonly #waiting = new Set<() => void>();
  readonly #reading = new Map<string, Promise<Uint8Array>>();
  /** The last read files, the longest unused first. */
  readonly #kept = new Map<string, Uint8Array>();
  #keptBytes = 0;

  constructor(atOnce = 4, keptBytesMax = 32 * 1_048_576) {
    this.#atOnce = atOnce;
    this.#keptBytesMax = keptBytesMax;
  }

  /** A file that is here already. */
  kept({ key }: WantedFile): Uint8Array | undefined {
    const bytes = this.#kept.get(key);
    if (bytes === undefined) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, bytes);
    return bytes;
  }

  /** Resolves to undefined where it was stopped. */
  async read(file: WantedFile, stopped: AbortSignal): Promise<Uint8Array | undefined> {
    while (!stopped.aborted) {
      const begun = this.kept(file) ?? this.#reading.get(file.key) ?? this.#beginIfFree(file);
      if (begun !== undefined) {
        // Its turn is for another one, if it needed none.
        this.#next();
        const bytes = await begun;
        return stopped.aborted ? undefined : bytes;
      }
      await this.#turn(stopped);
    }
    this.#next();
    return undefined;
  }

  /** Waits for a free place, or until it is stopped. */
  #turn(stopped: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        this.#waiting.delete(end);
        stopped.removeEventListener("abort", end);
        resolve();
      };
      stopped.addEventListener("abort", end);
      this.#waiting.add(end);
    });
  }

  #next(): void {
    if (this.#reading.size >= this.#atOnce) return;
    const [first] = this.#waiting;
    first?.();
  }

  #beginIfFree(file: WantedFile): Promise<Uint8Array> | undefined {
    return this.#reading.size < this.#atOnce ? this.#begin(file) : undefined;
  }

  #begin(file: WantedFile): Promise<Uint8Array> {
    const reading = file
      .read()
      .then((bytes) => {
        this.#keep(file.key, bytes);
        return bytes;
      })
      .finally(() => {
        this.#reading.delete(file.key);
        this.#next();
      });
    this.#reading.set(file.key, reading);
    return reading;
  }

  #keep(key: string, bytes: Uint8Array): void {
    this.#kept.set(key, bytes);
    this.#keptBytes += bytes.length;
    for (const [oldest, { length }] of this.#kept) {
      if (this.#keptBytes <= this.#keptBytesMax) return;
      this.#kept.delete(oldest);
      this.#keptBytes -= length;
    }
  }
}
