import { freeMemory } from "../ground/free-memory.ts";
import { CorruptData } from "./corrupt-data.ts";
import {
  expectLength,
  firstBytes,
  unzigzag,
  varintBytesMax,
  VarintReader,
  varintsStart,
  writeVarint,
  zigzag,
} from "./integers.ts";

/**
 * Encodes a chunk's values before compression, as whole blocks (see blocks.ts). Decoders throw
 * CorruptData when a block is longer or shorter than the column it says it is.
 *
 * The first of these is used that restores every value exactly: one constant; decimals
 * `integer / 10^exponent` (logged values are often rounded); floats widened to doubles (from a
 * tensor's item()); doubles. The last two are stored by byte plane and in two blocks, because sign
 * and exponent compress and a noisy mantissa does not: in one block they would share its
 * statistics.
 */
export function encodeValues(values: Float64Array): Uint8Array[] {
  if (isConstant(values)) {
    return [Uint8Array.of(ValueMode.constant, ...bytesOf(values.subarray(0, 1)))];
  }
  const decimals = encodeDecimals(values, decimalExponent(values));
  if (decimals !== undefined) return [decimals];
  if (values.every((value) => Math.fround(value) === value)) {
    const bytes = bytesOf(Float32Array.from(values));
    return [planes(bytes, 4, 3, 4, ValueMode.float32), planes(bytes, 4, 0, 3)];
  }
  const bytes = bytesOf(values);
  return [planes(bytes, 8, 6, 8, ValueMode.float64), planes(bytes, 8, 0, 6)];
}

/** `nextBlock` is called for the first block, and once more for a mode that has two. */
export function decodeValues(nextBlock: () => Uint8Array, output: Float64Array): void {
  const values = readValues(nextBlock, output);
  if (values !== output) output.set(values);
}

/**
 * Reads values in the width in which they were stored: doubles use the given room, floats one of
 * their own.
 */
export function readValues(
  nextBlock: () => Uint8Array,
  output: Float64Array,
  floats = () => new Float32Array(output.length),
): Float32Array | Float64Array {
  const block = nextBlock();
  const count = output.length;
  switch (block[0]) {
    case ValueMode.constant:
      expectLength(block, 9);
      bytesOf(output).set(block.subarray(1));
      // Copied as bytes, so that it holds for every bit pattern.
      for (let filled = 1; filled < count; filled *= 2) output.copyWithin(filled, 0, filled);
      return output;
    case ValueMode.decimal:
      decodeDecimals(block, output);
      return output;
    case ValueMode.float32: {
      const narrow = floats();
      const words = new Uint32Array(narrow.buffer, narrow.byteOffset, count);
      joinPlanes32(block, nextBlock(), words);
      return narrow;
    }
    case ValueMode.float64:
      joinPlanes64(
        block,
        nextBlock(),
        new Uint32Array(output.buffer, output.byteOffset, 2 * count),
      );
      return output;
    default:
      throw new CorruptData(`got value column mode ${block[0]}`);
  }
}

/** The blocks of a value column, of which there are one or two. */
export function valueBlocks(nextBlock: () => Uint8Array): Uint8Array[] {
  const block = nextBlock();
  const isInPlanes = block[0] === ValueMode.float32 || block[0] === ValueMode.float64;
  return isInPlanes ? [block, nextBlock()] : [block];
}

type ReadRows = (start: number, end: number, output: Float64Array) => void;

/**
 * Returns the way to any rows of a value column in planes, which keeps its blocks; undefined for
 * others.
 */
export function planeRows(
  [high, low]: readonly Uint8Array[],
  count: number,
): { read: ReadRows; floats?: () => Float32Array } | undefined {
  const mode = high[0];
  if (mode !== ValueMode.float32 && mode !== ValueMode.float64) return undefined;
  const width = mode === ValueMode.float32 ? 4 : 8;
  expectLength(high, 1 + count * (width === 4 ? 1 : 2));
  expectLength(low, count * (width === 4 ? 3 : 6));
  if (width === 8) {
    const read: ReadRows = (start, end, output) => {
      const words = new Uint32Array(output.buffer, output.byteOffset, 2 * (end - start));
      joinPlanes64(high, low, words, start, count);
    };
    return { read };
  }
  return {
    read: (start, end, output) => {
      // Floats in the second half of the output become doubles from its start on: a double never
      // covers a float behind it.
      const place = output.byteOffset + 4 * (end - start);
      joinPlanes32(high, low, new Uint32Array(output.buffer, place, end - start), start, count);
      const floats = new Float32Array(output.buffer, place, end - start);
      for (let at = 0; at < floats.length; at++) output[at] = floats[at];
    },
    floats: () => {
      const floats = new Float32Array(count);
      joinPlanes32(high, low, new Uint32Array(floats.buffer));
      return floats;
    },
  };
}

const ValueMode = { constant: 0, decimal: 1, float32: 2, float64: 3 } as const;

function isConstant(values: Float64Array): boolean {
  const first = values[0];
  // `===` takes 0 for -0, and NaN (never stored) for another than itself, so that it falls through
  // to plain bits.
  if (first === 0) return values.every((value) => Object.is(value, first));
  return values.every((value) => value === first);
}

/** 10^15 is exact, so integer / 10^exponent is one correctly rounded division. */
const exponentMax = 15;
/** Above, decimals take more bytes than the planes of a double. */
const decimalMax = 2 ** 47;
const powersOfTen = Array.from({ length: exponentMax + 1 }, (_, exponent) => 10 ** exponent);

/** The smallest exponent that suits each value from where it was raised on, or -1. */
function decimalExponent(values: Float64Array): number {
  let exponent = 0;
  for (const value of values) {
    while (!isDecimal(value, Math.round(value * powersOfTen[exponent]), powersOfTen[exponent])) {
      exponent++;
      if (exponent > exponentMax) return -1;
    }
  }
  return exponent;
}

/**
 * Whether the decoder would get exactly `value` from `integer`. -0 is no decimal: integers have one
 * zero.
 */
const isDecimal = (value: number, integer: number, power: number): boolean =>
  Math.abs(integer) <= decimalMax && integer / power === value && (value !== 0 || 1 / value > 0);

/** undefined when some value does not come back exactly with this exponent. */
function encodeDecimals(values: Float64Array, exponent: number): Uint8Array | undefined {
  if (exponent < 0) return undefined;
  const power = powersOfTen[exponent];
  const integers = new Float64Array(values.length);
  for (let i = 0; i < values.length; i++) {
    integers[i] = Math.round(values[i] * power);
    if (!isDecimal(values[i], integers[i], power)) return undefined;
  }
  const unit = commonUnit(integers);
  const target = new Uint8Array(varintsStart + varintBytesMax * values.length);
  target[0] = ValueMode.decimal;
  target[1] = exponent;
  let end = writeVarint(target, writeVarint(target, 2, unit), zigzag(integers[0]));
  for (let i = 1; i < integers.length; i++) {
    end = writeVarint(target, end, zigzag((integers[i] - integers[i - 1]) / unit));
  }
  freeMemory(integers);
  return firstBytes(target, end);
}

function decodeDecimals(block: Uint8Array, output: Float64Array): void {
  const power = powersOfTen[block[1]];
  if (power === undefined) throw new CorruptData(`got decimal exponent ${block[1]}`);
  const reader = new VarintReader(block, 2);
  const unit = reader.next();
  let integer = unzigzag(reader.next());
  output[0] = integer / power;
  for (let i = 1; i < output.length; i++) {
    integer += unzigzag(reader.next()) * unit;
    output[i] = integer / power;
  }
  reader.finish();
}

/**
 * The greatest common divisor of all differences: k / 512 is a multiple of 1953125 in nine
 * decimals. At least 1.
 */
function commonUnit(integers: Float64Array): number {
  let unit = 0;
  for (let i = 1; i < integers.length && unit !== 1; i++) {
    const difference = Math.abs(integers[i] - integers[i - 1]);
    if (unit !== 0 && Math.floor(difference / unit) * unit === difference) continue;
    let divisor = difference;
    while (divisor !== 0) [unit, divisor] = [divisor, unit % divisor];
  }
  return unit === 0 ? 1 : unit;
}

function bytesOf(column: Float64Array | Float32Array): Uint8Array {
  return new Uint8Array(column.buffer, column.byteOffset, column.byteLength);
}

/**
 * Returns byte planes first … last - 1 of values of `width` bytes, after the mode byte if there is
 * one.
 */
function planes(
  bytes: Uint8Array,
  width: number,
  first: number,
  last: number,
  mode?: number,
): Uint8Array {
  let end = mode === undefined ? 0 : 1;
  const target = new Uint8Array(end + (bytes.length / width) * (last - first));
  if (mode !== undefined) target[0] = mode;
  for (let plane = first; plane < last; plane++) {
    for (let from = plane; from < bytes.length; from += width) target[end++] = bytes[from];
  }
  return target;
}

/** Joins the planes of `count` values, from row `start` on, to as many words as there are. */
function joinPlanes32(
  high: Uint8Array,
  low: Uint8Array,
  words: Uint32Array,
  start = 0,
  count = words.length,
): void {
  expectLength(high, 1 + count);
  expectLength(low, 3 * count);
  for (let i = 0, row = start; i < words.length; i++, row++) {
    words[i] =
      low[row] | (low[count + row] << 8) | (low[2 * count + row] << 16) | (high[1 + row] << 24);
  }
}

function joinPlanes64(
  high: Uint8Array,
  low: Uint8Array,
  words: Uint32Array,
  start = 0,
  count = words.length / 2,
): void {
  expectLength(high, 1 + 2 * count);
  expectLength(low, 6 * count);
  for (let i = 0, row = start; i < words.length; i += 2, row++) {
    words[i] =
      low[row] |
      (low[count + row] << 8) |
      (low[2 * count + row] << 16) |
      (low[3 * count + row] << 24);
    words[i + 1] =
      low[4 * count + row] |
      (low[5 * count + row] << 8) |
      (high[1 + row] << 16) |
      (high[1 + count + row] << 24);
  }
}
