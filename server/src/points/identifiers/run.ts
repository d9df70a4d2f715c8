import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { crc32 } from "node:zlib";
import { CorruptData } from "../corrupt-data.ts";
import { Bloom } from "./bloom.ts";
import { decodeIntervals } from "./interval-section.ts";
import type { Intervals } from "./intervals.ts";
import {
  bucketOf,
  decodeRunHeader,
  entryBytes,
  impliedBytes,
  runHeaderBytes,
  runSections,
  type RunHeader,
} from "./run-format.ts";

/**
 * An identifier object, opened for look-ups: intervals, bucket table and bloom filter are in memory
 * (1.3 bytes a hashed identifier), entries stay in the file. All calls are synchronous, because the
 * writer thread looks up in the middle of a group; only an identifier in the run, and one of a
 * hundred others, causes a read of the file.
 */
export class IdentifierRun {
  readonly hashedCount: number;
  /** Counters by prefix. The caller must not change them. */
  readonly intervals: ReadonlyMap<string, Intervals>;
  readonly #path: string;
  readonly #fd: number;
  readonly #bucketBits: number;
  readonly #entriesStart: number;
  /** Two words a bucket, see tableRowBytes. */
  readonly #table: Uint32Array;
  readonly #bloom: Bloom;
  #scratch = Buffer.alloc(4096);

  /** Throws CorruptData, NewerFormat, or the file system's error. */
  static open(path: string): IdentifierRun {
    const fd = openSync(path, "r");
    try {
      return new IdentifierRun(path, fd);
    } catch (error) {
      closeSync(fd);
      throw error;
    }
  }

  private constructor(path: string, fd: number) {
    this.#path = path;
    this.#fd = fd;
    const size = fstatSync(fd).size;
    const header = decodeRunHeader(this.#read(0, Math.min(size, runHeaderBytes)), path);
    const sections = runSections(header);
    if (sections.end !== size) {
      throw new CorruptData(`${path} has ${size} bytes instead of ${sections.end}`);
    }
    this.hashedCount = header.hashedCount;
    this.#bucketBits = header.bucketBits;
    this.#entriesStart = sections.entries;
    this.intervals = this.#readIntervals(header);
    this.#table = words(this.#section("table", sections.table, sections.bloom, header.tableCrc));
    this.#bloom = new Bloom(
      words(this.#section("bloom filter", sections.bloom, sections.entries, header.bloomCrc)),
    );
  }

  /** Returns the 24-bit fingerprint stored with a hash, for its first three words, or -1. */
  find(a: number, b: number, c: number): number {
    if (!this.#bloom.mayHave(a, b, c)) return -1;
    const bucket = bucketOf(a, this.#bucketBits);
    const [first, last] = this.#bucketRange(bucket);
    if (first === last) return -1;
    return this.#findInBucket(this.#readBucket(bucket), a, b, c);
  }

  /**
   * Entries of the buckets first … last - 1 as [a, b, c, fingerprint] words, in ascending order;
   * one read, every bucket verified.
   */
  readEntries(first: number, last: number): Uint32Array {
    const start = this.#bucketRange(first)[0];
    const end = this.#bucketRange(last - 1)[1];
    const width = entryBytes(this.#bucketBits);
    const bytes = this.#read(this.#entriesStart + start * width, (end - start) * width);
    const entries = new Uint32Array(4 * (end - start));
    for (let bucket = first; bucket < last; bucket++) {
      const [from, to] = this.#bucketRange(bucket);
      const part = bytes.subarray((from - start) * width, (to - start) * width);
      this.#checkBucket(bucket, part);
      this.#decodeBucket(bucket, part, entries, 4 * (from - start));
    }
    return entries;
  }

  #decodeBucket(bucket: number, bytes: Buffer, entries: Uint32Array, start: number): void {
    const implied = impliedBytes(this.#bucketBits);
    const impliedWord = implied === 0 ? 0 : this.#impliedWord(bucket);
    let at = start;
    for (let from = 0; from < bytes.length; at += 4) {
      let a = 0;
      for (let index = implied; index < 4; index++) a = (a << 8) | bytes[from++];
      entries[at] = impliedWord | a;
      entries[at + 1] = wordAt(bytes, from);
      entries[at + 2] = wordAt(bytes, from + 4);
      entries[at + 3] = (bytes[from + 8] << 16) | (bytes[from + 9] << 8) | bytes[from + 10];
      from += 11;
    }
  }

  get bucketCount(): number {
    return 2 ** this.#bucketBits;
  }

  /** Reads every byte: throws CorruptData when a checksum or the order of the entries is wrong. */
  verify(): void {
    let last: readonly number[] = [0, 0, 0];
    for (let bucket = 0; bucket < this.bucketCount; bucket++) {
      const entries = this.readEntries(bucket, bucket + 1);
      for (let at = 0; at < entries.length; at += 4) {
        const [a, b, c] = [entries[at], entries[at + 1], entries[at + 2]];
        const isAscending =
          a > last[0] || (a === last[0] && (b > last[1] || (b === last[1] && c >= last[2])));
        if (
          !isAscending ||
          !this.#bloom.mayHave(a, b, c) ||
          bucketOf(a, this.#bucketBits) !== bucket
        ) {
          throw new CorruptData(`bucket ${bucket} of ${this.#path} is out of order`);
        }
        last = [a, b, c];
      }
    }
  }

  close(): void {
    closeSync(this.#fd);
  }

  #readIntervals(header: RunHeader): Map<string, Intervals> {
    const { intervals, table } = runSections(header);
    const bytes = this.#section("intervals", intervals, table, header.intervalsCrc);
    return decodeIntervals(bytes, header.prefixCount);
  }

  #bucketRange(bucket: number): [first: number, last: number] {
    return [bucket === 0 ? 0 : this.#table[2 * bucket - 2], this.#table[2 * bucket]];
  }

  /** The bytes of a bucket, verified; valid until the next call. */
  #readBucket(bucket: number): Buffer {
    const [first, last] = this.#bucketRange(bucket);
    const width = entryBytes(this.#bucketBits);
    const length = (last - first) * width;
    if (this.#scratch.length < length) this.#scratch = Buffer.alloc(2 * length);
    const bytes = this.#scratch.subarray(0, length);
    this.#readInto(bytes, this.#entriesStart + first * width);
    this.#checkBucket(bucket, bytes);
    return bytes;
  }

  #checkBucket(bucket: number, bytes: Buffer): void {
    if (crc32(bytes) === this.#table[2 * bucket + 1]) return;
    throw new CorruptData(`checksum of bucket ${bucket} of ${this.#path} differs`);
  }

  #findInBucket(bytes: Buffer, a: number, b: number, c: number): number {
    const implied = impliedBytes(this.#bucketBits);
    const width = entryBytes(this.#bucketBits);
    const aStored = implied === 0 ? a : a % 2 ** (32 - 8 * implied);
    let low = 0;
    let high = bytes.length / width;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const from = middle * width;
      let order = bytes.readUIntBE(from, 4 - implied) - aStored;
      if (order === 0) order = bytes.readUInt32BE(from + 4 - implied) - b;
      if (order === 0) order = bytes.readUInt32BE(from + 8 - implied) - c;
      if (order === 0) return bytes.readUIntBE(from + 12 - implied, 3);
      if (order < 0) low = middle + 1;
      else high = middle;
    }
    return -1;
  }

  #impliedWord(bucket: number): number {
    const implied = 8 * impliedBytes(this.#bucketBits);
    return (Math.floor(bucket / 2 ** (this.#bucketBits - implied)) << (32 - implied)) >>> 0;
  }

  /** A section that is read whole at opening, verified. */
  #section(what: string, start: number, end: number, crc: number): Buffer {
    const bytes = this.#read(start, end - start);
    if (crc32(bytes) !== crc)
      throw new CorruptData(`checksum of the ${what} of ${this.#path} differs`);
    return bytes;
  }

  #read(offset: number, length: number): Buffer {
    const bytes = Buffer.from(new ArrayBuffer(length));
    this.#readInto(bytes, offset);
    return bytes;
  }

  #readInto(bytes: Buffer, offset: number): void {
    for (let done = 0; done < bytes.length;) {
      const read = readSync(this.#fd, bytes, done, bytes.length - done, offset + done);
      if (read === 0) throw new CorruptData(`${this.#path} ends at ${offset + done}`);
      done += read;
    }
  }
}

function wordAt(bytes: Buffer, at: number): number {
  return (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
}

/** The bytes as words: they begin a buffer of their own, so they are aligned. */
function words(bytes: Buffer): Uint32Array<ArrayBuffer> {
  return new Uint32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length / 4);
}
