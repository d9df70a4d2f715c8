import { statfsSync } from "node:fs";
import { DatabaseError } from "../database/database.ts";

/** Maximal age of the reading of free disk space. */
const maxAgeMs = 100;

/** Returns a directory's free disk bytes, read at most ten times a second; Infinity without one. */
export class FreeDisk {
  readonly #directory: string | undefined;
  #freeBytes = Infinity;
  #readAtMs = -Infinity;

  constructor(directory: string | undefined) {
    this.#directory = directory;
  }

  get bytes(): number {
    if (this.#directory === undefined) return Infinity;
    const nowMs = performance.now();
    if (nowMs - this.#readAtMs < maxAgeMs) return this.#freeBytes;
    this.#readAtMs = nowMs;
    try {
      const { bavail, bsize } = statfsSync(this.#directory);
      this.#freeBytes = bavail * bsize;
    } catch (error) {
      throw new DatabaseError("failed", `The disk of ${this.#directory} cannot be read.`, error);
    }
    return this.#freeBytes;
  }
}
