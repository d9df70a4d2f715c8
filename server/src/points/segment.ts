import { crc32 } from "node:zlib";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { NewerFormat } from "../ground/newer-format.ts";
import { BlockReader, encodeBlock } from "./blocks.ts";
import { decodeChunk, encodeChunk, type ChunkColumns } from "./chunk.ts";
import { decodeIntegers, encodeIntegers } from "./columns.ts";
import { CorruptData } from "./corrupt-data.ts";
import { decodePrefixes, encodePrefixes } from "./log-record.ts";

/**
 * Writes a segment object: chunks, partition by partition in ascending order, then a footer that
 * says where they are. docs/storage-format.md draws its bytes.
 */
export class SegmentWriter {
  readonly #parts: Uint8Array[] = [fileHeader()];
  readonly #entries: ChunkEntry[] = [];
  readonly #prefixes: readonly string[];

  /** Number n + 1 in a chunk's prefix column stands for prefixes[n]. */
  constructor(prefixes: readonly string[] = []) {
    this.#prefixes = prefixes;
  }

  /**
   * One chunk of a partition, after all chunks of lower partitions and of lower steps. `bytes` is
   * its encoding.
   */
  addChunk(partition: number, columns: ChunkColumns, bytes = encodeChunk(columns)): void {
    const entry = describe(partition, columns, bytes.length);
    const last = this.#entries.at(-1);
    if (last !== undefined && isBefore(entry, last)) {
      throw new Error(`BUG: got partition ${partition} after ${last.partition}, or a lower step`);
    }
    this.#entries.push(entry);
    this.#parts.push(bytes);
  }

  /** The whole object, as SegmentBucket.put takes it. */
  finish(): Uint8Array[] {
    if (this.#entries.length === 0) throw new Error("BUG: got a segment without chunks");
    const blocks = [
      encodePrefixes(this.#prefixes),
      ...integerColumns.map((name) =>
        encodeIntegers(Float64Array.from(this.#entries, (entry) => entry[name])),
      ),
      Uint8Array.from(this.#entries, (entry) => (entry.isOrdered ? orderedFlag : 0)),
    ].flatMap(encodeBlock);
    const blocksLength = blocks.reduce((sum, { length }) => sum + length, 0);
    const trailer = Buffer.alloc(trailerBytes);
    trailer.writeUInt32LE(this.#entries.length, 0);
    trailer.writeUInt32LE(this.#prefixes.length, 4);
    trailer.writeUInt32LE(blocksLength + trailerBytes, 8);
    trailer.writeUInt8(version, 12);
    trailer.writeUInt32LE(magic, 16);
    const footer = Buffer.concat([...blocks, trailer]);
    footer.writeUInt32LE(crc32(footer.subarray(0, -4)), footer.length - 4);
    return [...this.#parts, footer];
  }
}

/**
 * Where the chunks of a segment lie and what they span: row i of every column is chunk i. Sorted by
 * (partition, minStep).
 */
export interface SegmentIndex {
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
  readonly points: number;
  /** The chunks of one partition: from the first to before the last. */
  chunksOf(partition: number): [first: number, last: number];
}

/**
 * Reads the footer, usually with one read. Throws CorruptData, NewerFormat, or what the bucket
 * throws.
 */
export async function readSegmentIndex(
  bucket: Pick<SegmentBucket, "read" | "size">,
  key: string,
): Promise<SegmentIndex> {
  const size = await bucket.size(key);
  if (size < fileHeaderBytes + trailerBytes) throw new CorruptData(`${key} has ${size} bytes`);
  const guess = Math.min(size, footerGuessBytes);
  let tail = await bucket.read(key, size - guess, guess);
  const footerLength = view(tail).getUint32(tail.length - trailerBytes + 8, true);
  if (footerLength < trailerBytes || footerLength > size - fileHeaderBytes) {
    throw new CorruptData(`${key} says its footer has ${footerLength} of ${size} bytes`);
  }
  if (footerLength > guess) tail = await bucket.read(key, size - footerLength, footerLength);
  return decodeFooter(tail.subarray(tail.length - footerLength), size, key);
}

/** Reads every byte of a segment. Returns the number of its points, or throws CorruptData. */
export async function verifySegment(
  bucket: Pick<SegmentBucket, "read" | "size">,
  key: string,
): Promise<number> {
  const index = await readSegmentIndex(bucket, key);
  const header = await bucket.read(key, 0, fileHeaderBytes);
  if (Buffer.compare(header, fileHeader()) !== 0) throw new CorruptData(`header of ${key} differs`);
  for (let at = 0; at < index.count.length; at++) {
    const bytes = await bucket.read(key, index.offset[at], index.bytes[at]);
    const entry = describe(index.partition[at], decodeChunk(bytes, true), bytes.length);
    for (const name of integerColumns) {
      if (entry[name] !== index[name][at]) {
        throw new CorruptData(`chunk ${at} of ${key}: ${name} is ${entry[name]}`);
      }
    }
    if (entry.isOrdered !== (index.isOrdered[at] === orderedFlag)) {
      throw new CorruptData(`chunk ${at} of ${key}: isOrdered is ${entry.isOrdered}`);
    }
  }
  return index.points;
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
}

/** The footer's columns, in their order on disk. Offsets follow from the lengths. */
const integerColumns = [
  "partition",
  "bytes",
  "count",
  "minStep",
  "maxStep",
  "minTimestamp",
  "maxTimestamp",
] as const;

/** "LSeg" */
const magic = 0x6765_534c;
const version = 1;
const fileHeaderBytes = 8;
const trailerBytes = 24;
/** A footer takes 2 to 15 bytes a chunk. */
const footerGuessBytes = 32_768;
const orderedFlag = 1;

function fileHeader(): Uint8Array {
  const header = Buffer.alloc(fileHeaderBytes);
  header.writeUInt32LE(magic, 0);
  header.writeUInt8(version, 4);
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
  };
}

function isBefore(entry: ChunkEntry, last: ChunkEntry): boolean {
  if (entry.partition !== last.partition) return entry.partition < last.partition;
  return entry.minStep < last.maxStep;
}

function decodeFooter(footer: Uint8Array, size: number, key: string): SegmentIndex {
  const trailer = view(footer.subarray(footer.length - trailerBytes));
  if (crc32(footer.subarray(0, -4)) !== trailer.getUint32(20, true)) {
    throw new CorruptData(`checksum of the footer of ${key} differs`);
  }
  if (trailer.getUint32(16, true) !== magic) throw new CorruptData(`${key} is not a segment`);
  const versionFound = trailer.getUint8(12);
  if (versionFound !== version) {
    throw new NewerFormat(`${key} is of version ${versionFound}, this release reads ${version}`);
  }
  const chunks = trailer.getUint32(0, true);
  const blocks = new BlockReader(footer.subarray(0, footer.length - trailerBytes));
  const prefixes = decodePrefixes(blocks.next(), trailer.getUint32(4, true));
  const columns = integerColumns.map(() => {
    const column = new Float64Array(chunks);
    decodeIntegers(blocks.next(), column);
    return column;
  });
  const isOrdered = new Uint8Array(blocks.next());
  blocks.finish();
  if (isOrdered.length !== chunks) throw new CorruptData(`${key} has ${chunks} chunks`);
  const [partition, bytes, count, minStep, maxStep, minTimestamp, maxTimestamp] = columns;
  const offset = new Float64Array(chunks);
  let end = fileHeaderBytes;
  for (let at = 0; at < chunks; at++) {
    offset[at] = end;
    end += bytes[at];
  }
  if (end + footer.length !== size) throw new CorruptData(`${key} has ${size} bytes, not ${end}`);
  const partitions = Uint32Array.from(partition);
  return {
    prefixes,
    partition: partitions,
    offset,
    bytes: Uint32Array.from(bytes),
    count: Uint32Array.from(count),
    minStep,
    maxStep,
    minTimestamp,
    maxTimestamp,
    isOrdered,
    points: count.reduce((sum, each) => sum + each, 0),
    chunksOf: (wanted) => [lowerBound(partitions, wanted), lowerBound(partitions, wanted + 1)],
  };
}

/** The first position whose element is not below `wanted`. */
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
