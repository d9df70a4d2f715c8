import type { SegmentBucket } from "../buckets/bucket.ts";
import { decodeChunk, type DecodedChunk } from "./chunk.ts";
import type { SegmentIndex } from "./segment.ts";

/** Memory for decoded chunks; a replay of old points walks through them nearly in order. */
const bytesMax = 24 * 1024 * 1024;
/** Step, timestamp, value, counter and prefix number. */
const bytesPerPoint = 36;

/** Decoded chunks with their identifiers, of all experiments of a writer; the oldest makes room. */
export class ChunkCache {
  readonly #bucket: SegmentBucket;
  readonly #chunks = new Map<string, DecodedChunk>();
  #bytes = 0;

  constructor(bucket: SegmentBucket) {
    this.#bucket = bucket;
  }

  get(key: string, at: number): DecodedChunk | undefined {
    return this.#chunks.get(`${key} ${at}`);
  }

  async read(key: string, index: SegmentIndex, at: number): Promise<DecodedChunk> {
    const bytes = await this.#bucket.read(key, index.offset[at], index.bytes[at]);
    const chunk = decodeChunk(bytes, true);
    this.#chunks.set(`${key} ${at}`, chunk);
    this.#bytes += bytesPerPoint * chunk.step.length;
    for (const [name, oldest] of this.#chunks) {
      if (this.#bytes <= bytesMax || oldest === chunk) break;
      this.#chunks.delete(name);
      this.#bytes -= bytesPerPoint * oldest.step.length;
    }
    return chunk;
  }
}
