import { freeMemory } from "../ground/free-memory.ts";
import { CorruptData } from "./corrupt-data.ts";

/**
 * Columns of a chunk as bytes, before compression. An encoder gives whole blocks (see blocks.ts), a
 * decoder fills its output and throws CorruptData when a block is longer or shorter than the column
 * it says it is.
 *
 * Integer columns hold integers of 0 … 2^53 - 1. All of their arithmetic is modulo 2^53, each
 * result in [-2^52, 2^52): then neither a difference nor a difference of differences ever leaves
 * the range in which doubles are exact, and no BigInt is needed.
 */
export function encodeIntegers(values: Float64Array): Uint8Array {
  const count = values.length;
  const target = new Uint8Array(varintsStart + varintBytesMax * count);
  const first = values[0];
  const delta = count > 1 ? wrap(values[1] - first) : 0;
  if (isLinear(values, delta)) {
    target[0] = IntegerMode.linear;
    return firstBytes(target, writeVarint(target, writeVarint(target, 1, first), zigzag(delta)));
  }
  target[0] = IntegerMode.deltaOfDelta;
  let end = writeVarint(target, 1, first);
  let previous = first;
  let previousDelta = 0;
  for (let i = 1; i < count; i++) {
    const value = values[i];
    const change = wrap(value - previous);
    const code = zigzag(wrap(change - previousDelta));
    previous = value;
    previousDelta = change;
    if (code < 0x80) target[end++] = code;
    else end = writeVarint(target, end, code);
  }
  return firstBytes(target, end);
}

export function decodeIntegers(block: Uint8Array, output: Float64Array): void {
  const mode = block[0];
  const reader = new VarintReader(block, 1);
  let value = reader.next();
  output[0] = value;
  let delta = 0;
  if (mode === IntegerMode.linear) {
    delta = unzigzag(reader.next());
    if (delta >= 0 && value + delta * output.length < modulus)
      for (let i = 1; i < output.length; i++) output[i] = value += delta;
    else for (let i = 1; i < output.length; i++) output[i] = value = add(value, delta);
  } else if (mode === IntegerMode.deltaOfDelta) {
    for (let i = 1; i < output.length; i++) {
      delta = wrap(delta + unzigzag(reader.next()));
      value = add(value, delta);
      output[i] = value;
    }
  } else throw new CorruptData(`got integer column mode ${mode}`);
  reader.finish();
}

/**
 * Encodes the value column, by the first of these that restores every value exactly: one constant;
 * decimals `integer / 10^exponent` (logged values are often rounded); floats widened to doubles
 * (from a tensor's item()); doubles. The last two are stored by byte plane and in two blocks,
 * because sign and exponent compress and a noisy mantissa does not: in one block they would share
 * its statistics.
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

const IntegerMode = { linear: 0, deltaOfDelta: 1 } as const;
const ValueMode = { constant: 0, decimal: 1, float32: 2, float64: 3 } as const;

const modulus = 2 ** 53;
const half = 2 ** 52;

/** An exact difference of two numbers in [-2^52, 2^52) or [0, 2^53), brought into [-2^52, 2^52). */
const wrap = (difference: number): number =>
  difference >= half
    ? difference - modulus
    : difference < -half
      ? difference + modulus
      : difference;

/**
 * value + delta modulo 2^53, for value in [0, 2^53) and delta in [-2^52, 2^52), without an inexact
 * sum.
 */
function add(value: number, delta: number): number {
  if (delta >= 0) {
    const room = modulus - delta;
    return value >= room ? value - room : value + delta;
  }
  const sum = value + delta;
  return sum < 0 ? sum + modulus : sum;
}

/** [-2^52, 2^52) onto [0, 2^53): 0, -1, 1, -2 … become 0, 1, 2, 3 … */
const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

function unzigzag(code: number): number {
  if (code < 0x4000_0000) return (code >>> 1) ^ -(code & 1);
  return code % 2 === 0 ? code / 2 : -(code + 1) / 2;
}

function isLinear(values: Float64Array, delta: number): boolean {
  for (let i = 1; i < values.length; i++) {
    if (wrap(values[i] - values[i - 1]) !== delta) return false;
  }
  return true;
}

/** Copies the first bytes, so that the large buffer of a well-compressed column is freed. */
function firstBytes(target: Uint8Array, end: number): Uint8Array {
  const bytes = target.slice(0, end);
  freeMemory(target);
  return bytes;
}

const varintBytesMax = 8;
/** Room for the mode and parameters in front of a column's varints. */
const varintsStart = 24;

/** LEB128 of an integer below 2^53: one to eight bytes. */
function writeVarint(target: Uint8Array, at: number, value: number): number {
  let end = at;
  let rest = value;
  while (rest >= 0x8000_0000) {
    target[end++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  while (rest >= 0x80) {
    target[end++] = (rest & 0x7f) | 0x80;
    rest >>>= 7;
  }
  target[end++] = rest;
  return end;
}

class VarintReader {
  readonly #block: Uint8Array;
  #at: number;

  constructor(block: Uint8Array, at: number) {
    this.#block = block;
    this.#at = at;
  }

  next(): number {
    const byte = this.#block[this.#at++];
    return byte < 0x80 ? byte : this.#rest(byte & 0x7f);
  }

  finish(): void {
    expectLength(this.#block, this.#at);
  }

  #rest(low: number): number {
    let value = low;
    for (let shift = 7; ; shift += 7) {
      // Past the end bytes are undefined: the loop stops, and finish() sees the position.
      const byte = this.#block[this.#at++];
      if (shift < 28) value |= (byte & 0x7f) << shift;
      else value += (byte & 0x7f) * 2 ** shift;
      if (!(byte >= 0x80)) return value;
    }
  }
}

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

function expectLength(block: Uint8Array, length: number): void {
  if (block.length !== length) {
    throw new CorruptData(`a block of ${block.length} bytes has a column of ${length}`);
  }
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

function joinPlanes32(high: Uint8Array, low: Uint8Array, words: Uint32Array): void {
  const count = words.length;
  expectLength(high, 1 + count);
  expectLength(low, 3 * count);
  for (let i = 0; i < count; i++) {
    words[i] = low[i] | (low[count + i] << 8) | (low[2 * count + i] << 16) | (high[1 + i] << 24);
  }
}

function joinPlanes64(high: Uint8Array, low: Uint8Array, words: Uint32Array): void {
  const count = words.length / 2;
  expectLength(high, 1 + 2 * count);
  expectLength(low, 6 * count);
  for (let i = 0; i < count; i++) {
    words[2 * i] =
      low[i] | (low[count + i] << 8) | (low[2 * count + i] << 16) | (low[3 * count + i] << 24);
    words[2 * i + 1] =
      low[4 * count + i] |
      (low[5 * count + i] << 8) |
      (high[1 + i] << 16) |
      (high[1 + count + i] << 24);
  }
}
