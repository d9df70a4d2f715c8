import { ByteWriter } from "./byte-writer.ts";
import {
  bitWidthOf,
  deltaPacked,
  encodings,
  type Run,
  splitBytes,
  writeRuns,
} from "./encodings.ts";

export type ColumnType = "int64" | "double" | "boolean" | "text";

export interface ColumnDefinition {
  name: string;
  type: ColumnType;
  /** Whether values may be missing. */
  isOptional?: boolean;
}

/** The pages of a column in one row group, not compressed yet. */
export interface EncodedColumn {
  /** The dictionary before the values, for texts only. */
  dictionary?: { bytes: Uint8Array; values: number };
  page: Uint8Array;
  encoding: number;
  values: number;
  nulls: number;
  min?: Uint8Array;
  max?: Uint8Array;
}

export type Cell = string | number | boolean | null;

/** Maximum of a text as a bound: a reader would hold all longer ones. */
const boundBytesMax = 64;

/** The values of one column, until they are enough for a row group. */
export class Column {
  readonly definition: ColumnDefinition;
  #rows = 0;
  #nulls = 0;
  /** Runs of 1 where there is a value, of 0 where there is none. */
  #defined: Run[] = [];
  #numbers = new Float64Array(1_024);
  #numberCount = 0;
  #texts = new Map<string, number>();
  #textRuns: Run[] = [];
  /** Size of the distinct texts as UTF-16. */
  textBytes = 0;

  constructor(definition: ColumnDefinition) {
    this.definition = definition;
  }

  get rows(): number {
    return this.#rows;
  }

  add(value: Cell, times = 1): void {
    if (value === null && !this.definition.isOptional)
      throw new Error(`BUG: the column ${this.definition.name} has a value in every row`);
    extend(this.#defined, value === null ? 0 : 1, times);
    this.#rows += times;
    if (value === null) this.#nulls += times;
    else if (typeof value === "string") extend(this.#textRuns, this.#indexOf(value), times);
    else
      for (let at = 0; at < times; at++) {
        this.#reserve(1);
        this.#numbers[this.#numberCount++] = Number(value);
      }
  }

  addNumbers(values: Float64Array): void {
    this.#reserve(values.length);
    this.#numbers.set(values, this.#numberCount);
    this.#numberCount += values.length;
    this.#rows += values.length;
    extend(this.#defined, 1, values.length);
  }

  /** Returns all values since the last call. */
  take(): EncodedColumn {
    const levels = this.definition.isOptional ? levelBytes(this.#defined) : new Uint8Array(0);
    const encoded = this.definition.type === "text" ? this.#takeTexts() : this.#takeNumbers();
    const page = new Uint8Array(levels.length + encoded.page.length);
    page.set(levels);
    page.set(encoded.page, levels.length);
    const taken = { ...encoded, page, values: this.#rows, nulls: this.#nulls };
    this.#rows = 0;
    this.#nulls = 0;
    this.#defined = [];
    return taken;
  }

  #indexOf(text: string): number {
    const known = this.#texts.get(text);
    if (known !== undefined) return known;
    const index = this.#texts.size;
    this.#texts.set(text, index);
    this.textBytes += 2 * text.length;
    return index;
  }

  #takeTexts(): Omit<EncodedColumn, "values" | "nulls"> {
    const texts = [...this.#texts.keys()].map((text) => Buffer.from(text));
    const dictionary = new ByteWriter();
    for (const text of texts) {
      dictionary.uint32(text.length);
      dictionary.bytes(text);
    }
    const bitWidth = bitWidthOf(Math.max(0, texts.length - 1));
    const indexes = new ByteWriter();
    indexes.byte(bitWidth);
    writeRuns(indexes, this.#textRuns, bitWidth);
    this.#texts = new Map();
    this.#textRuns = [];
    this.textBytes = 0;
    return {
      dictionary: { bytes: dictionary.take(), values: texts.length },
      page: indexes.take(),
      encoding: encodings.dictionary,
      ...textBounds(texts),
    };
  }

  #takeNumbers(): Omit<EncodedColumn, "values" | "nulls"> {
    const numbers = this.#numbers.slice(0, this.#numberCount);
    this.#numberCount = 0;
    const { type } = this.definition;
    if (type === "boolean") return { page: bitBytes(numbers), encoding: encodings.plain };
    const bounds = numberBounds(numbers, type === "int64");
    if (type === "double")
      return { page: splitBytes(numbers), encoding: encodings.byteStreamSplit, ...bounds };
    const packed = deltaPacked(numbers);
    if (packed !== undefined)
      return { page: packed, encoding: encodings.deltaBinaryPacked, ...bounds };
    const plain = new ByteWriter();
    for (const number of numbers) plain.int64(number);
    return { page: plain.take(), encoding: encodings.plain, ...bounds };
  }

  #reserve(more: number): void {
    const wanted = this.#numberCount + more;
    if (wanted <= this.#numbers.length) return;
    const grown = new Float64Array(Math.max(wanted, 2 * this.#numbers.length));
    grown.set(this.#numbers.subarray(0, this.#numberCount));
    this.#numbers = grown;
  }
}

function extend(runs: Run[], value: number, count: number): void {
  if (count === 0) return;
  const last = runs.at(-1);
  if (last?.value === value) last.count += count;
  else runs.push({ value, count });
}

/** Encodes which rows have a value, with the length in front. */
function levelBytes(defined: readonly Run[]): Uint8Array {
  const runs = new ByteWriter();
  writeRuns(runs, defined, 1);
  const levels = new ByteWriter();
  levels.uint32(runs.length);
  levels.bytes(runs.take());
  return levels.take();
}

function bitBytes(values: Float64Array): Uint8Array {
  const bytes = new Uint8Array(Math.ceil(values.length / 8));
  for (const [at, value] of values.entries()) if (value === 1) bytes[at >> 3] |= 1 << (at % 8);
  return bytes;
}

/** Zeros have two signs: the least one is negative, the largest one is not. */
function numberBounds(
  numbers: Float64Array,
  isInteger: boolean,
): { min?: Uint8Array; max?: Uint8Array } {
  if (numbers.length === 0) return {};
  let min = Infinity;
  let max = -Infinity;
  for (const number of numbers) {
    if (number < min) min = number;
    if (number > max) max = number;
  }
  const bytes = (number: number): Uint8Array => {
    const writer = new ByteWriter();
    if (isInteger) writer.int64(number);
    else writer.double(number);
    return writer.take();
  };
  if (isInteger) return { min: bytes(min), max: bytes(max) };
  return { min: bytes(min === 0 ? -0 : min), max: bytes(max === 0 ? 0 : max) };
}

function textBounds(texts: readonly Buffer[]): { min?: Uint8Array; max?: Uint8Array } {
  if (texts.length === 0) return {};
  const [first] = texts;
  let [min, max] = [first, first];
  for (const text of texts) {
    if (Buffer.compare(text, min) < 0) min = text;
    if (Buffer.compare(text, max) > 0) max = text;
  }
  return min.length > boundBytesMax || max.length > boundBytesMax ? {} : { min, max };
}
