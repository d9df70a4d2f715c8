import { crc32 } from "node:zlib";
import { consoleStreams, type ConsoleStream } from "@lossless/protocol/console-streams";
import { NewerFormat } from "../ground/newer-format.ts";
import { BlockReader, encodeBlock } from "../points/blocks.ts";
import { decodeIntegers, encodeIntegers } from "../points/integers.ts";
import { CorruptData } from "../points/corrupt-data.ts";

/** A line as it is stored. `spans`: JSON, as it was sent; empty where the line has none. */
export interface StoredLine {
  source: number;
  stream: ConsoleStream;
  timestampMs: number;
  text: string;
  spans: string;
}

/**
 * Encodes lines that follow each other: a record of the log, or a block of a sealed object.
 * docs/storage-format.md draws its bytes. The texts stand together, a line feed between them, so
 * that a search runs over all at once.
 */
export function encodeLines(lines: readonly StoredLine[]): Uint8Array<ArrayBuffer> {
  const numbers = (of: (line: StoredLine) => number) =>
    encodeIntegers(Float64Array.from(lines, of));
  const blocks = [
    numbers(({ source }) => source),
    Uint8Array.from(lines, ({ stream }) => consoleStreams.indexOf(stream)),
    numbers(({ timestampMs }) => timestampMs),
    Buffer.from(lines.map(({ text }) => text).join("\n")),
    Buffer.from(lines.map(({ spans }) => spans).join("\n")),
  ].flatMap(encodeBlock);
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32LE(magic, 0);
  header.writeUInt8(consoleLinesVersion, 4);
  header.writeUInt32LE(lines.length, 8);
  const bytes = Buffer.concat([header, ...blocks, Buffer.alloc(4)]);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, -4)), bytes.length - 4);
  return new Uint8Array(bytes);
}

const magic = 0x4e4c534c;
export const consoleLinesVersion = 1;
const headerBytes = 12;

/** Lines that follow each other, decoded. */
export class Lines {
  readonly count: number;
  /** The texts, a line feed between them. */
  readonly text: Buffer;
  readonly #sourceBlock: Uint8Array;
  readonly #stream: Uint8Array;
  readonly #timeBlock: Uint8Array;
  readonly #spans: Buffer;
  #source: Float64Array | undefined;
  #timestampMs: Float64Array | undefined;
  #starts: Uint32Array | undefined;
  #spansOf: string[] | undefined;

  /** Throws CorruptData or NewerFormat. */
  constructor(bytes: Uint8Array, reader = new BlockReader(blocksIn(bytes))) {
    this.count = bufferOf(bytes).readUInt32LE(8);
    this.#sourceBlock = reader.next();
    this.#stream = reader.next();
    this.#timeBlock = reader.next();
    this.text = bufferOf(reader.next());
    this.#spans = bufferOf(reader.next());
    reader.finish();
    if (this.#stream.length !== this.count) throw new CorruptData("streams of lines are missing");
  }

  /** The same, decompressed by a thread of the pool. */
  static async inPool(bytes: Uint8Array): Promise<Lines> {
    return new Lines(bytes, await BlockReader.inPool(blocksIn(bytes)));
  }

  /** Decoded when they are asked for: a search that finds nothing needs the texts alone. */
  get source(): Float64Array {
    return (this.#source ??= this.#numbers(this.#sourceBlock));
  }

  get timestampMs(): Float64Array {
    return (this.#timestampMs ??= this.#numbers(this.#timeBlock));
  }

  stream(index: number): ConsoleStream {
    return consoleStreams[this.#stream[index]] ?? corrupt("a line is of no known stream");
  }

  textOf(index: number): string {
    return this.text.toString("utf8", this.startOf(index), this.startOf(index + 1) - 1);
  }

  /** Returns where a line begins in `text`; of the count of lines, where one more would. */
  startOf(index: number): number {
    return (this.#starts ??= startsOf(this.text, this.count))[index];
  }

  /** Returns the line in which a byte of `text` stands. */
  lineAt(offset: number): number {
    let low = 0;
    for (let high = this.count; high - low > 1;) {
      const middle = (low + high) >>> 1;
      if (this.startOf(middle) <= offset) low = middle;
      else high = middle;
    }
    return low;
  }

  line(index: number): StoredLine {
    this.#spansOf ??=
      this.#spans.length < this.count ? [] : this.#spans.toString("utf8").split("\n");
    return {
      source: this.source[index],
      stream: this.stream(index),
      timestampMs: this.timestampMs[index],
      text: this.textOf(index),
      spans: this.#spansOf[index] ?? "",
    };
  }

  #numbers(block: Uint8Array): Float64Array {
    const numbers = new Float64Array(this.count);
    decodeIntegers(block, numbers);
    return numbers;
  }
}

/** Checks header and checksum, and returns what is between them. */
function blocksIn(bytes: Uint8Array): Uint8Array {
  const buffer = bufferOf(bytes);
  if (buffer.length < headerBytes + 4 || buffer.readUInt32LE(0) !== magic)
    throw new CorruptData("got no lines of a console");
  if (crc32(buffer.subarray(0, -4)) !== buffer.readUInt32LE(buffer.length - 4))
    throw new CorruptData("the checksum of lines of a console differs");
  if (buffer.readUInt8(4) !== consoleLinesVersion)
    throw new NewerFormat(`lines of a console of version ${buffer.readUInt8(4)}`);
  return buffer.subarray(headerBytes, -4);
}

/** Returns where each line's text begins, and one more: where one behind the last would begin. */
function startsOf(text: Buffer, count: number): Uint32Array {
  const starts = new Uint32Array(count + 1);
  let at = 0;
  for (let line = 1; line < count; line++) {
    at = text.indexOf(lineFeed, at) + 1;
    if (at === 0) throw new CorruptData(`got ${line} of ${count} texts of lines`);
    starts[line] = at;
  }
  if (text.includes(lineFeed, at)) throw new CorruptData("got more texts than lines");
  starts[count] = text.length + 1;
  return starts;
}

const lineFeed = 0x0a;

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

function corrupt(message: string): never {
  throw new CorruptData(message);
}
