import { crc32 } from "./crc32.ts";
import { IncompleteStreamError, ProtocolError } from "./errors.ts";
import { isObject } from "./replies.ts";

/** The type of series as columns, in the version that `parseColumnRecords` reads. */
export const columnRecordsType = "application/vnd.lossless.columns; version=1";

/** Bytes that the service has not sent so: something on their way changes them. */
export class StreamChangedError extends IncompleteStreamError {}

/** Whether a stream that begins with these bytes has records as columns, and no lines of JSON. */
export function isOfColumnRecords(start: Uint8Array): boolean {
  return start[0] === "L".charCodeAt(0);
}

/**
 * Splits a stream of records as columns (docs/columns.md) into the values that lines of JSON have.
 * A partial record at the end is dropped, and the reader notices the missing `done`.
 */
export async function* parseColumnRecords(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<unknown> {
  const arrived = new Arrived();
  for await (const chunk of chunks) {
    arrived.push(chunk);
    for (;;) {
      const length = recordLength(arrived);
      if (length === undefined || arrived.length < length) break;
      yield recordOf(arrived.take(length));
    }
  }
}

/** The length of the record that begins here; undefined where too little has arrived to know it. */
function recordLength(arrived: Arrived): number | undefined {
  if (arrived.length < prefixBytes) return undefined;
  const { buffer, byteOffset } = arrived.peek(prefixBytes);
  const view = new DataView(buffer, byteOffset, prefixBytes);
  const [letters, version, points, head] = [0, 4, 8, 12].map((at) => view.getUint32(at, true));
  if (letters !== magic || version !== 1 || points > pointsMax || head > headBytesMax || head % 8) {
    throw new StreamChangedError("the stream has bytes that are no record of series as columns");
  }
  return prefixBytes + head + 24 * points + 8;
}

function recordOf(bytes: Uint8Array): unknown {
  const { buffer, byteOffset, length } = bytes;
  const view = new DataView(buffer, byteOffset, length);
  if (view.getUint32(length - 4, true) !== crc32(bytes.subarray(0, length - 4))) {
    throw new StreamChangedError("a record of the stream has other bytes than the service sent");
  }
  const points = view.getUint32(8, true);
  const stepAt = prefixBytes + view.getUint32(12, true);
  const record = parseHead(bytes.subarray(prefixBytes, stepAt));
  if (points === 0) return record;
  const column = (place: number): number[] => numbers(bytes, stepAt + 8 * points * place, points);
  const step: (number | null)[] = column(0);
  if (step.includes(Number.NaN)) step.forEach((one, at) => Number.isNaN(one) && (step[at] = null));
  record.data["data"] = { step, timestampMs: column(1), value: column(2) };
  return record;
}

function parseHead(bytes: Uint8Array): { data: Record<string, unknown> } {
  try {
    const record: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (isObject(record) && isObject(record["data"])) return { ...record, data: record["data"] };
  } catch {
    // Said below.
  }
  throw new ProtocolError("a record of the stream has a head that is not JSON");
}

/** Copies a column into an array: `Array.from` takes ten times as long. */
function numbers(bytes: Uint8Array, at: number, count: number): number[] {
  const column = doubles(bytes, at, count);
  const copied = new Array<number>(count);
  for (let index = 0; index < count; index++) copied[index] = column[index];
  return copied;
}

function doubles(bytes: Uint8Array, at: number, count: number): Float64Array {
  const start = bytes.byteOffset + at;
  if (isLittleEndian && start % 8 === 0) return new Float64Array(bytes.buffer, start, count);
  if (isLittleEndian) return new Float64Array(bytes.slice(at, at + 8 * count).buffer);
  const view = new DataView(bytes.buffer, start);
  return Float64Array.from({ length: count }, (_, index) => view.getFloat64(8 * index, true));
}

/** Bytes that have arrived and are not parsed yet. */
class Arrived {
  length = 0;
  #chunks: Uint8Array[] = [];
  /** Bytes of the first chunk that are taken. */
  #taken = 0;

  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
    this.length += chunk.length;
  }

  /** The first bytes, which stay. */
  peek(count: number): Uint8Array {
    const [first] = this.#chunks;
    const end = this.#taken + count;
    if (first.length >= end) return first.subarray(this.#taken, end);
    const bytes = new Uint8Array(count);
    let [filled, skipped] = [0, this.#taken];
    for (const chunk of this.#chunks) {
      const part = chunk.subarray(skipped, skipped + count - filled);
      bytes.set(part, filled);
      filled += part.length;
      skipped = 0;
      if (filled === count) break;
    }
    return bytes;
  }

  take(count: number): Uint8Array {
    const bytes = this.peek(count);
    this.length -= count;
    this.#taken += count;
    let passed = 0;
    while (passed < this.#chunks.length && this.#taken >= this.#chunks[passed].length) {
      this.#taken -= this.#chunks[passed].length;
      passed++;
    }
    this.#chunks.splice(0, passed);
    return bytes;
  }
}

const prefixBytes = 16;
/** Larger counts are no record: they bound what is waited for. */
const pointsMax = 65_536;
const headBytesMax = 16 * 1_048_576;
/** "LSer" */
const magic = 0x7265_534c;
const isLittleEndian = new Uint8Array(Uint16Array.of(1).buffer)[0] === 1;
