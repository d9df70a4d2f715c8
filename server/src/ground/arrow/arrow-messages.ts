import {
  byte,
  flatBuffer,
  type FlatPart,
  int,
  long,
  pairs,
  short,
  table,
  tables,
  text,
} from "./flat-buffer.ts";

/** Messages of Arrow's IPC streaming format, version 5 of its metadata. */

export interface ArrowField {
  name: string;
  /** `text` is an index, of 32 bits, into the dictionary that has the number of the field. */
  type: "text" | "int64" | "double";
  isNullable?: boolean;
}

type Metadata = Readonly<Record<string, string>>;

/** Each message begins with these bytes, and the end of the stream, too. */
export const continuation = Uint8Array.of(0xff, 0xff, 0xff, 0xff);
/** A stream ends with `continuation` and these bytes: a message without a length. */
export const endOfStream = new Uint8Array(4);

/** All messages are returned without their `continuation`. */
export function schemaMessage(fields: readonly ArrowField[], metadata: Metadata): Uint8Array {
  const schema = table(short(0), tables(...fields.map(fieldTable)), keyValues(metadata));
  return message(header.schema, schema, []);
}

export function dictionaryMessage(number: number, texts: readonly string[]): Uint8Array {
  const offsets = new Int32Array(texts.length + 1);
  texts.forEach((one, at) => (offsets[at + 1] = offsets[at] + Buffer.byteLength(one)));
  const content = Buffer.from(texts.join(""));
  const batch = batchTable(texts.length, 1, [0, offsets.byteLength, content.length]);
  const dictionary = table(long(number), batch);
  return message(header.dictionary, dictionary, [bytesOf(offsets), content]);
}

/** A batch of rows, whose columns are of numbers; none has nulls. */
export function batchMessage(
  rows: number,
  columns: readonly ArrayBufferView[],
  metadata: Metadata = {},
): Uint8Array<ArrayBuffer> {
  const lengths = columns.flatMap(({ byteLength }) => [0, byteLength]);
  const batch = batchTable(rows, columns.length, lengths);
  return message(header.batch, batch, columns.map(bytesOf), metadata);
}

const version5 = 4;
const header = { schema: 1, dictionary: 2, batch: 3 };
const types = { int: 2, floatingPoint: 3, utf8: 5 };

function fieldTable({ name, type, isNullable = false }: ArrowField, number: number): FlatPart {
  const kind = { text: types.utf8, int64: types.int, double: types.floatingPoint }[type];
  const detail = { text: table(), int64: table(int(64), byte(1)), double: table(short(2)) }[type];
  const index = table(int(32), byte(1));
  const dictionary = type === "text" ? table(long(number), index) : undefined;
  return table(text(name), byte(Number(isNullable)), byte(kind), detail, dictionary, tables());
}

/** Buffers lie one behind the other, each beginning at a multiple of 8 bytes. */
function batchTable(rows: number, columns: number, lengths: readonly number[]): FlatPart {
  const nodes = Array.from({ length: columns }, () => [rows, 0]).flat();
  let at = 0;
  const buffers = lengths.flatMap((length) => {
    const buffer = [at, length];
    at += padded(length);
    return buffer;
  });
  return table(long(rows), pairs(...nodes), pairs(...buffers));
}

/** The bytes lie so that columns within them are aligned in their buffer. */
function message(
  kind: number,
  content: FlatPart,
  body: readonly Uint8Array[],
  metadata: Metadata = {},
): Uint8Array<ArrayBuffer> {
  const bodyBytes = body.reduce((sum, { length }) => sum + padded(length), 0);
  const described = flatBuffer(
    table(short(version5), byte(kind), content, long(bodyBytes), keyValues(metadata)),
  );
  const bytes = new Uint8Array(8 + described.length + bodyBytes);
  new DataView(bytes.buffer).setUint32(4, described.length, true);
  bytes.set(described, 8);
  let at = 8 + described.length;
  for (const one of body) {
    bytes.set(one, at);
    at += padded(one.length);
  }
  return bytes.subarray(4);
}

function keyValues(metadata: Metadata): FlatPart | undefined {
  const entries = Object.entries(metadata);
  if (entries.length === 0) return undefined;
  return tables(...entries.map(([key, value]) => table(text(key), text(value))));
}

function bytesOf({ buffer, byteOffset, byteLength }: ArrayBufferView): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

const padded = (length: number): number => Math.ceil(length / 8) * 8;
