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
 * decompressed in one call: the overhead of a call exceeds the cost of most blocks.
 */
export class BlockReader {
  readonly #blocks: Uint8Array[];
  #at = 0;

  constructor(bytes: Uint8Array, stored = storedBlocks(bytes), raw = decompressed(stored)) {
    let end = 0;
    this.#blocks = stored.map((block) => {
      const start = end;
      end += block.rawLength ?? 0;
      return block.rawLength === undefined ? block.bytes : raw.subarray(start, end);
    });
  }

  /** The same, decompressed by a thread of the pool: for large blocks, read ahead. */
  static async inPool(bytes: Uint8Array): Promise<BlockReader> {
    const stored = storedBlocks(bytes);
    return new BlockReader(bytes, stored, await decompressedInPool(stored));
  }

  /** Readers of several stretches, all of which are decompressed in one call. */
  static together(parts: readonly Uint8Array[]): BlockReader[] {
    const stored = parts.map(storedBlocks);
    const raw = decompressed(stored.flat());
    let end = 0;
    return parts.map((bytes, at) => {
      const start = end;
      for (const { rawLength = 0 } of stored[at]) end += rawLength;
      return new BlockReader(bytes, stored[at], raw.subarray(start, end));
    });
  }

  /** Bytes that the blocks of a stretch have once they are decompressed. */
  static rawLength(bytes: Uint8Array): number {
    return storedBlocks(bytes).reduce((sum, { rawLength = 0 }) => sum + rawLength, 0);
  }

  next(): Uint8Array {
    const block = this.#blocks[this.#at++];
    if (block === undefined) throw new CorruptData("a block begins too late");
    return block;
  }

  /** Requires that nothing follows the last block. */
  finish(): void {
    if (this.#at !== this.#blocks.length) throw new CorruptData("bytes after the last block");
  }
}

interface StoredBlock {
  bytes: Uint8Array;
  /** undefined: it is stored plain. */
  rawLength: number | undefined;
}

function storedBlocks(bytes: Uint8Array): StoredBlock[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const blocks: StoredBlock[] = [];
  let at = 0;
  const word = () => {
    if (at + 4 > bytes.length) throw new CorruptData("a block begins too late");
    at += 4;
    return view.getUint32(at - 4, true);
  };
  while (at < bytes.length) {
    const tagged = word();
    const rawLength = tagged < compressedFlag ? undefined : word();
    const start = at;
    at += tagged % compressedFlag;
    if (at > bytes.length) throw new CorruptData("a block ends too late");
    blocks.push({ bytes: bytes.subarray(start, at), rawLength });
  }
  return blocks;
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

function decompressed(stored: readonly StoredBlock[]): Uint8Array {
  const { frames, rawLength } = framesOf(stored);
  if (frames.length === 0) return frames;
  try {
    return whole(zstdDecompressSync(frames, optionsFor(rawLength)), rawLength);
  } catch (cause) {
    throw unreadable(cause);
  }
}

const zstdDecompressInPool = promisify<Uint8Array, ZstdOptions, Buffer>(zstdDecompress);

async function decompressedInPool(stored: readonly StoredBlock[]): Promise<Uint8Array> {
  const { frames, rawLength } = framesOf(stored);
  if (frames.length === 0) return frames;
  try {
    return whole(await zstdDecompressInPool(frames, optionsFor(rawLength)), rawLength);
  } catch (cause) {
    throw unreadable(cause);
  }
}

/** Frames that follow each other are read as one. */
function framesOf(stored: readonly StoredBlock[]): { frames: Uint8Array; rawLength: number } {
  const compressed = stored.filter(({ rawLength }) => rawLength !== undefined);
  const frames = compressed.map(({ bytes }) => bytes);
  return {
    frames: frames.length === 1 ? frames[0] : Buffer.concat(frames),
    rawLength: compressed.reduce((sum, { rawLength }) => sum + rawLength!, 0),
  };
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
