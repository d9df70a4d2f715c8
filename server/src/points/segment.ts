import { crc32 } from "node:zlib";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { NewerFormat } from "../ground/newer-format.ts";
import { BlockReader, encodeBlock } from "./blocks.ts";
import { decodeChunk, encodeChunk, type ChunkColumns } from "./chunk.ts";
import { decodeIntegers, encodeIntegers } from "./integers.ts";
import { CorruptData } from "./corrupt-data.ts";
import {
  decodeGrains,
  differingColumn,
  emptyGrains,
  encodeGrains,
  grainExponent,
  grainsOf,
  type Grains,
} from "./grains.ts";
import { decodePrefixes, encodePrefixes } from "./log-record.ts";

/**
 * Writes a segment object: chunks, partition by partition in ascending order, their grains, then a
 * footer that says where they are. docs/storage-format.md draws its bytes.
 */
export class SegmentWriter {
  readonly #parts: Uint8Array[] = [fileHeader(segmentVersion)];
  readonly #entries: ChunkEntry[] = [];
  /** Grains of partitions before the last, encoded. */
  readonly #grains: Uint8Array[] = [];
  #lastPartition: { first: ChunkEntry; points: number; grains: Grains[] } | undefined;
  readonly #prefixes: readonly string[];

  /** Prefixes of the identifiers. Number n + 1 in a chunk's prefix column refers to prefixes[n]. */
  constructor(prefixes: readonly string[] = []) {
    this.#prefixes = prefixes;
  }

  /**
   * Adds a chunk of a partition, after all chunks of lower partitions and of lower steps. `bytes`
   * is its encoding. The columns are not needed any more when it returns.
   */
  addChunk(partition: number, columns: ChunkColumns, bytes = encodeChunk(columns)): void {
    const entry = describe(partition, columns, bytes.length);
    const last = this.#entries.at(-1);
    if (last !== undefined && isBefore(entry, last)) {
      throw new Error(`BUG: got partition ${partition} after ${last.partition}, or a lower step`);
    }
    if (partition !== last?.partition) {
      this.#finishGrains();
      this.#lastPartition = { first: entry, points: 0, grains: [] };
    }
    this.#lastPartition!.points += entry.count;
    this.#lastPartition!.grains.push(grainsOf(columns));
    this.#entries.push(entry);
    this.#parts.push(bytes);
  }

  /** Returns the whole object, in the form of SegmentBucket.put. */
  finish(): Uint8Array[] {
    if (this.#entries.length === 0) throw new Error("BUG: got a segment without chunks");
    this.#finishGrains();
    const blocks = [
      encodePrefixes(this.#prefixes),
      ...footerColumns.map((name) =>
        encodeIntegers(Float64Array.from(this.#entries, (entry) => entry[name])),
      ),
      Uint8Array.from(this.#entries, (entry) => (entry.isOrdered ? orderedFlag : 0)),
    ].flatMap(encodeBlock);
    const blocksLength = blocks.reduce((sum, { length }) => sum + length, 0);
    const trailer = Buffer.alloc(trailerBytes);
    trailer.writeUInt32LE(this.#entries.length, 0);
    trailer.writeUInt32LE(this.#prefixes.length, 4);
    trailer.writeUInt32LE(blocksLength + trailerBytes, 8);
    trailer.writeUInt8(segmentVersion, 12);
    trailer.writeUInt32LE(magic, 16);
    const footer = Buffer.concat([...blocks, trailer]);
    footer.writeUInt32LE(crc32(footer.subarray(0, -4)), footer.length - 4);
    return [...this.#parts, ...this.#grains, footer];
  }

  #finishGrains(): void {
    if (this.#lastPartition === undefined) return;
    const { first, points, grains } = this.#lastPartition;
    if (mayLackGrains(points)) return;
    if (grains.every(({ count }) => count.length === 0)) return;
    const bytes = encodeGrains(grains);
    this.#grains.push(bytes);
    first.grainBytes = bytes.length;
  }
}

/**
 * Offsets and bounds of a segment's chunks: row i of every column is chunk i. Sorted by (partition,
 * minStep).
 */
export interface SegmentIndex {
  readonly version: number;
  readonly prefixes: string[];
  readonly partition: Uint32Array;
  readonly offset: Float64Array;
  readonly bytes: Uint32Array;
  readonly count: Uint32Array;
  readonly minStep: Float64Array;
  readonly maxStep: Float64Array;
  readonly minTimestamp: Float64Array;
  readonly maxTimestamp: Float64Array;
  /** 1 where timestamps never go down within the chunk. */
  readonly isOrdered: Uint8Array;
  /** Offset of the grains of a partition, at its first chunk; others have 0 bytes. */
  readonly grainOffset: Float64Array;
  readonly grainBytes: Float64Array;
  readonly points: number;
  /** The chunks of one partition: from the first to before the last. */
  chunksOf(partition: number): [first: number, last: number];
}

/**
 * Reads the footer, usually with one read. Throws CorruptData, NewerFormat, or the bucket's errors.
 */
export async function readSegmentIndex(
  bucket: Pick<SegmentBucket, "read" | "size">,
  key: string,
): Promise<SegmentIndex> {
  const footer = await readFooter(bucket, key);
  return decodeFooter(footer, new BlockReader(footer.blocks));
}

/** A footer whose checksum is right. */
export interface Footer {
  key: string;
  /** Bytes of the segment. */
  size: number;
  length: number;
  version: number;
  chunks: number;
  prefixes: number;
  blocks: Uint8Array;
}

/** Reads and checks a footer, without decompressing it. */
export async function readFooter(
  bucket: Pick<SegmentBucket, "read" | "size">,
  key: string,
): Promise<Footer> {
  const size = await bucket.size(key);
  if (size < fileHeaderBytes + trailerBytes) throw new CorruptData(`${key} has ${size} bytes`);
  const guess = Math.min(size, footerGuessBytes);
  let tail = await bucket.read(key, size - guess, guess);
  const footerLength = view(tail).getUint32(tail.length - trailerBytes + 8, true);
  if (footerLength < trailerBytes || footerLength > size - fileHeaderBytes) {
    throw new CorruptData(`${key} says its footer has ${footerLength} of ${size} bytes`);
  }
  if (footerLength > guess) tail = await bucket.read(key, size - footerLength, footerLength);
  return checkedFooter(tail.subarray(tail.length - footerLength), size, key);
}

/**
 * Whether a partition with this many points is written without grains: a chart shows all of them
 * one by one, and grains would add a good part of their size.
 */
function mayLackGrains(points: number): boolean {
  return points < 2_048;
}

/**
 * Reads the grains of each chunk of a partition: short chunks, partitions of few points and version
 * 1 have none.
 */
export async function readGrains(
  bucket: Pick<SegmentBucket, "read">,
  key: string,
  index: SegmentIndex,
  partition: number,
): Promise<Grains[]> {
  const [first, last] = index.chunksOf(partition);
  if (first === last) return [];
  const counts: number[] = [];
  for (let at = first; at < last; at++) {
    const exponent = grainExponent(index.count[at], index.minStep[at], index.maxStep[at]);
    counts.push(exponent === undefined ? 0 : index.count[at]);
  }
  if (index.grainBytes[first] === 0) return counts.map(() => emptyGrains(0));
  const bytes = await bucket.read(key, index.grainOffset[first], index.grainBytes[first]);
  return decodeGrains(bytes, counts);
}

/** Reads every byte of a segment. Returns the number of its points, or throws CorruptData. */
export async function verifySegment(
  bucket: Pick<SegmentBucket, "read" | "size">,
  key: string,
): Promise<number> {
  const index = await readSegmentIndex(bucket, key);
  const header = await bucket.read(key, 0, fileHeaderBytes);
  if (Buffer.compare(header, fileHeader(index.version)) !== 0) {
    throw new CorruptData(`header of ${key} differs`);
  }
  for (let first = 0; first < index.count.length;) {
    const [, last] = index.chunksOf(index.partition[first]);
    const grains: Grains[] = [];
    for (let at = first; at < last; at++) {
      const bytes = await bucket.read(key, index.offset[at], index.bytes[at]);
      const columns = decodeChunk(bytes, true);
      requireDescribed(index, at, columns, key);
      grains.push(grainsOf(columns));
    }
    await requireGrains(bucket, key, index, first, grains);
    first = last;
  }
  return index.points;
}

function requireDescribed(
  index: SegmentIndex,
  at: number,
  columns: ChunkColumns,
  key: string,
): void {
  const entry = describe(index.partition[at], columns, index.bytes[at]);
  for (const name of chunkColumns) {
    if (entry[name] !== index[name][at]) {
      throw new CorruptData(`chunk ${at} of ${key}: ${name} is ${entry[name]}`);
    }
  }
  if (entry.isOrdered !== (index.isOrdered[at] === orderedFlag)) {
    throw new CorruptData(`chunk ${at} of ${key}: isOrdered is ${entry.isOrdered}`);
  }
}

/** Requires that the stored grains of a partition, whose first chunk is given, equal these. */
async function requireGrains(
  bucket: Pick<SegmentBucket, "read">,
  key: string,
  index: SegmentIndex,
  first: number,
  grains: Grains[],
): Promise<void> {
  if (index.version === 1) return;
  const points = grains.reduce((sum, _, chunk) => sum + index.count[first + chunk], 0);
  if (index.grainBytes[first] === 0 && mayLackGrains(points)) return;
  const stored = await readGrains(bucket, key, index, index.partition[first]);
  for (const [chunk, wanted] of grains.entries()) {
    const name = differingColumn(wanted, stored[chunk]);
    if (name === undefined) continue;
    throw new CorruptData(`grains of chunk ${first + chunk} of ${key}: ${name} differs`);
  }
}

interface ChunkEntry {
  partition: number;
  bytes: number;
  count: number;
  minStep: number;
  maxStep: number;
  minTimestamp: number;
  maxTimestamp: number;
  isOrdered: boolean;
  grainBytes: number;
}

/** Columns of the footer for each chunk, in the order on disk. Offsets follow from the lengths. */
const chunkColumns = [
  "partition",
  "bytes",
  "count",
  "minStep",
  "maxStep",
  "minTimestamp",
  "maxTimestamp",
] as const;
/** Version 1 had the chunks' columns only. */
const footerColumns = [...chunkColumns, "grainBytes"] as const;

/** "LSeg" */
const magic = 0x6765_534c;
export const segmentVersion = 2;
const fileHeaderBytes = 8;
const trailerBytes = 24;
/** Bytes read for a footer at first; it has 2 to 15 bytes a chunk. */
export const footerGuessBytes = 32_768;
const orderedFlag = 1;

function fileHeader(ofVersion: number): Uint8Array {
  const header = Buffer.alloc(fileHeaderBytes);
  header.writeUInt32LE(magic, 0);
  header.writeUInt8(ofVersion, 4);
  return header;
}

function describe(partition: number, { step, timestamp }: ChunkColumns, bytes: number): ChunkEntry {
  const count = step.length;
  let minTimestamp = timestamp[0];
  let maxTimestamp = timestamp[0];
  let isOrdered = true;
  for (let i = 1; i < count; i++) {
    if (step[i] < step[i - 1]) throw new Error(`BUG: got step ${step[i]} after ${step[i - 1]}`);
    if (timestamp[i] < minTimestamp) minTimestamp = timestamp[i];
    if (timestamp[i] > maxTimestamp) maxTimestamp = timestamp[i];
    if (timestamp[i] < timestamp[i - 1]) isOrdered = false;
  }
  return {
    partition,
    bytes,
    count,
    minStep: step[0],
    maxStep: step[count - 1],
    minTimestamp,
    maxTimestamp,
    isOrdered,
    grainBytes: 0,
  };
}

function isBefore(entry: ChunkEntry, last: ChunkEntry): boolean {
  if (entry.partition !== last.partition) return entry.partition < last.partition;
  return entry.minStep < last.maxStep;
}

function checkedFooter(footer: Uint8Array, size: number, key: string): Footer {
  const trailer = view(footer.subarray(footer.length - trailerBytes));
  if (crc32(footer.subarray(0, -4)) !== trailer.getUint32(20, true)) {
    throw new CorruptData(`checksum of the footer of ${key} differs`);
  }
  if (trailer.getUint32(16, true) !== magic) throw new CorruptData(`${key} is not a segment`);
  const versionFound = trailer.getUint8(12);
  if (versionFound < 1 || versionFound > segmentVersion) {
    throw new NewerFormat(
      `${key} is of version ${versionFound}, this release reads ${segmentVersion}`,
    );
  }
  return {
    key,
    size,
    length: footer.length,
    version: versionFound,
    chunks: trailer.getUint32(0, true),
    prefixes: trailer.getUint32(4, true),
    blocks: footer.subarray(0, footer.length - trailerBytes),
  };
}

export function decodeFooter(footer: Footer, blocks: BlockReader): SegmentIndex {
  const { key, size, version: versionFound, chunks } = footer;
  const prefixes = decodePrefixes(blocks.next(), footer.prefixes);
  const integers = (column = new Float64Array(chunks)) => {
    decodeIntegers(blocks.next(), column);
    return column;
  };
  // In the order of footerColumns; a short index is one of thousands, so it has few arrays.
  const room = new Float64Array(chunks);
  const partition = new Uint32Array(integers(room));
  const bytes = new Uint32Array(integers(room));
  const count = new Uint32Array(integers(room));
  const [minStep, maxStep] = [integers(), integers()];
  const [minTimestamp, maxTimestamp] = [integers(), integers()];
  const grainBytes = versionFound === 1 ? new Float64Array(chunks) : integers();
  const isOrdered = new Uint8Array(blocks.next());
  blocks.finish();
  if (isOrdered.length !== chunks) throw new CorruptData(`${key} has ${chunks} chunks`);
  const offset = room;
  const grainOffset = new Float64Array(chunks);
  const grainsStart = placeAll(bytes, offset, fileHeaderBytes);
  const end = placeAll(grainBytes, grainOffset, grainsStart);
  if (end + footer.length !== size) throw new CorruptData(`${key} has ${size} bytes, not ${end}`);
  return {
    version: versionFound,
    prefixes,
    partition,
    offset,
    bytes,
    count,
    minStep,
    maxStep,
    minTimestamp,
    maxTimestamp,
    isOrdered,
    grainOffset,
    grainBytes,
    points: count.reduce((sum, each) => sum + each, 0),
    chunksOf: (wanted) => [lowerBound(partition, wanted), lowerBound(partition, wanted + 1)],
  };
}

/** Tells where each begins of some that lie one behind the other; returns the end of the last. */
function placeAll(
  lengths: Uint32Array | Float64Array,
  offsets: Float64Array,
  start: number,
): number {
  let end = start;
  for (let at = 0; at < lengths.length; at++) {
    offsets[at] = end;
    end += lengths[at];
  }
  return end;
}

/** Returns the first position whose element is not below `wanted`. */
function lowerBound(sorted: Uint32Array, wanted: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (sorted[middle] < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}

function view(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
