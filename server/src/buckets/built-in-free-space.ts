import { statfs } from "node:fs/promises";
import { DatabaseError } from "../database/database.ts";

/** How old the reading of free disk space may be. */
const maxAgeMs = 100;

/** Keeps a reserve free on the disk of the artifacts, parts that are being written counted in. */
export class FreeSpace {
  private readonly directory: string;
  private readonly reserveBytes: number;
  private freeBytes = 0;
  private readAtMs = -Infinity;
  private reading: Promise<void> | undefined;
  private claimedBytes = 0;

  constructor(directory: string, reserveBytes: number) {
    this.directory = directory;
    this.reserveBytes = reserveBytes;
  }

  /** Throws DatabaseError `full`; otherwise the bytes count as taken until the result is disposed. */
  async claim(sizeBytes: number): Promise<Disposable> {
    if (performance.now() - this.readAtMs > maxAgeMs) {
      this.reading ??= this.read().finally(() => (this.reading = undefined));
      await this.reading;
    }
    if (this.freeBytes - this.claimedBytes - sizeBytes < this.reserveBytes) {
      throw new DatabaseError(
        "full",
        `Less than ${this.reserveBytes} bytes would stay free on the disk of ${this.directory}.`,
      );
    }
    this.claimedBytes += sizeBytes;
    return { [Symbol.dispose]: () => (this.claimedBytes -= sizeBytes) };
  }

  private async read(): Promise<void> {
    const { bavail, bsize } = await statfs(this.directory);
    this.freeBytes = bavail * bsize;
    this.readAtMs = performance.now();
  }
}
