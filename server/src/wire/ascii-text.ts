/** Bytes that the text is compared with, eight at a time where there are eight. */
export class AsciiWord {
  readonly length: number;
  /** The word from 0, 8, 16 … and its last eight bytes; from 0, 4 … and its last four if short. */
  readonly parts: Float64Array;

  /** Four or more characters from 0x01 to 0x7f: their bytes, as doubles, are no NaN, no zero. */
  constructor(word: string) {
    const bytes = Buffer.from(word, "latin1");
    this.length = bytes.length;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const parts: number[] = [];
    if (bytes.length >= 8) {
      for (let at = 0; at + 8 < bytes.length; at += 8)
        parts.push(view.getFloat64(at, littleEndian));
      parts.push(view.getFloat64(bytes.length - 8, littleEndian));
    } else
      parts.push(view.getUint32(0, littleEndian), view.getUint32(bytes.length - 4, littleEndian));
    this.parts = Float64Array.from(parts);
  }
}

/**
 * A JSON text of plain ASCII, read forwards. The scanners take the index where a token should start
 * and return the index after it, or -1 when it is not there. Equal bytes are found by comparing
 * eight of them as a double: the expected side is always printable text, whose doubles are equal
 * exactly when their bytes are.
 */
export class AsciiText {
  readonly bytes: Buffer;
  readonly length: number;
  readonly #view: DataView;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
    this.length = bytes.length;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  }

  /** Index of the first byte at or after `at` that is no JSON white space. */
  skipSpace(at: number): number {
    const { bytes, length } = this;
    while (at < length && isSpace(bytes[at])) at++;
    return at;
  }

  /** The word. */
  word(at: number, { length, parts }: AsciiWord): number {
    const view = this.#view;
    if (at + length > this.length) return -1;
    if (length < 8) {
      const isSame =
        view.getUint32(at, littleEndian) === parts[0] &&
        view.getUint32(at + length - 4, littleEndian) === parts[1];
      return isSame ? at + length : -1;
    }
    const last = parts.length - 1;
    if (view.getFloat64(at + length - 8, littleEndian) !== parts[last]) return -1;
    for (let part = 0; part < last; part++) {
      if (view.getFloat64(at + 8 * part, littleEndian) !== parts[part]) return -1;
    }
    return at + length;
  }

  /** Scans a copy of the bytes from `start` to `end`, which are printable. */
  copy(at: number, start: number, end: number): number {
    const { bytes } = this;
    const view = this.#view;
    const after = at + (end - start);
    if (after > this.length) return -1;
    let from = start;
    for (; from + 8 <= end; from += 8, at += 8) {
      if (view.getFloat64(from, littleEndian) !== view.getFloat64(at, littleEndian)) return -1;
    }
    for (; from < end; from++, at++) {
      if (bytes[from] !== bytes[at]) return -1;
    }
    return after;
  }

  /** Scans a colon with white space around it; returns the index of the value. */
  colon(at: number): number {
    const { bytes } = this;
    if (bytes[at] !== colon) {
      at = this.skipSpace(at);
      if (bytes[at] !== colon) return -1;
    }
    at++;
    return bytes[at] > space ? at : this.skipSpace(at);
  }

  /**
   * Returns the index of the quote that closes the string whose first character is at `at`; -1 when
   * a character is not printable ASCII or is escaped, which the fast path leaves to the general
   * one.
   */
  closingQuote(at: number): number {
    const { bytes, length } = this;
    while (at < length && plain[bytes[at]] === 1) at++;
    return at < length && bytes[at] === quote ? at : -1;
  }

  /** Returns a hash for tables of one request; on equal hashes the caller compares the bytes. */
  hash(start: number, end: number): number {
    const { bytes } = this;
    const view = this.#view;
    let hash = end - start;
    let at = start;
    for (; at + 4 <= end; at += 4)
      hash = Math.imul(hash ^ view.getInt32(at, littleEndian), 0x9e3779b1) ^ (hash >>> 15);
    for (; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x9e3779b1) ^ (hash >>> 15);
    return hash ^ (hash >>> 16);
  }

  slice(start: number, end: number): string {
    return this.bytes.toString("latin1", start, end);
  }
}

export function isSpace(byte: number): boolean {
  return byte <= space && (byte === space || byte === 0x0a || byte === 0x0d || byte === 0x09);
}

export const quote = 0x22;
export const comma = 0x2c;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/** Byte order of the doubles; any would do, this is the processor's own. */
const littleEndian = true;

const space = 0x20;
const colon = 0x3a;

const plain = Uint8Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x20 && byte <= 0x7e && byte !== quote && byte !== 0x5c ? 1 : 0,
);
