import { ByteWriter } from "./byte-writer.ts";

/** Encodings of Parquet, as its format numbers them. */
export const encodings = {
  plain: 0,
  rle: 3,
  deltaBinaryPacked: 5,
  dictionary: 8,
  byteStreamSplit: 9,
} as const;

/** A run of equal values. */
export interface Run {
  value: number;
  count: number;
}

/** Runs of the hybrid of run lengths and bit packing; all are run lengths. */
export function writeRuns(writer: ByteWriter, runs: readonly Run[], bitWidth: number): void {
  const bytes = Math.ceil(bitWidth / 8);
  for (const { value, count } of runs) {
    writer.varint(count * 2);
    for (let at = 0; at < bytes; at++) writer.byte((value >>> (8 * at)) & 0xff);
  }
}

/** Bits that numbers up to this one take. */
export function bitWidthOf(max: number): number {
  return max === 0 ? 0 : Math.floor(Math.log2(max)) + 1;
}

/** Splits doubles by byte plane, first bytes first: those of a curve resemble each other. */
export function splitBytes(values: Float64Array): Uint8Array<ArrayBuffer> {
  const count = values.length;
  const bytes = new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  const split = new Uint8Array(bytes.length);
  for (let at = 0; at < count; at++)
    for (let part = 0; part < 8; part++) split[part * count + at] = bytes[8 * at + part];
  return split;
}

const blockValues = 128;
const miniblocks = 4;
const miniblockValues = blockValues / miniblocks;

/**
 * Whole numbers as bit-packed differences: steps and times take a few bits each. Undefined where
 * two neighbours differ by more than 32 bits hold: then all of them are written plainly.
 */
export function deltaPacked(values: Float64Array): Uint8Array<ArrayBuffer> | undefined {
  const deltas = new Float64Array(Math.max(0, values.length - 1));
  for (let at = 0; at < deltas.length; at++) {
    const delta = values[at + 1] - values[at];
    if (delta < -(2 ** 31) || delta >= 2 ** 31) return undefined;
    deltas[at] = delta;
  }
  const writer = new ByteWriter();
  writer.varint(blockValues);
  writer.varint(miniblocks);
  writer.varint(values.length);
  writer.zigzag(values[0] ?? 0);
  for (let at = 0; at < deltas.length; at += blockValues)
    writeBlock(writer, deltas.subarray(at, at + blockValues));
  return writer.take();
}

function writeBlock(writer: ByteWriter, deltas: Float64Array): void {
  const least = deltas.reduce((min, delta) => Math.min(min, delta), Infinity);
  writer.zigzag(least);
  const parts: { rest: Float64Array; bitWidth: number }[] = [];
  for (let at = 0; at < blockValues; at += miniblockValues) {
    const rest = deltas.subarray(at, at + miniblockValues).map((delta) => delta - least);
    const most = rest.reduce((max, value) => Math.max(max, value), 0);
    parts.push({ rest, bitWidth: bitWidthOf(most) });
  }
  for (const { bitWidth } of parts) writer.byte(bitWidth);
  for (const { rest, bitWidth } of parts) if (rest.length > 0) packBits(writer, rest, bitWidth);
}

/** A whole miniblock, however few values it has. The lowest bits come first. */
function packBits(writer: ByteWriter, values: Float64Array, bitWidth: number): void {
  const bytes = new Uint8Array((miniblockValues * bitWidth) / 8);
  for (let at = 0; at < values.length; at++) {
    let left = values[at];
    let bit = at * bitWidth;
    // A value of 32 bits that begins within a byte would not fit a shift.
    for (let bits = bitWidth; bits > 0;) {
      const free = 8 - (bit % 8);
      const taken = Math.min(free, bits);
      const part = left % 2 ** taken;
      bytes[bit >> 3] |= part << (bit % 8);
      left = (left - part) / 2 ** taken;
      bit += taken;
      bits -= taken;
    }
  }
  writer.bytes(bytes);
}
