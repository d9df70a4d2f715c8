import type { Bucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { decodeChunk, type DecodedChunk } from "./chunk.ts";
import { readSegmentIndex, type SegmentIndex } from "./segment.ts";

/** Decoded chunks kept at once; a replay of old points walks through them nearly in order. */
const chunksKept = 64;

/**
 * The sealed points of one experiment as the writer sees them: asked only when a counter identifier comes
 * a second time, to tell a repeated point from a conflict.
 */
export class SealedPoints {
  private readonly bucket: Bucket;
  private keys: string[] = [];
  private readonly segments = new Map<string, SegmentIndex>();
  private readonly chunks = new Map<string, DecodedChunk>();

  constructor(bucket: Bucket) {
    this.bucket = bucket;
  }

  async refresh(reader: Reader, experimentId: string): Promise<void> {
    const rows = await reader.all<{ key: string }>(
      "SELECT key FROM segment WHERE experiment = $1 AND kind = 'points' ORDER BY seq_from DESC",
      experimentId,
    );
    this.keys = rows.map((row) => row.key);
    for (const key of this.segments.keys()) if (!this.keys.includes(key)) this.segments.delete(key);
  }

  /**
   * Whether exactly this point is stored under the identifier `<prefix>-<counter>`. A promise only when
   * something has to be read first: a replay asks for every point, and waiting for each would cost most.
   */
  holds(point: SealedPoint, prefix: string, counter: number): boolean | Promise<boolean> {
    for (const key of this.keys) {
      const index = this.segments.get(key);
      if (index === undefined) return this.holdsAfterReading(point, prefix, counter);
      const prefixNumber = index.prefixes.indexOf(prefix) + 1;
      for (const at of prefixNumber === 0 ? [] : candidates(index, point)) {
        const chunk = this.chunks.get(`${key} ${at}`);
        if (chunk === undefined) return this.holdsAfterReading(point, prefix, counter);
        if (chunkHolds(chunk, point, prefixNumber, counter)) return true;
      }
    }
    return false;
  }

  private async holdsAfterReading(
    point: SealedPoint,
    prefix: string,
    counter: number,
  ): Promise<boolean> {
    for (const key of this.keys) {
      const index = await this.segment(key);
      const prefixNumber = index.prefixes.indexOf(prefix) + 1;
      for (const at of prefixNumber === 0 ? [] : candidates(index, point)) {
        if (chunkHolds(await this.chunk(key, index, at), point, prefixNumber, counter)) return true;
      }
    }
    return false;
  }

  private async segment(key: string): Promise<SegmentIndex> {
    let index = this.segments.get(key);
    if (index === undefined) {
      index = await readSegmentIndex(this.bucket, key);
      this.segments.set(key, index);
    }
    return index;
  }

  private async chunk(key: string, index: SegmentIndex, at: number): Promise<DecodedChunk> {
    const name = `${key} ${at}`;
    let chunk = this.chunks.get(name);
    if (chunk === undefined) {
      chunk = decodeChunk(await this.bucket.read(key, index.offset[at]!, index.bytes[at]!), true);
      // The oldest makes room.
      if (this.chunks.size >= chunksKept) this.chunks.delete(this.chunks.keys().next().value!);
      this.chunks.set(name, chunk);
    }
    return chunk;
  }
}

export interface SealedPoint {
  partition: number;
  step: number;
  timestamp: number;
  value: number;
}

/** Chunks of the point's partition whose bounds it lies in. */
function candidates(index: SegmentIndex, point: SealedPoint): number[] {
  const found: number[] = [];
  const [first, last] = index.chunksOf(point.partition);
  for (let at = first; at < last; at++) {
    if (point.step < index.minStep[at]! || point.step > index.maxStep[at]!) continue;
    if (point.timestamp < index.minTimestamp[at]! || point.timestamp > index.maxTimestamp[at]!)
      continue;
    found.push(at);
  }
  return found;
}

function chunkHolds(
  chunk: DecodedChunk,
  point: SealedPoint,
  prefixNumber: number,
  counter: number,
): boolean {
  if (chunk.prefix === undefined || chunk.counter === undefined) return false;
  let low = 0;
  let high = chunk.step.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (chunk.step[middle]! < point.step) low = middle + 1;
    else high = middle;
  }
  for (let row = low; row < chunk.step.length && chunk.step[row] === point.step; row++) {
    if (chunk.counter[row] === counter && chunk.prefix[row] === prefixNumber) {
      return chunk.timestamp[row] === point.timestamp && chunk.value[row] === point.value;
    }
  }
  return false;
}
