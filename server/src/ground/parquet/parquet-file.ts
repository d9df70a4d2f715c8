import { constants, zstdCompressSync } from "node:zlib";
import { ByteWriter } from "./byte-writer.ts";
import { Column, type ColumnDefinition, type EncodedColumn } from "./column.ts";
import { encodings } from "./encodings.ts";
import { binary, i32, i64, listOf, struct, thriftBytes, type ThriftValue } from "./thrift.ts";

const magic = "PAR1";
/** Numbers of the format: https://github.com/apache/parquet-format, parquet.thrift. */
const types = { boolean: 0, int64: 2, double: 5, text: 6 } as const;
const utf8 = 0;
const codecZstd = 6;
const pageTypes = { data: 0, dictionary: 2 } as const;

/** Maximal rows of a row group, and characters of its distinct texts: both are held in memory. */
const groupRowsMax = 131_072;
const groupTextBytesMax = 8 * 1024 * 1024;

/**
 * A Parquet file, written as its rows arrive: every row group is returned as soon as it is full,
 * and the footer, without which the file is unreadable, at its end. A truncated file is therefore
 * never taken for complete.
 */
export class ParquetFile {
  readonly columns: readonly Column[];
  readonly #createdBy: string;
  readonly #groups: ThriftValue[] = [];
  #offset = 0;
  #rows = 0;

  constructor(columns: readonly ColumnDefinition[], createdBy: string) {
    this.columns = columns.map((definition) => new Column(definition));
    this.#createdBy = createdBy;
  }

  head(): Uint8Array<ArrayBuffer> {
    return this.#given(new TextEncoder().encode(magic));
  }

  get isFull(): boolean {
    const textBytes = this.columns.reduce((sum, column) => sum + column.textBytes, 0);
    return this.#groupRows >= groupRowsMax || textBytes >= groupTextBytesMax;
  }

  /** Rows that fit into the row group. */
  get room(): number {
    return Math.max(0, groupRowsMax - this.#groupRows);
  }

  /** Writes the rows that were added, column by column. */
  *group(): Generator<Uint8Array<ArrayBuffer>> {
    const rows = this.#groupRows;
    if (rows === 0) return;
    const startOffset = this.#offset;
    const chunks: ThriftValue[] = [];
    let plainBytes = 0;
    for (const column of this.columns) {
      const written = this.#column(column.definition, column.take());
      yield this.#given(written.bytes);
      chunks.push(written.chunk);
      plainBytes += written.plainBytes;
    }
    this.#rows += rows;
    this.#groups.push(
      struct({
        1: listOf("struct", chunks),
        2: i64(plainBytes),
        3: i64(rows),
        5: i64(startOffset),
        6: i64(this.#offset - startOffset),
      }),
    );
  }

  foot(): Uint8Array<ArrayBuffer> {
    const footer = thriftBytes({
      1: i32(2),
      2: listOf("struct", this.#schema()),
      3: i64(this.#rows),
      4: listOf("struct", this.#groups),
      6: binary(this.#createdBy),
      // Bounds are in the order of the types.
      7: listOf(
        "struct",
        this.columns.map(() => struct({ 1: struct({}) })),
      ),
    });
    const end = new ByteWriter();
    end.bytes(footer);
    end.uint32(footer.length);
    end.bytes(Buffer.from(magic));
    return this.#given(end.take());
  }

  get #groupRows(): number {
    return this.columns[0]?.rows ?? 0;
  }

  #given(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    this.#offset += bytes.length;
    return bytes;
  }

  #schema(): ThriftValue[] {
    const root = struct({ 4: binary("schema"), 5: i32(this.columns.length) });
    const columns = this.columns.map(({ definition: { name, type, isOptional = false } }) =>
      struct({
        1: i32(types[type]),
        3: i32(isOptional ? 1 : 0),
        4: binary(name),
        ...(type === "text" && { 6: i32(utf8), 10: struct({ 1: struct({}) }) }),
      }),
    );
    return [root, ...columns];
  }

  #column({ name, type }: ColumnDefinition, encoded: EncodedColumn) {
    const { dictionary, page, encoding, values, nulls, min, max } = encoded;
    const bytes = new ByteWriter();
    let plainBytes = 0;
    const add = (header: (compressed: number) => Uint8Array, content: Uint8Array): void => {
      const packed = zstdCompressSync(content, {
        params: { [constants.ZSTD_c_compressionLevel]: 3 },
      });
      const written = header(packed.length);
      bytes.bytes(written);
      bytes.bytes(packed);
      plainBytes += written.length + content.length;
    };
    if (dictionary !== undefined)
      add((packed) => dictionaryHeader(dictionary, packed), dictionary.bytes);
    const dataOffset = this.#offset + bytes.length;
    add((packed) => dataHeader(page.length, packed, values, encoding), page);
    const used = dictionary === undefined ? [encoding] : [encodings.plain, encoding];
    const chunk = struct({
      2: i64(this.#offset),
      3: struct({
        1: i32(types[type]),
        2: listOf("i32", [...new Set([...used, encodings.rle])].map(i32)),
        3: listOf("binary", [binary(name)]),
        4: i32(codecZstd),
        5: i64(values),
        6: i64(plainBytes),
        7: i64(bytes.length),
        9: i64(dataOffset),
        ...(dictionary !== undefined && { 11: i64(this.#offset) }),
        12: struct({
          3: i64(nulls),
          ...(max !== undefined && { 5: binary(max) }),
          ...(min !== undefined && { 6: binary(min) }),
        }),
      }),
    });
    return { bytes: bytes.take(), plainBytes, chunk };
  }
}

function dictionaryHeader(
  { bytes, values }: { bytes: Uint8Array; values: number },
  packed: number,
) {
  return thriftBytes({
    1: i32(pageTypes.dictionary),
    2: i32(bytes.length),
    3: i32(packed),
    7: struct({ 1: i32(values), 2: i32(encodings.plain) }),
  });
}

function dataHeader(length: number, packed: number, values: number, encoding: number) {
  return thriftBytes({
    1: i32(pageTypes.data),
    2: i32(length),
    3: i32(packed),
    5: struct({ 1: i32(values), 2: i32(encoding), 3: i32(encodings.rle), 4: i32(encodings.rle) }),
  });
}
