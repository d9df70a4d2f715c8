import { statfs } from "node:fs/promises";
import { DatabaseError } from "../../database/database.ts";

/** Maximal age of the reading of free disk space. */
const maxAgeMs = 100;

/**
 * Keeps a reserve free on the disk of the artifacts. Parts being written are counted: their bytes
 * still to come, and those written after the free space was last read. No byte counts twice.
 */
export class FreeSpace {
  readonly #directory: string;
  readonly #reserveBytes: number;
  #freeBytes = 0;
  #readAtMs = -Infinity;
  #reading: Promise<void> | undefined;
  #claimedBytes = 0;
  #writtenSinceReadBytes = 0;

  constructor(directory: string, reserveBytes: number) {
    this.#directory = directory;
    this.#reserveBytes = reserveBytes;
  }

  /** Throws DatabaseError `full`; else the bytes count as taken until the result is disposed. */
  async claim(sizeBytes: number): Promise<SpaceClaim> {
    if (performance.now() - this.#readAtMs > maxAgeMs) {
      this.#reading ??= this.#read().finally(() => (this.#reading = undefined));
      await this.#reading;
    }
    const takenBytes = this.#writtenSinceReadBytes + this.#claimedBytes + sizeBytes;
    if (this.#freeBytes - takenBytes < this.#reserveBytes) {
      throw new DatabaseError(
        "full",
        `Less than ${this.#reserveBytes} bytes would stay free on the disk of ${this.#directory}.`,
      );
    }
    this.#claimedBytes += sizeBytes;
    let leftBytes = sizeBytes;
    const take = (bytes: number): number => {
      const taken = Math.min(bytes, leftBytes);
      leftBytes -= taken;
      this.#claimedBytes -= taken;
      return taken;
    };
    return {
      wrote: (bytes) => void (this.#writtenSinceReadBytes += take(bytes)),
      [Symbol.dispose]: () => void take(leftBytes),
    };
  }

  async #read(): Promise<void> {
    const before = this.#writtenSinceReadBytes;
    const { bavail, bsize } = await statfs(this.#directory);
    this.#freeBytes = bavail * bsize;
    // Bytes written meanwhile may or may not be in the reading; they count until the next one.
    this.#writtenSinceReadBytes -= before;
    this.#readAtMs = performance.now();
  }
}

export interface SpaceClaim extends Disposable {
  /** Reports that this many of the claimed bytes are in the file: the disk counts them itself. */
  wrote(bytes: number): void;
}

/**
 * Yields a body's pieces, and reports those written to the claim when the next ones are requested.
 */
export async function* countWritten(
  claim: SpaceClaim,
  body: AsyncIterable<readonly Uint8Array[]>,
): AsyncGenerator<readonly Uint8Array[]> {
  for await (const pieces of body) {
    // Before they are used up.
    const bytes = pieces.reduce((sum, piece) => sum + piece.length, 0);
    yield pieces;
    claim.wrote(bytes);
  }
}
