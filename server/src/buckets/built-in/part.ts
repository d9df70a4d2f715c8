import { randomBytes } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { crc32 } from "node:zlib";
import { StoreError } from "../bucket.ts";

/**
 * A part of an object in a file of its own: the bytes as they were sent, the CRC32 of each block of
 * them, a footer. Whatever is read is compared with it, also a range, so that a wrong bit is an
 * error and never a value.
 *
 *   data                 sizeBytes
 *   checksums            4 bytes, little-endian, for each block of 262,144 bytes or less
 *   footer (24 bytes)    "LSLP", version (u32), sizeBytes (u64), blockBytes (u32), CRC32 of
 *                        checksums and footer up to here (u32)
 */
export const blockBytes = 262_144;
const footerBytes = 24;
const magic = 0x504c534c; // "LSLP", little-endian
export const partVersion = 1;

/** Thrown when stored bytes do not match their checksums. */
export class DamagedObject extends StoreError {
  override name = "DamagedObject";
  constructor(message: string) {
    super("damaged", false, message);
  }
}

/** The length of the file with a part of this size. */
export function partFileBytes(sizeBytes: number): number {
  return sizeBytes + 4 * blockCount(sizeBytes) + footerBytes;
}

/** Computes the checksums of a part while its bytes come by in pieces of any length. */
export class PartChecksums {
  readonly #checksums: Buffer;
  readonly #sizeBytes: number;
  #current = 0;
  #doneBytes = 0;

  constructor(sizeBytes: number) {
    this.#sizeBytes = sizeBytes;
    this.#checksums = Buffer.alloc(4 * blockCount(sizeBytes));
  }

  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length;) {
      const inBlock = this.#doneBytes % blockBytes;
      const take = Math.min(blockBytes - inBlock, bytes.length - at);
      this.#current = crc32(bytes.subarray(at, at + take), inBlock === 0 ? 0 : this.#current);
      at += take;
      this.#doneBytes += take;
      if (this.#doneBytes % blockBytes === 0 || this.#doneBytes === this.#sizeBytes) {
        const block = Math.ceil(this.#doneBytes / blockBytes) - 1;
        this.#checksums.writeUInt32LE(this.#current, 4 * block);
      }
    }
  }

  /** Returns the bytes that follow the data. */
  trailer(): Buffer {
    if (this.#doneBytes !== this.#sizeBytes) {
      throw new Error(`BUG: got ${this.#doneBytes} bytes of a part of ${this.#sizeBytes}`);
    }
    const footer = Buffer.alloc(footerBytes);
    footer.writeUInt32LE(magic, 0);
    footer.writeUInt32LE(partVersion, 4);
    footer.writeBigUInt64LE(BigInt(this.#sizeBytes), 8);
    footer.writeUInt32LE(blockBytes, 16);
    const before = crc32(footer.subarray(0, 20), crc32(this.#checksums));
    footer.writeUInt32LE(before, 20);
    return Buffer.concat([this.#checksums, footer]);
  }
}

/** Different for every part file and content: the first 8 digits are the trailer's checksum. */
export function partEtag(trailer: Buffer): string {
  return `${etagStart(trailer)}${randomBytes(8).toString("hex")}`;
}

export interface StoredPartFile {
  etag: string;
  sizeBytes: number;
}

/** Reads from a part file and believes nothing: every block that is touched is checked whole. */
export class PartReader {
  readonly #file: FileHandle;
  readonly #shownPath: string;
  readonly #sizeBytes: number;
  readonly #checksums: Buffer;

  private constructor(file: FileHandle, shownPath: string, sizeBytes: number, checksums: Buffer) {
    this.#file = file;
    this.#shownPath = shownPath;
    this.#sizeBytes = sizeBytes;
    this.#checksums = checksums;
  }

  /** Reads the trailer. Throws DamagedObject. The file stays the caller's. */
  static async open(
    file: FileHandle,
    shownPath: string,
    { etag, sizeBytes }: StoredPartFile,
  ): Promise<PartReader> {
    const trailer = Buffer.allocUnsafe(partFileBytes(sizeBytes) - sizeBytes);
    const { size } = await file.stat();
    if (size !== partFileBytes(sizeBytes)) {
      throw new DamagedObject(
        `${shownPath} has ${size} bytes instead of ${partFileBytes(sizeBytes)}`,
      );
    }
    await readFully(file, trailer, sizeBytes, shownPath);
    const footer = trailer.subarray(trailer.length - footerBytes);
    const isSound =
      crc32(trailer.subarray(0, trailer.length - 4)) === footer.readUInt32LE(20) &&
      footer.readUInt32LE(0) === magic &&
      footer.readUInt32LE(4) === partVersion &&
      footer.readBigUInt64LE(8) === BigInt(sizeBytes) &&
      footer.readUInt32LE(16) === blockBytes &&
      etag.startsWith(etagStart(trailer));
    if (!isSound) throw new DamagedObject(`${shownPath} has a damaged trailer`);
    return new PartReader(file, shownPath, sizeBytes, trailer.subarray(0, -footerBytes));
  }

  /** `length` checked bytes from `offset`, both within the part. Throws DamagedObject. */
  async read(offset: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0);
    const first = Math.floor(offset / blockBytes);
    const last = Math.floor((offset + length - 1) / blockBytes);
    const start = first * blockBytes;
    const end = Math.min((last + 1) * blockBytes, this.#sizeBytes);
    const bytes = Buffer.allocUnsafeSlow(end - start);
    await readFully(this.#file, bytes, start, this.#shownPath);
    for (let block = first; block <= last; block++) {
      const at = (block - first) * blockBytes;
      const sum = crc32(bytes.subarray(at, at + blockBytes));
      if (sum !== this.#checksums.readUInt32LE(4 * block)) {
        throw new DamagedObject(`${this.#shownPath} is damaged in block ${block}`);
      }
    }
    return start === offset && bytes.length === length
      ? bytes
      : bytes.subarray(offset - start, offset - start + length);
  }
}

/**
 * Returns the start of the ETag. Not the CRC32 of the whole trailer: it is the same for all data
 * that end with their own CRC32.
 */
function etagStart(trailer: Buffer): string {
  return trailer
    .readUInt32LE(trailer.length - 4)
    .toString(16)
    .padStart(8, "0");
}

function blockCount(sizeBytes: number): number {
  return Math.ceil(sizeBytes / blockBytes);
}

async function readFully(
  file: FileHandle,
  into: Buffer,
  position: number,
  shownPath: string,
): Promise<void> {
  for (let done = 0; done < into.length;) {
    const { bytesRead } = await file
      .read(into, done, into.length - done, position + done)
      .catch((error: NodeJS.ErrnoException) => {
        // A bad sector; no reason to end the service.
        throw error.code === "EIO" ? new DamagedObject(`${shownPath} cannot be read: EIO`) : error;
      });
    if (bytesRead === 0) throw new DamagedObject(`${shownPath} ends early`);
    done += bytesRead;
  }
}
