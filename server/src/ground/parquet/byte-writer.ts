/** Bytes that grow: little-endian numbers, and the varints of Thrift and of Parquet's encodings. */
export class ByteWriter {
  #bytes = new Uint8Array(1_024);
  #view = new DataView(this.#bytes.buffer);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  byte(value: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = value;
  }

  uint32(value: number): void {
    this.#reserve(4);
    this.#view.setUint32(this.#length, value, true);
    this.#length += 4;
  }

  /** A whole number that a double holds exactly. */
  int64(value: number): void {
    const high = Math.floor(value / 2 ** 32);
    this.uint32(value - high * 2 ** 32);
    this.uint32(high >>> 0);
  }

  double(value: number): void {
    this.#reserve(8);
    this.#view.setFloat64(this.#length, value, true);
    this.#length += 8;
  }

  /** Writes a non-negative integer, of 53 bits, or 54 if it is even. */
  varint(value: number): void {
    let left = value;
    while (left >= 128) {
      this.byte((left % 128) + 128);
      left = Math.floor(left / 128);
    }
    this.byte(left);
  }

  zigzag(value: number): void {
    this.varint(value < 0 ? -2 * value - 1 : 2 * value);
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Returns the bytes written, in a buffer of their own. */
  take(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, this.#length);
  }

  #reserve(more: number): void {
    const wanted = this.#length + more;
    if (wanted <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(wanted, 2 * this.#bytes.length));
    grown.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = grown;
    this.#view = new DataView(grown.buffer);
  }
}
