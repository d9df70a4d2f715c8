import type { SegmentBucket } from "../buckets/bucket.ts";
import { footerGuessBytes } from "./segment.ts";

/**
 * Reads of segments of which the end, once it is read, stays in memory: a short segment is read
 * with its footer.
 */
export class HeldEnds implements Pick<SegmentBucket, "read" | "size"> {
  readonly #bucket: Pick<SegmentBucket, "read" | "readEnd" | "size">;
  readonly #ends = new Map<string, { size: number; start: number; bytes: Uint8Array }>();

  readonly #slab = Buffer.allocUnsafeSlow(slabBytes);
  #used = 0;

  constructor(bucket: Pick<SegmentBucket, "read" | "readEnd" | "size">) {
    this.#bucket = bucket;
  }

  /** Reads the end at once where the bucket can. */
  async size(key: string): Promise<number> {
    const bucket = this.#bucket;
    const { size, bytes } =
      bucket.readEnd === undefined
        ? { size: await bucket.size(key), bytes: nothing }
        : await bucket.readEnd(key, footerGuessBytes, this.#memory);
    this.#ends.set(key, { size, start: size - bytes.length, bytes });
    return size;
  }

  async read(key: string, offset: number, length: number): Promise<Uint8Array> {
    const end = this.#ends.get(key);
    if (end !== undefined && offset >= end.start && offset + length <= end.size)
      return end.bytes.subarray(offset - end.start, offset - end.start + length);
    const bytes = await this.#bucket.read(key, offset, length);
    if (end !== undefined && offset + length === end.size)
      this.#ends.set(key, { size: end.size, start: offset, bytes });
    return bytes;
  }

  /** Memory outside of the heap, a piece for each end, would cost more than to read them. */
  readonly #memory = (length: number): Uint8Array => {
    const start = this.#used;
    if (start + length > this.#slab.length) return Buffer.allocUnsafeSlow(length);
    this.#used += length;
    return this.#slab.subarray(start, this.#used);
  };

  /** Forgets all of them. Their memory is written again: nobody has a view of it any more. */
  release(): void {
    this.#ends.clear();
    this.#used = 0;
  }
}

const nothing = new Uint8Array();
/** The ends of some hundred short segments. */
const slabBytes = 1_048_576;
