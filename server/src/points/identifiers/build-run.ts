import { crc32 } from "node:zlib";
import { freeMemory } from "../../ground/free-memory.ts";
import { Bloom, bloomBlockBytes } from "./bloom.ts";
import { encodeIntervals } from "./interval-section.ts";
import type { Intervals } from "./intervals.ts";
import {
  bucketBitsFor,
  bucketOf,
  encodeRunHeader,
  entryBytes,
  impliedBytes,
  tableRowBytes,
} from "./run-format.ts";
import { shortFingerprint } from "../fingerprint.ts";

export interface RunContent {
  /** Three words a hashed identifier, in any order. */
  hashes: Uint32Array;
  /** 32 bits of each payload; the run keeps 24. */
  fingerprints: Uint32Array;
  intervals: ReadonlyMap<string, Intervals>;
}

/** A whole identifier object, for Bucket.put. About 0.3 s for a million hashes. */
export function buildIdentifierRun({ hashes, fingerprints, intervals }: RunContent): Uint8Array[] {
  const count = fingerprints.length;
  if (hashes.length !== 3 * count) {
    throw new Error(`BUG: got ${hashes.length} hash words for ${count} fingerprints`);
  }
  const builder = new RunBuilder(count);
  const short = fingerprints.map(shortFingerprint);
  builder.add(hashes, short, count, 0, builder.bucketCount);
  freeMemory(short);
  return builder.finish(intervals);
}

/**
 * Builds an object with a known number of hashes, from pieces in ascending order of their buckets.
 */
export class RunBuilder {
  readonly bucketBits: number;
  readonly #count: number;
  readonly #bloom: Bloom;
  readonly #table: Uint32Array;
  readonly #pieces: Uint8Array[] = [];
  #added = 0;

  constructor(count: number) {
    this.#count = count;
    this.bucketBits = bucketBitsFor(count);
    this.#bloom = Bloom.forKeys(count);
    this.#table = new Uint32Array((tableRowBytes / 4) * this.bucketCount);
  }

  get bucketCount(): number {
    return 2 ** this.bucketBits;
  }

  /**
   * Adds all hashes of the buckets first … last - 1, in any order, with their 24-bit fingerprints.
   */
  add(
    hashes: Uint32Array,
    fingerprints: Uint32Array,
    count: number,
    first: number,
    last: number,
  ): void {
    const order = ascending(hashes, count);
    const width = entryBytes(this.bucketBits);
    const piece = this.#encode(hashes, fingerprints, order);
    let bucketStart = 0;
    let at = 0;
    for (let bucket = first; bucket < last; bucket++) {
      while (at < count && bucketOf(hashes[3 * order[at]], this.bucketBits) === bucket) at++;
      this.#table[2 * bucket] = this.#added + at;
      this.#table[2 * bucket + 1] = crc32(piece.subarray(bucketStart * width, at * width));
      bucketStart = at;
    }
    if (at !== count) throw new Error(`BUG: got ${count - at} hashes outside of their buckets`);
    freeMemory(order);
    this.#pieces.push(piece);
    this.#added += count;
  }

  finish(intervals: ReadonlyMap<string, Intervals>): Uint8Array[] {
    if (this.#added !== this.#count) {
      throw new Error(`BUG: got ${this.#added} hashes instead of ${this.#count}`);
    }
    const section = encodeIntervals(intervals);
    const table = new Uint8Array(this.#table.buffer);
    const bloom = new Uint8Array(this.#bloom.words.buffer);
    const header = encodeRunHeader({
      hashedCount: this.#count,
      bucketBits: this.bucketBits,
      prefixCount: intervals.size,
      intervalsBytes: section.length,
      intervalsCrc: crc32(section),
      tableCrc: crc32(table),
      bloomBlocks: bloom.length / bloomBlockBytes,
      bloomCrc: crc32(bloom),
    });
    return [header, section, table, bloom, ...this.#pieces];
  }

  #encode(hashes: Uint32Array, fingerprints: Uint32Array, order: Uint32Array): Uint8Array {
    const implied = impliedBytes(this.bucketBits);
    const bytes = new Uint8Array(order.length * entryBytes(this.bucketBits));
    let end = 0;
    for (const index of order) {
      const a = hashes[3 * index];
      const b = hashes[3 * index + 1];
      const c = hashes[3 * index + 2];
      const fingerprint = fingerprints[index];
      this.#bloom.add(a, b, c);
      if (implied < 1) bytes[end++] = a >>> 24;
      if (implied < 2) bytes[end++] = a >>> 16;
      if (implied < 3) bytes[end++] = a >>> 8;
      bytes[end++] = a;
      bytes[end++] = b >>> 24;
      bytes[end++] = b >>> 16;
      bytes[end++] = b >>> 8;
      bytes[end++] = b;
      bytes[end++] = c >>> 24;
      bytes[end++] = c >>> 16;
      bytes[end++] = c >>> 8;
      bytes[end++] = c;
      bytes[end++] = fingerprint >>> 16;
      bytes[end++] = fingerprint >>> 8;
      bytes[end++] = fingerprint;
    }
    return bytes;
  }
}

/**
 * Returns row numbers in ascending order of their hashes. Hashes are uniform, so a counting sort by
 * the leading bits leaves a handful in each cell, which an insertion sort orders.
 */
function ascending(hashes: Uint32Array, count: number): Uint32Array {
  const [low, high] = firstWordRange(hashes, count);
  const cells = Math.max(1, count >>> 2);
  const scale = cells / (high - low + 1);
  const ends = new Uint32Array(cells + 1);
  for (let i = 0; i < count; i++) ends[Math.floor((hashes[3 * i] - low) * scale) + 1]++;
  for (let cell = 0; cell < cells; cell++) ends[cell + 1] += ends[cell];
  const order = new Uint32Array(count);
  const next = ends.slice(0, cells);
  for (let i = 0; i < count; i++) order[next[Math.floor((hashes[3 * i] - low) * scale)]++] = i;
  for (let cell = 0; cell < cells; cell++) sortCell(hashes, order, ends[cell], ends[cell + 1]);
  freeMemory(ends, next);
  return order;
}

function firstWordRange(hashes: Uint32Array, count: number): [low: number, high: number] {
  let low = 0xffff_ffff;
  let high = 0;
  for (let i = 0; i < count; i++) {
    const a = hashes[3 * i];
    if (a < low) low = a;
    if (a > high) high = a;
  }
  return [Math.min(low, high), high];
}

function sortCell(hashes: Uint32Array, order: Uint32Array, start: number, end: number): void {
  if (end - start > insertionMax) {
    order.subarray(start, end).sort((left, right) => compare(hashes, left, right));
    return;
  }
  for (let i = start + 1; i < end; i++) {
    const moved = order[i];
    let at = i;
    while (at > start && compare(hashes, order[at - 1], moved) > 0) {
      order[at] = order[at - 1];
      at--;
    }
    order[at] = moved;
  }
}

/** A cell with more is not of uniform hashes. */
const insertionMax = 48;

function compare(hashes: Uint32Array, left: number, right: number): number {
  const l = 3 * left;
  const r = 3 * right;
  return hashes[l] - hashes[r] || hashes[l + 1] - hashes[r + 1] || hashes[l + 2] - hashes[r + 2];
}
