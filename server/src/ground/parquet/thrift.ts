import { ByteWriter } from "./byte-writer.ts";

/** A value of Thrift's compact protocol, as far as the metadata of Parquet needs it. */
export type ThriftValue =
  | { i32: number }
  | { i64: number }
  | { binary: Uint8Array | string }
  | { list: readonly ThriftValue[]; of: keyof typeof typeCodes }
  | { struct: ThriftStruct };

/** Fields by their ids, ascending; those without a value are left out. */
export type ThriftStruct = Readonly<Record<number, ThriftValue | undefined>>;

const typeCodes = { i32: 5, i64: 6, binary: 8, list: 9, struct: 12 } as const;

export const i32 = (value: number): ThriftValue => ({ i32: value });
export const i64 = (value: number): ThriftValue => ({ i64: value });
export const binary = (value: Uint8Array | string): ThriftValue => ({ binary: value });
export const struct = (fields: ThriftStruct): ThriftValue => ({ struct: fields });

export function listOf(of: keyof typeof typeCodes, list: readonly ThriftValue[]): ThriftValue {
  return { list, of };
}

export function thriftBytes(fields: ThriftStruct): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writeStruct(writer, fields);
  return writer.take();
}

function writeStruct(writer: ByteWriter, fields: ThriftStruct): void {
  let before = 0;
  // Members that are numbers come ascending.
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const id = Number(name);
    const delta = id - before;
    if (delta > 15) throw new Error(`BUG: field ${id} is too far behind field ${before}`);
    writer.byte(delta * 16 + typeCodes[typeOf(value)]);
    writeValue(writer, value);
    before = id;
  }
  writer.byte(0);
}

function typeOf(value: ThriftValue): keyof typeof typeCodes {
  return Object.keys(value)[0] as keyof typeof typeCodes;
}

function writeValue(writer: ByteWriter, value: ThriftValue): void {
  if ("i32" in value) writer.zigzag(value.i32);
  else if ("i64" in value) writer.zigzag(value.i64);
  else if ("binary" in value) {
    const bytes = typeof value.binary === "string" ? Buffer.from(value.binary) : value.binary;
    writer.varint(bytes.length);
    writer.bytes(bytes);
  } else if ("list" in value) {
    const { list, of } = value;
    if (list.length < 15) writer.byte(list.length * 16 + typeCodes[of]);
    else {
      writer.byte(15 * 16 + typeCodes[of]);
      writer.varint(list.length);
    }
    for (const one of list) writeValue(writer, one);
  } else writeStruct(writer, value.struct);
}
