import { crc32 } from "node:zlib";
import type { SegmentBucket } from "../buckets/bucket.ts";
import { NewerFormat } from "../ground/newer-format.ts";
import { BlockReader, encodeBlock } from "../points/blocks.ts";
import { decodeIntegers, encodeIntegers } from "../points/integers.ts";
import { CorruptData } from "../points/corrupt-data.ts";
import { encodeLines, Lines, type StoredLine } from "./lines.ts";

/** Bytes of texts in a block, before compression: what a read of one line decodes. */
const blockTextBytes = 262_144;

/**
 * Encodes a sealed object, in the form of SegmentBucket.put: blocks of lines, then a footer that
 * says where they are. docs/storage-format.md draws its bytes.
 */
export function encodeObject(lines: Iterable<StoredLine>): { parts: Uint8Array[]; lines: number } {
  const parts: Uint8Array[] = [];
  const entries: BlockEntry[] = [];
  let block: StoredLine[] = [];
  let textBytes = 0;
  const endBlock = (): void => {
    const bytes = encodeLines(block);
    const times = block.map(({ timestampMs }) => timestampMs);
    const lastMs = times.reduce((last, ms) => Math.max(last, ms), 0);
    parts.push(bytes);
    entries.push({ bytes: bytes.length, lines: block.length, lastMs });
    block = [];
    textBytes = 0;
  };
  for (const line of lines) {
    block.push(line);
    textBytes += line.text.length;
    if (textBytes >= blockTextBytes) endBlock();
  }
  if (block.length > 0) endBlock();
  if (entries.length === 0) throw new Error("BUG: got an object without lines");
  parts.push(footerOf(entries));
  return { parts, lines: entries.reduce((sum, entry) => sum + entry.lines, 0) };
}

interface BlockEntry {
  bytes: number;
  lines: number;
  /** The latest time of its lines. */
  lastMs: number;
}

const columns = ["bytes", "lines", "lastMs"] as const;

function footerOf(entries: readonly BlockEntry[]): Buffer {
  const blocks = columns
    .map((name) => encodeIntegers(Float64Array.from(entries, (entry) => entry[name])))
    .flatMap(encodeBlock);
  const trailer = Buffer.alloc(trailerBytes);
  const length = blocks.reduce((sum, block) => sum + block.length, trailerBytes);
  trailer.writeUInt32LE(entries.length, 0);
  trailer.writeUInt32LE(length, 4);
  trailer.writeUInt8(consoleObjectVersion, 8);
  trailer.writeUInt32LE(magic, 12);
  const footer = Buffer.concat([...blocks, trailer]);
  footer.writeUInt32LE(crc32(footer.subarray(0, -4)), footer.length - 4);
  return footer;
}

const magic = 0x434c534c;
export const consoleObjectVersion = 1;
const trailerBytes = 20;
/** Read at once at the end of an object: the footer of some 10 GB of texts. */
const footerGuessBytes = 65_536;

/** The blocks of a sealed object, in order. */
export interface ObjectIndex {
  offset: Float64Array;
  bytes: Float64Array;
  lines: Float64Array;
  lastMs: Float64Array;
}

/** Reads the footer. Throws CorruptData, NewerFormat, or the bucket's errors. */
export async function readObjectIndex(
  bucket: Pick<SegmentBucket, "read" | "size">,
  key: string,
): Promise<ObjectIndex> {
  const size = await bucket.size(key);
  if (size < trailerBytes) throw new CorruptData(`${key} has ${size} bytes`);
  const guess = Math.min(size, footerGuessBytes);
  let tail = Buffer.from(await bucket.read(key, size - guess, guess));
  const length = tail.readUInt32LE(tail.length - trailerBytes + 4);
  if (length < trailerBytes || length > size)
    throw new CorruptData(`${key} says its footer has ${length} of ${size} bytes`);
  if (length > guess) tail = Buffer.from(await bucket.read(key, size - length, length));
  return decodeFooter(tail.subarray(tail.length - length), size, key);
}

function decodeFooter(footer: Buffer, size: number, key: string): ObjectIndex {
  const at = footer.length - trailerBytes;
  if (footer.readUInt32LE(at + 12) !== magic) throw new CorruptData(`${key} ends in no footer`);
  if (crc32(footer.subarray(0, -4)) !== footer.readUInt32LE(footer.length - 4))
    throw new CorruptData(`the checksum of the footer of ${key} differs`);
  const found = footer.readUInt8(at + 8);
  if (found !== consoleObjectVersion)
    throw new NewerFormat(`a console's object of version ${found}`);
  const count = footer.readUInt32LE(at);
  const reader = new BlockReader(footer.subarray(0, at));
  const [bytes, lines, lastMs] = columns.map(() => {
    const column = new Float64Array(count);
    decodeIntegers(reader.next(), column);
    return column;
  });
  reader.finish();
  const offset = new Float64Array(count);
  for (let block = 1; block < count; block++) offset[block] = offset[block - 1] + bytes[block - 1];
  if (offset[count - 1] + bytes[count - 1] + footer.length !== size)
    throw new CorruptData(`the blocks of ${key} are not as long as its footer says`);
  return { offset, bytes, lines, lastMs };
}

export async function readBlock(
  bucket: Pick<SegmentBucket, "read">,
  key: string,
  index: ObjectIndex,
  block: number,
): Promise<Lines> {
  const bytes = await bucket.read(key, index.offset[block], index.bytes[block]);
  const lines = await Lines.inPool(bytes);
  if (lines.count !== index.lines[block])
    throw new CorruptData(`block ${block} of ${key} has ${lines.count} lines`);
  return lines;
}

/** Reads every byte of an object. Returns the number of its lines, or throws CorruptData. */
export async function verifyObject(
  bucket: Pick<SegmentBucket, "read" | "size">,
  key: string,
): Promise<number> {
  const index = await readObjectIndex(bucket, key);
  for (let block = 0; block < index.lines.length; block++) {
    const lines = await readBlock(bucket, key, index, block);
    for (let line = 0; line < lines.count; line++) lines.line(line);
  }
  return index.lines.reduce((sum, lines) => sum + lines, 0);
}
