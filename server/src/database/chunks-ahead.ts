import { zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Share } from "../ground/fair-shares.ts";

/**
 * Compressed chunks between their reader and their consumer: as many as a share of memory has room
 * for, and at least one.
 */
export class ChunksAhead {
  readonly #share: Share;
  readonly #kept: Uint8Array[] = [];
  #keptBytes = 0;
  #end: { failure?: unknown } | undefined;
  #isLeft = false;
  #changed = Promise.withResolvers<void>();

  constructor(share: Share) {
    this.#share = share;
  }

  /** Adds a chunk; waits up to this long for room. */
  async add(chunk: Uint8Array, waitMs: number): Promise<"kept" | "left" | "late"> {
    const packed = zstdCompressSync(chunk);
    if (!this.#hasRoom(packed.length)) {
      const late = Promise.withResolvers<"late">();
      const timer = setTimeout(() => late.resolve("late"), waitMs);
      const found = await Promise.race([this.#untilRoom(packed.length), late.promise]);
      clearTimeout(timer);
      if (found === "late") return found;
    }
    if (this.#isLeft) return "left";
    this.#kept.push(packed);
    this.#keptBytes += packed.length;
    this.#wake();
    return "kept";
  }

  /** Ends the chunks, normally or with a failure. */
  end(end: { failure?: unknown } = {}): void {
    this.#end ??= end;
    this.#wake();
  }

  leave(): void {
    this.#isLeft = true;
    this.#wake();
  }

  async *taken(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const packed = this.#kept.shift();
      if (packed !== undefined) {
        this.#keptBytes -= packed.length;
        this.#wake();
        // Buffers from zlib cannot be transferred to another thread.
        yield new Uint8Array(zstdDecompressSync(packed));
      } else if (this.#end === undefined) await this.#changed.promise;
      else if ("failure" in this.#end) throw this.#end.failure;
      else return;
    }
  }

  async #untilRoom(bytes: number): Promise<void> {
    while (!this.#hasRoom(bytes)) await this.#changed.promise;
  }

  #hasRoom(bytes: number): boolean {
    const isFree = this.#isLeft || this.#kept.length === 0;
    return isFree || this.#share.growTo(this.#keptBytes + bytes);
  }

  #wake(): void {
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}
