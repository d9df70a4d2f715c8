/** A number of a table, in so many bytes. */
export interface FlatNumber {
  kind: "number";
  bytes: 1 | 2 | 4 | 8;
  value: number;
}

/** Content that lies elsewhere, and to which an offset leads. */
export type FlatPart =
  | { kind: "table"; fields: readonly (FlatNumber | FlatPart | undefined)[] }
  | { kind: "text"; text: string }
  | { kind: "tables"; tables: readonly FlatPart[] }
  /** Structs of two whole numbers of 64 bits. */
  | { kind: "pairs"; numbers: readonly number[] };

export const byte = (value: number): FlatNumber => ({ kind: "number", bytes: 1, value });
export const short = (value: number): FlatNumber => ({ kind: "number", bytes: 2, value });
export const int = (value: number): FlatNumber => ({ kind: "number", bytes: 4, value });
export const long = (value: number): FlatNumber => ({ kind: "number", bytes: 8, value });
export const text = (value: string): FlatPart => ({ kind: "text", text: value });
export const table = (...fields: (FlatNumber | FlatPart | undefined)[]): FlatPart => ({
  kind: "table",
  fields,
});
export const tables = (...all: FlatPart[]): FlatPart => ({ kind: "tables", tables: all });
export const pairs = (...numbers: number[]): FlatPart => ({ kind: "pairs", numbers });

/**
 * Returns a FlatBuffer of a table, the form in which Arrow describes its messages: what a table
 * refers to lies behind it. Its length is a multiple of 8 bytes.
 */
export function flatBuffer(root: FlatPart): Uint8Array<ArrayBuffer> {
  const writer = new FlatWriter();
  writer.refer(0, root);
  return writer.take();
}

class FlatWriter {
  #bytes = new Uint8Array(1_024);
  #view = new DataView(this.#bytes.buffer);
  #end = 4;

  /** Writes a part behind the others, and at a place the offset to it. */
  refer(place: number, part: FlatPart): void {
    const at = this.#part(part);
    this.#view.setUint32(place, at - place, true);
  }

  take(): Uint8Array<ArrayBuffer> {
    const length = aligned(this.#end, 8);
    this.#reach(length);
    return this.#bytes.slice(0, length);
  }

  #part(part: FlatPart): number {
    switch (part.kind) {
      case "table":
        return this.#table(part.fields);
      case "text":
        return this.#text(part.text);
      case "tables":
        return this.#tables(part.tables);
      case "pairs":
        return this.#pairs(part.numbers);
    }
  }

  /** A table says first where its own layout is, which lies before it. */
  #table(fields: readonly (FlatNumber | FlatPart | undefined)[]): number {
    const layoutBytes = 4 + 2 * fields.length;
    const at = aligned(this.#end + layoutBytes, 8);
    const layoutAt = at - layoutBytes;
    let size = 4;
    const places = fields.map((field) => {
      if (field === undefined) return 0;
      const bytes = field.kind === "number" ? field.bytes : 4;
      const place = aligned(size, bytes);
      size = place + bytes;
      return place;
    });
    this.#reach(at + size);
    this.#view.setUint16(layoutAt, layoutBytes, true);
    this.#view.setUint16(layoutAt + 2, size, true);
    places.forEach((place, index) => this.#view.setUint16(layoutAt + 4 + 2 * index, place, true));
    this.#view.setInt32(at, layoutBytes, true);
    fields.forEach((field, index) => {
      if (field === undefined) return;
      if (field.kind === "number") this.#number(at + places[index], field);
      else this.refer(at + places[index], field);
    });
    return at;
  }

  #text(content: string): number {
    const bytes = new TextEncoder().encode(content);
    const at = aligned(this.#end, 4);
    // A zero byte ends it.
    this.#reach(at + 4 + bytes.length + 1);
    this.#view.setUint32(at, bytes.length, true);
    this.#bytes.set(bytes, at + 4);
    return at;
  }

  #tables(all: readonly FlatPart[]): number {
    const at = aligned(this.#end, 4);
    this.#reach(at + 4 + 4 * all.length);
    this.#view.setUint32(at, all.length, true);
    all.forEach((one, index) => this.refer(at + 4 + 4 * index, one));
    return at;
  }

  #pairs(numbers: readonly number[]): number {
    const at = aligned(this.#end + 4, 8) - 4;
    this.#reach(at + 4 + 8 * numbers.length);
    this.#view.setUint32(at, numbers.length / 2, true);
    numbers.forEach((value, index) => this.#number(at + 4 + 8 * index, long(value)));
    return at;
  }

  #number(at: number, { bytes, value }: FlatNumber): void {
    if (bytes === 1) this.#view.setUint8(at, value);
    else if (bytes === 2) this.#view.setUint16(at, value, true);
    else if (bytes === 4) this.#view.setUint32(at, value, true);
    else {
      this.#view.setUint32(at, value % 2 ** 32, true);
      this.#view.setUint32(at + 4, Math.floor(value / 2 ** 32), true);
    }
  }

  /** Makes everything before `end` a part of the buffer; new bytes are 0. */
  #reach(end: number): void {
    this.#end = Math.max(this.#end, end);
    if (end <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(end, 2 * this.#bytes.length));
    grown.set(this.#bytes);
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}

function aligned(place: number, bytes: number): number {
  return Math.ceil(place / bytes) * bytes;
}
