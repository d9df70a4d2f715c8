import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
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
  const frame = raw.length < compressFromBytes ? raw : compress(raw);
  if (frame.length + 4 >= raw.length) return [header(raw.length), raw];
  return [header(frame.length + compressedFlag, raw.length), frame];
}

/** Reads the blocks of `bytes` one after the other; the caller has verified the checksum. */
export class BlockReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  next(): Uint8Array {
    const tagged = this.#word();
    if (tagged < compressedFlag) return this.#take(tagged);
    const rawLength = this.#word();
    return decompress(this.#take(tagged - compressedFlag), rawLength);
  }

  /** There must be nothing after the last block. */
  finish(): void {
    if (this.#at !== this.#bytes.length) throw new CorruptData("bytes after the last block");
  }

  #word(): number {
    if (this.#at + 4 > this.#bytes.length) throw new CorruptData("a block begins too late");
    const word = this.#view.getUint32(this.#at, true);
    this.#at += 4;
    return word;
  }

  #take(length: number): Uint8Array {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw new CorruptData("a block ends too late");
    const taken = this.#bytes.subarray(this.#at, end);
    this.#at = end;
    return taken;
  }
}

const compressedFlag = 0x8000_0000;
/** A frame has 13 bytes of its own, and a call into zstd costs 25 µs. */
const compressFromBytes = 48;

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

function decompress(frame: Uint8Array, rawLength: number): Uint8Array {
  try {
    const raw = zstdDecompressSync(frame, {
      chunkSize: Math.max(rawLength, constants.Z_MIN_CHUNK),
      maxOutputLength: Math.max(rawLength, 1),
    });
    if (raw.length === rawLength) return raw;
  } catch (cause) {
    throw new CorruptData("a compressed block cannot be read", { cause });
  }
  throw new CorruptData("a compressed block has another length than its header says");
}
