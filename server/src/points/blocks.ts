import { promisify } from "node:util";
import {
  constants,
  zstdCompressSync,
  zstdDecompress,
  zstdDecompressSync,
  type ZstdOptions,
} from "node:zlib";
import { CorruptData } from "./corrupt-data.ts";

/**
 * A block is a stretch of bytes stored plain, or as one zstd frame where that is smaller:
 *
 *   u32 stored length, top bit set = compressed | u32 length before compression (only then) | bytes
 *
 * Columns are blocks of their own because a zstd frame has one set of statistics for 128 KB: noise
 * beside a regular column costs the regular one 5 to 10 % (measured: f64 noise 8.06 -> 7.6 bytes a
 * point). Level 1, because level 9 gains less than 1 %. The checksum is the caller's.
 */
export function encodeBlock(raw: Uint8Array): Uint8Array[] {
  return blockOf(raw, compressFromBytes);
}

/** The same of one of many short columns: calls into zstd would cost them more than they gain. */
export function encodeShortBlock(raw: Uint8Array): Uint8Array[] {
  return blockOf(raw, compressShortFromBytes);
}

function blockOf(raw: Uint8Array, compressFrom: number): Uint8Array[] {
  const frame = raw.length < compressFrom ? raw : compress(raw);
  if (frame.length + 4 >= raw.length) return [header(raw.length), raw];
  return [header(frame.length + compressedFlag, raw.length), frame];
}

/**
 * Reads the blocks of `bytes` in sequence; the caller has verified the checksum. All frames are
 * decompressed in one call: the overhead of a call exceeds the cost of most blocks. There are many
 * short stretches, so nothing is kept of a block but where the next one begins.
 */
export class BlockReader {
  readonly #bytes: Uint8Array;
  /** Frames of this stretch are decompressed from `#rawAt` on. */
  readonly #raw: Uint8Array;
  #rawAt: number;
  #at = 0;

  constructor(bytes: Uint8Array, raw = decompressed(framesOf([bytes])), rawAt = 0) {
    this.#bytes = bytes;
    this.#raw = raw;
    this.#rawAt = rawAt;
  }

  /** The same, decompressed by a thread of the pool: for large blocks, read ahead. */
  static async inPool(bytes: Uint8Array): Promise<BlockReader> {
    return new BlockReader(bytes, await decompressedInPool(framesOf([bytes])));
  }

  /** Readers of several stretches, all of which are decompressed in one call. */
  static together(parts: readonly Uint8Array[]): BlockReader[] {
    const frames = framesOf(parts);
    const raw = decompressed(frames);
    return parts.map((bytes, at) => new BlockReader(bytes, raw, frames.starts[at]));
  }

  /** Bytes that the blocks of a stretch have once they are decompressed. */
  static rawLength(bytes: Uint8Array): number {
    let sum = 0;
    for (let at = 0; at < bytes.length; at = blockEnd(bytes, at))
      if (isCompressed(bytes, at)) sum += word(bytes, at + 4);
    return sum;
  }

  next(): Uint8Array {
    const bytes = this.#bytes;
    const at = this.#at;
    if (at >= bytes.length) throw new CorruptData("a block begins too late");
    this.#at = blockEnd(bytes, at);
    if (!isCompressed(bytes, at)) return bytes.subarray(at + 4, this.#at);
    const start = this.#rawAt;
    this.#rawAt += word(bytes, at + 4);
    return this.#raw.subarray(start, this.#rawAt);
  }

  /** Requires that nothing follows the last block. */
  finish(): void {
    if (this.#at !== this.#bytes.length) throw new CorruptData("bytes after the last block");
  }
}

function isCompressed(bytes: Uint8Array, at: number): boolean {
  return bytes[at + 3] >= 0x80;
}

/** Returns where the block that begins at `at` ends. */
function blockEnd(bytes: Uint8Array, at: number): number {
  const tagged = word(bytes, at);
  const start = tagged < compressedFlag ? at + 4 : at + 8;
  const end = start + (tagged % compressedFlag);
  if (start > bytes.length) throw new CorruptData("a block begins too late");
  if (end > bytes.length) throw new CorruptData("a block ends too late");
  return end;
}

function word(bytes: Uint8Array, at: number): number {
  if (at + 4 > bytes.length) throw new CorruptData("a block begins too late");
  const low = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16);
  return low + bytes[at + 3] * 0x100_0000;
}

const compressedFlag = 0x8000_0000;
/** A frame has 13 bytes of its own, and a call into zstd costs 25 µs. */
const compressFromBytes = 48;
const compressShortFromBytes = 512;

function header(...words: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(words).buffer);
}

function compress(raw: Uint8Array): Uint8Array {
  return zstdCompressSync(raw, {
    // Node collects its output in pieces of chunkSize: one piece, and no concatenation.
    chunkSize: Math.max(raw.length + 64, constants.Z_MIN_CHUNK),
    params: { [constants.ZSTD_c_compressionLevel]: 1 },
  });
}

/** The frames of some stretches, one behind the other: they are read as one. */
interface Frames {
  bytes: Uint8Array;
  rawLength: number;
  /** Where those of each stretch begin once they are decompressed. */
  starts: number[];
}

function framesOf(parts: readonly Uint8Array[]): Frames {
  const frames: Uint8Array[] = [];
  const starts: number[] = [];
  let rawLength = 0;
  for (const bytes of parts) {
    starts.push(rawLength);
    for (let at = 0, end = 0; at < bytes.length; at = end) {
      end = blockEnd(bytes, at);
      if (!isCompressed(bytes, at)) continue;
      rawLength += word(bytes, at + 4);
      frames.push(bytes.subarray(at + 8, end));
    }
  }
  const bytes = frames.length === 1 ? frames[0] : Buffer.concat(frames);
  return { bytes, rawLength, starts };
}

function decompressed({ bytes, rawLength }: Frames): Uint8Array {
  if (bytes.length === 0) return bytes;
  try {
    return whole(zstdDecompressSync(bytes, optionsFor(rawLength)), rawLength);
  } catch (cause) {
    throw unreadable(cause);
  }
}

const zstdDecompressInPool = promisify<Uint8Array, ZstdOptions, Buffer>(zstdDecompress);

async function decompressedInPool({ bytes, rawLength }: Frames): Promise<Uint8Array> {
  if (bytes.length === 0) return bytes;
  try {
    return whole(await zstdDecompressInPool(bytes, optionsFor(rawLength)), rawLength);
  } catch (cause) {
    throw unreadable(cause);
  }
}

function optionsFor(rawLength: number): ZstdOptions {
  return {
    chunkSize: Math.max(rawLength, constants.Z_MIN_CHUNK),
    maxOutputLength: Math.max(rawLength, 1),
  };
}

function whole(raw: Uint8Array, rawLength: number): Uint8Array {
  if (raw.length === rawLength) return raw;
  throw new CorruptData("a compressed block has another length than its header says");
}

function unreadable(cause: unknown): CorruptData {
  if (cause instanceof CorruptData) return cause;
  return new CorruptData("a compressed block cannot be read", { cause });
}
