import { freeMemory } from "../ground/free-memory.ts";
import { CorruptData } from "./corrupt-data.ts";

/**
 * Columns of integers of 0 … 2^53 - 1 as bytes, before compression. All of their arithmetic is
 * modulo 2^53, each result in [-2^52, 2^52): then neither a difference nor a difference of
 * differences ever leaves the range in which doubles are exact, and no BigInt is needed.
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
  new IntegerRows(block, output.length).read(0, output.length, output);
}

/** Distance in rows of places from which `IntegerRows` can go on. */
const rowsPerMark = 512;

/** A column as `encodeIntegers` made it, whose rows are decoded when they are wanted. */
export class IntegerRows {
  /** Bytes in memory, besides the block. */
  readonly bytes: number;
  readonly #block: Uint8Array;
  readonly #count: number;
  readonly #isLinear: boolean;
  /** Every 512th row that was decoded: its number, its difference, and where the next begins. */
  readonly #marks: number[];

  /** Keeps the block of a column that is not linear. */
  constructor(block: Uint8Array, count: number) {
    const mode = block[0];
    if (mode !== IntegerMode.linear && mode !== IntegerMode.deltaOfDelta)
      throw new CorruptData(`got integer column mode ${mode}`);
    this.#isLinear = mode === IntegerMode.linear;
    const reader = new VarintReader(block, 1);
    const first = reader.next();
    const delta = this.#isLinear ? unzigzag(reader.next()) : 0;
    if (this.#isLinear) reader.finish();
    this.#marks = [first, delta, reader.at];
    this.#block = this.#isLinear ? new Uint8Array() : block;
    this.#count = count;
    this.bytes = this.#isLinear ? 0 : 24 * Math.ceil(count / rowsPerMark);
  }

  /** Decodes the rows from `start` to before `end`. */
  read(start: number, end: number, output: Float64Array): void {
    if (start >= end) return;
    if (this.#isLinear) this.#readLinear(start, end, output);
    else this.#readChanges(start, end, output);
  }

  #readLinear(start: number, end: number, output: Float64Array): void {
    const [first, delta] = this.#marks;
    if (delta >= 0 && first + delta * this.#count < modulus) {
      for (let row = start; row < end; row++) output[row - start] = first + row * delta;
      return;
    }
    let value = first;
    for (let row = 0; row < end; row++) {
      if (row >= start) output[row - start] = value;
      value = add(value, delta);
    }
  }

  #readChanges(start: number, end: number, output: Float64Array): void {
    const marks = this.#marks;
    const mark = 3 * Math.min(Math.floor(start / rowsPerMark), marks.length / 3 - 1);
    const row = (mark / 3) * rowsPerMark;
    const position = { row, value: marks[mark], delta: marks[mark + 1], at: marks[mark + 2] };
    if (row === start) output[0] = position.value;
    while (position.row < end - 1) {
      const next = (Math.floor(position.row / rowsPerMark) + 1) * rowsPerMark;
      const last = Math.min(next, end - 1);
      while (position.row < last) {
        readSmallChanges(this.#block, position, last, start, output);
        readAnyChanges(this.#block, position, Math.min(last, position.row + 16), start, output);
      }
      const isNew = position.row === next && 3 * (next / rowsPerMark) === marks.length;
      if (isNew) marks.push(position.value, position.delta, position.at);
    }
    if (end === this.#count) expectLength(this.#block, position.at);
    else if (position.at > this.#block.length) expectLength(this.#block, position.at);
  }
}

/** A row, its number, the difference to it, and where the bytes of the next one begin. */
interface Position {
  row: number;
  value: number;
  delta: number;
  at: number;
}

/**
 * Goes on from a position up to the row `last`, at most 512 further, as long as changes of the
 * difference have one or two bytes: then sums of them have 32 bits, and are the fastest. Rows from
 * `start` on are put into the output.
 */
function readSmallChanges(
  block: Uint8Array,
  position: Position,
  last: number,
  start: number,
  output: Float64Array,
): void {
  const { value, delta } = position;
  // All sums below are exact, and in (-2^53, 2^53).
  if (value >= half || Math.abs(delta) >= 2 ** 40) return;
  let { at, row } = position;
  // The place with a steady difference, and how far changes have led from it.
  let [line, sum, change] = [value, 0, 0];
  const words = new DataView(block.buffer, block.byteOffset, block.byteLength);
  const lastWord = block.length - 4;
  while (row < last) {
    // Four changes of one byte each, unless they lie on both sides of `start`.
    const isFour = at <= lastWord && row + 4 <= last && (row + 4 < start || row + 1 >= start);
    const word = isFour ? words.getInt32(at, true) : -1;
    if ((word & 0x8080_8080) === 0) {
      const bytes = ((word >>> 1) & 0x3f3f_3f3f) ^ Math.imul(word & 0x0101_0101, 0xff);
      const one = (change + ((bytes << 24) >> 24)) | 0;
      const two = (one + ((bytes << 16) >> 24)) | 0;
      const three = (two + ((bytes << 8) >> 24)) | 0;
      change = (three + (bytes >> 24)) | 0;
      const first = (sum + one) | 0;
      const second = (first + two) | 0;
      const third = (second + three) | 0;
      sum = (third + change) | 0;
      if (row + 4 >= start) {
        const to = row + 1 - start;
        output[to] = wrapped(line + delta + first);
        output[to + 1] = wrapped(line + 2 * delta + second);
        output[to + 2] = wrapped(line + 3 * delta + third);
        output[to + 3] = wrapped(line + 4 * delta + sum);
      }
      line += 4 * delta;
      at += 4;
      row += 4;
      continue;
    }
    let code = block[at];
    if (code < 0x80) at++;
    else {
      const high = block[at + 1];
      if (!(high < 0x80)) break;
      code = (code & 0x7f) | (high << 7);
      at += 2;
    }
    change = (change + ((code >>> 1) ^ -(code & 1))) | 0;
    sum = (sum + change) | 0;
    row++;
    line += delta;
    if (row >= start) output[row - start] = wrapped(line + sum);
  }
  position.value = wrapped(line + sum);
  position.delta = wrap(delta + change);
  position.at = at;
  position.row = row;
}

/** A number that went below 0 has gone round. */
const wrapped = (each: number): number => (each < 0 ? each + modulus : each);

/** The same for changes of any size. */
function readAnyChanges(
  block: Uint8Array,
  position: Position,
  last: number,
  start: number,
  output: Float64Array,
): void {
  const reader = new VarintReader(block, position.at);
  while (position.row < last) {
    position.delta = wrap(position.delta + unzigzag(reader.next()));
    position.value = add(position.value, position.delta);
    position.row++;
    if (position.row >= start) output[position.row - start] = position.value;
  }
  position.at = reader.at;
}

const IntegerMode = { linear: 0, deltaOfDelta: 1 } as const;

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
export const zigzag = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

export function unzigzag(code: number): number {
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
export function firstBytes(target: Uint8Array, end: number): Uint8Array {
  const bytes = target.slice(0, end);
  freeMemory(target);
  return bytes;
}

export const varintBytesMax = 8;
/** Room for the mode and parameters in front of a column's varints. */
export const varintsStart = 24;

/** LEB128 of an integer below 2^53: one to eight bytes. */
export function writeVarint(target: Uint8Array, at: number, value: number): number {
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

export class VarintReader {
  readonly #block: Uint8Array;
  #at: number;

  constructor(block: Uint8Array, at: number) {
    this.#block = block;
    this.#at = at;
  }

  /** Where the next one begins. */
  get at(): number {
    return this.#at;
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

export function expectLength(block: Uint8Array, length: number): void {
  if (block.length !== length) {
    throw new CorruptData(`a block of ${block.length} bytes has a column of ${length}`);
  }
}
