import { crc32 } from "node:zlib";
import { NewerFormat } from "../../ground/newer-format.ts";
import { CorruptData } from "../corrupt-data.ts";
import { bloomBlockBytes } from "./bloom.ts";

/**
 * The layout of an identifier object; docs/storage-format.md draws it:
 *
 *   header | intervals | bucket table | bloom | entries
 *
 * Entries are hashes in ascending order with 24 bits of the payload's fingerprint. Bucket i holds
 * those whose top `bucketBits` bits are i; the whole bytes among these bits are not stored. Each
 * bucket has a checksum of its own in the table, because a wrong "not found" would store a point
 * twice and a look-up reads one bucket.
 */
export interface RunHeader {
  hashedCount: number;
  bucketBits: number;
  prefixCount: number;
  intervalsBytes: number;
  intervalsCrc: number;
  tableCrc: number;
  bloomBlocks: number;
  bloomCrc: number;
}

export const runHeaderBytes = 64;
/**
 * Bytes of a row of the bucket table: number of the entry after the bucket's last one, and the
 * checksum of its entries.
 */
export const tableRowBytes = 8;

/** About 64 ids a bucket (up to 128): a read of a kilobyte. */
export function bucketBitsFor(hashedCount: number): number {
  return Math.max(0, Math.min(24, Math.floor(Math.log2(Math.max(1, hashedCount) / 64))));
}

/** Leading bytes of every hash that its bucket implies: one from 16k ids on, two from 4M. */
export function impliedBytes(bucketBits: number): number {
  return bucketBits >> 3;
}

export function entryBytes(bucketBits: number): number {
  return 12 - impliedBytes(bucketBits) + 3;
}

/** Returns the bucket of a hash whose first word is `a`. */
export function bucketOf(a: number, bucketBits: number): number {
  // A shift by 32 would be a shift by 0.
  return bucketBits === 0 ? 0 : a >>> (32 - bucketBits);
}

/** Offsets of the sections behind the header, and the size of the whole object. */
export function runSections(header: RunHeader): {
  intervals: number;
  table: number;
  bloom: number;
  entries: number;
  end: number;
} {
  const intervals = runHeaderBytes;
  const table = intervals + header.intervalsBytes;
  const bloom = table + tableRowBytes * 2 ** header.bucketBits;
  const entries = bloom + bloomBlockBytes * header.bloomBlocks;
  const end = entries + entryBytes(header.bucketBits) * header.hashedCount;
  return { intervals, table, bloom, entries, end };
}

export function encodeRunHeader(header: RunHeader): Uint8Array {
  const bytes = Buffer.alloc(runHeaderBytes);
  bytes.writeUInt32LE(magic, 0);
  bytes.writeUInt8(runVersion, 4);
  bytes.writeUInt8(header.bucketBits, 5);
  bytes.writeUInt32LE(header.hashedCount, 8);
  bytes.writeUInt32LE(header.prefixCount, 12);
  bytes.writeUInt32LE(header.intervalsBytes, 16);
  bytes.writeUInt32LE(header.intervalsCrc, 20);
  bytes.writeUInt32LE(header.tableCrc, 24);
  bytes.writeUInt32LE(header.bloomBlocks, 28);
  bytes.writeUInt32LE(header.bloomCrc, 32);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), runHeaderBytes - 4);
  return bytes;
}

export function decodeRunHeader(bytes: Buffer, name: string): RunHeader {
  if (bytes.length !== runHeaderBytes) throw new CorruptData(`${name} is too short`);
  if (crc32(bytes.subarray(0, -4)) !== bytes.readUInt32LE(runHeaderBytes - 4)) {
    throw new CorruptData(`checksum of the header of ${name} differs`);
  }
  if (bytes.readUInt32LE(0) !== magic) throw new CorruptData(`${name} has no identifiers`);
  const versionFound = bytes.readUInt8(4);
  if (versionFound !== runVersion) {
    throw new NewerFormat(
      `${name} is of version ${versionFound}, this release reads ${runVersion}`,
    );
  }
  return {
    bucketBits: bytes.readUInt8(5),
    hashedCount: bytes.readUInt32LE(8),
    prefixCount: bytes.readUInt32LE(12),
    intervalsBytes: bytes.readUInt32LE(16),
    intervalsCrc: bytes.readUInt32LE(20),
    tableCrc: bytes.readUInt32LE(24),
    bloomBlocks: bytes.readUInt32LE(28),
    bloomCrc: bytes.readUInt32LE(32),
  };
}

/** "LIds" */
const magic = 0x7364_494c;
export const runVersion = 1;
