import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import type { ChunkCache } from "./chunk-cache.ts";
import type { DecodedChunk } from "./chunk.ts";
import { readSegmentIndex, type SegmentIndex } from "./segment.ts";

export interface SealedPoint {
  partition: number;
  step: number;
  timestamp: number;
  value: number;
}

interface OpenSegment {
  index: SegmentIndex;
  /** Place in the segment's prefix table, plus one. */
  prefixNumbers: Map<string, number>;
  /**
   * Smallest and largest counter of each chunk that was decoded once. Points of one step and
   * timestamp may fill many chunks; their counters tell which one to look into.
   */
  counters: Map<number, { min: number; max: number }>;
}

/**
 * The sealed points of one experiment as the writer sees them: read only when a counter identifier
 * is repeated, to tell a repeated point from a conflict.
 */
export class SealedPoints {
  readonly #bucket: SegmentBucket;
  readonly #chunks: ChunkCache;
  #keys: string[] = [];
  readonly #segments = new Map<string, OpenSegment>();

  constructor(bucket: SegmentBucket, chunks: ChunkCache) {
    this.#bucket = bucket;
    this.#chunks = chunks;
  }

  /** Memory of the indexes, without the shared chunks. */
  get bytes(): number {
    let bytes = 0;
    for (const { index, prefixNumbers, counters } of this.#segments.values()) {
      bytes += 64 * index.count.length + 100 * prefixNumbers.size + 80 * counters.size;
    }
    return bytes;
  }

  async refresh(reader: Reader, experimentId: string): Promise<void> {
    const rows = await reader.all<{ key: string }>(
      "SELECT key FROM segment WHERE experiment = $1 AND kind = 'points' ORDER BY seq_from DESC",
      experimentId,
    );
    this.#keys = rows.map((row) => row.key);
    for (const key of this.#segments.keys())
      if (!this.#keys.includes(key)) this.#segments.delete(key);
  }

  /**
   * Whether exactly this point is stored under the identifier `<prefix>-<counter>`. A promise only
   * when something has to be read first: a replay asks for every point, and waiting for each would
   * cost most.
   */
  holds(point: SealedPoint, prefix: string, counter: number): boolean | Promise<boolean> {
    for (const key of this.#keys) {
      const segment = this.#segments.get(key);
      if (segment === undefined) return this.#holdsAfterReading(point, prefix, counter);
      const prefixNumber = segment.prefixNumbers.get(prefix);
      if (prefixNumber === undefined) continue;
      for (const at of candidates(segment, point, counter)) {
        const chunk = this.#chunks.get(key, at);
        if (chunk === undefined) return this.#holdsAfterReading(point, prefix, counter);
        if (chunkHolds(chunk, point, prefixNumber, counter)) return true;
      }
    }
    return false;
  }

  async #holdsAfterReading(point: SealedPoint, prefix: string, counter: number): Promise<boolean> {
    for (const key of this.#keys) {
      const segment = await this.#open(key);
      const prefixNumber = segment.prefixNumbers.get(prefix);
      if (prefixNumber === undefined) continue;
      for (const at of candidates(segment, point, counter)) {
        const chunk =
          this.#chunks.get(key, at) ?? (await this.#chunks.read(key, segment.index, at));
        if (!segment.counters.has(at)) segment.counters.set(at, counterBounds(chunk));
        if (chunkHolds(chunk, point, prefixNumber, counter)) return true;
      }
    }
    return false;
  }

  async #open(key: string): Promise<OpenSegment> {
    let segment = this.#segments.get(key);
    if (segment === undefined) {
      const index = await readSegmentIndex(this.#bucket, key);
      const prefixNumbers = new Map(index.prefixes.map((prefix, number) => [prefix, number + 1]));
      segment = { index, prefixNumbers, counters: new Map() };
      this.#segments.set(key, segment);
    }
    return segment;
  }
}

/** Lists the chunks of the point's partition whose bounds include it. */
function candidates(
  { index, counters }: OpenSegment,
  point: SealedPoint,
  counter: number,
): number[] {
  const found: number[] = [];
  const { step, timestamp } = point;
  const [first, last] = index.chunksOf(point.partition);
  for (let at = first; at < last; at++) {
    if (step < index.minStep[at] || step > index.maxStep[at]) continue;
    if (timestamp < index.minTimestamp[at] || timestamp > index.maxTimestamp[at]) continue;
    const bounds = counters.get(at);
    if (bounds !== undefined && (counter < bounds.min || counter > bounds.max)) continue;
    found.push(at);
  }
  return found;
}

function counterBounds({ prefix, counter }: DecodedChunk): { min: number; max: number } {
  let min = Infinity;
  let max = -Infinity;
  if (prefix === undefined || counter === undefined) return { min, max };
  for (let row = 0; row < counter.length; row++) {
    if (prefix[row] === 0) continue;
    if (counter[row] < min) min = counter[row];
    if (counter[row] > max) max = counter[row];
  }
  return { min, max };
}

function chunkHolds(
  chunk: DecodedChunk,
  point: SealedPoint,
  prefixNumber: number,
  counter: number,
): boolean {
  if (chunk.prefix === undefined || chunk.counter === undefined) return false;
  for (let row = firstOfStep(chunk.step, point.step); chunk.step[row] === point.step; row++) {
    if (chunk.counter[row] === counter && chunk.prefix[row] === prefixNumber) {
      return chunk.timestamp[row] === point.timestamp && chunk.value[row] === point.value;
    }
  }
  return false;
}

function firstOfStep(steps: Float64Array, step: number): number {
  let low = 0;
  let high = steps.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (steps[middle] < step) low = middle + 1;
    else high = middle;
  }
  return low;
}
