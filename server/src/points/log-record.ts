import { crc32 } from "node:zlib";
import { NewerFormat } from "../ground/newer-format.ts";
import { CorruptData } from "./corrupt-data.ts";
import {
  bytesPerPoint,
  counterFlag,
  pointColumns,
  type PointBatch,
  type PointColumns,
} from "./point-batch.ts";

export interface LogRecord {
  count: number;
  /** As in a PointBatch, except that `partition` is the experiment's partition number. */
  columns: PointColumns;
  prefixes: string[];
}

/**
 * Builds one log record: all new points of one experiment in one group commit, in order of arrival.
 * docs/storage-format.md draws its bytes.
 */
export class LogRecordBuilder {
  readonly #parts: Part[] = [];
  readonly #prefixNumbers = new Map<string, number>();
  #points = 0;

  get count(): number {
    return this.#points;
  }

  /**
   * Adds the points of `batch` whose `keep` is 0 (PointResult.stored); undefined keeps all.
   * `partitions` has the experiment's partition number for each of the batch's own. The arrays are
   * read again by finish(): the caller must not change them until then.
   */
  append(batch: PointBatch, partitions: Uint32Array, keep: Uint8Array | undefined): void {
    const columns = pointColumns(batch.columns, batch.count);
    const kept = keep === undefined ? undefined : indexesOfZeros(keep, batch.count);
    const count = kept === undefined ? batch.count : kept.length;
    if (count === 0) return;
    const prefixes = this.#numberPrefixes(batch.prefixes, columns, kept);
    this.#parts.push({ columns, partitions, prefixes, kept, count });
    this.#points += count;
  }

  finish(): Uint8Array<ArrayBuffer> {
    const prefixBytes = encodePrefixes([...this.#prefixNumbers.keys()]);
    const columnsStart = headerBytes + align8(prefixBytes.length);
    const crcStart = columnsStart + this.#points * bytesPerPoint;
    const bytes = new Uint8Array(crcStart + 4);
    const header = new DataView(bytes.buffer);
    header.setUint32(0, magic, true);
    header.setUint8(4, logRecordVersion);
    header.setUint32(8, this.#points, true);
    header.setUint32(12, this.#prefixNumbers.size, true);
    header.setUint32(16, prefixBytes.length, true);
    bytes.set(prefixBytes, headerBytes);
    const target = pointColumns(bytes.buffer, this.#points, columnsStart);
    let at = 0;
    for (const part of this.#parts) {
      copyPart(part, target, at);
      at += part.count;
    }
    header.setUint32(crcStart, crc32(bytes.subarray(0, crcStart)), true);
    return bytes;
  }

  /**
   * The record's number of each prefix that a kept point uses; prefixes without one do not enter
   * the record.
   */
  #numberPrefixes(
    prefixes: string[],
    columns: PointColumns,
    kept: Uint32Array | undefined,
  ): Uint32Array {
    const numbers = new Uint32Array(prefixes.length).fill(unnumbered);
    if (prefixes.length === 0) return numbers;
    const count = kept === undefined ? columns.partition.length : kept.length;
    for (let i = 0; i < count; i++) {
      const index = kept === undefined ? i : kept[i];
      if (columns.partition[index] < counterFlag) continue;
      const local = columns.identifier[4 * index];
      if (numbers[local] === unnumbered) numbers[local] = this.#prefixNumber(prefixes[local]);
    }
    return numbers;
  }

  #prefixNumber(prefix: string): number {
    const known = this.#prefixNumbers.get(prefix);
    if (known !== undefined) return known;
    const number = this.#prefixNumbers.size;
    this.#prefixNumbers.set(prefix, number);
    return number;
  }
}

/**
 * Reads a record back. The columns are views on `bytes` where its alignment allows, else on a copy.
 * Throws CorruptData, or NewerFormat for an intact record of a version this release does not know.
 */
export function decodeLogRecord(bytes: Uint8Array): LogRecord {
  if (bytes.length < headerBytes + 4) {
    throw new CorruptData(
      `a log record has at least ${headerBytes + 4} bytes, got ${bytes.length}`,
    );
  }
  const header = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const crcStart = bytes.length - 4;
  const crcStored = header.getUint32(crcStart, true);
  const crc = crc32(bytes.subarray(0, crcStart));
  if (crc !== crcStored) {
    throw new CorruptData(`checksum of a log record is ${crc}, ${crcStored} was stored`);
  }
  if (header.getUint32(0, true) !== magic) throw new CorruptData("not a log record");
  const versionFound = header.getUint8(4);
  if (versionFound !== logRecordVersion) {
    throw new NewerFormat(
      `log record of version ${versionFound}, this release reads ${logRecordVersion}`,
    );
  }
  const count = header.getUint32(8, true);
  const prefixCount = header.getUint32(12, true);
  const prefixBytes = header.getUint32(16, true);
  const columnsStart = headerBytes + align8(prefixBytes);
  if (columnsStart + count * bytesPerPoint !== crcStart) {
    throw new CorruptData(`a log record of ${count} points has ${bytes.length} bytes`);
  }
  const prefixes = decodePrefixes(
    bytes.subarray(headerBytes, headerBytes + prefixBytes),
    prefixCount,
  );
  return { count, columns: alignedColumns(bytes, columnsStart, count), prefixes };
}

/**
 * Encodes each prefix as a 16-bit length and UTF-8. Shared with the segment's footer and the
 * identifier run.
 */
export function encodePrefixes(prefixes: readonly string[]): Uint8Array {
  const parts: Buffer[] = [];
  for (const prefix of prefixes) {
    // UTF-8 would turn every lone surrogate into one character, and two identifiers into one.
    if (!prefix.isWellFormed()) throw new Error("BUG: got an identifier prefix that is ill-formed");
    const text = Buffer.from(prefix);
    if (text.length > 0xffff) throw new Error(`BUG: got a prefix of ${text.length} bytes`);
    parts.push(Buffer.from([text.length & 0xff, text.length >>> 8]), text);
  }
  return Buffer.concat(parts);
}

export function decodePrefixes(bytes: Uint8Array, count: number): string[] {
  const prefixes: string[] = [];
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  while (at + 2 <= text.length) {
    const end = at + 2 + text.readUInt16LE(at);
    if (end > text.length) break;
    prefixes.push(text.toString("utf8", at + 2, end));
    at = end;
  }
  if (at !== text.length || prefixes.length !== count) {
    throw new CorruptData(`${count} prefixes expected, got ${prefixes.length}`);
  }
  return prefixes;
}

interface Part {
  columns: PointColumns;
  partitions: Uint32Array;
  /** Batch prefix index -> record prefix index. */
  prefixes: Uint32Array;
  kept: Uint32Array | undefined;
  count: number;
}

/** "LLog" */
const magic = 0x676f_4c4c;
export const logRecordVersion = 1;
const headerBytes = 24;
const unnumbered = 0xffff_ffff;

const align8 = (bytes: number): number => Math.ceil(bytes / 8) * 8;

function indexesOfZeros(keep: Uint8Array, length: number): Uint32Array {
  const indexes = new Uint32Array(length);
  let count = 0;
  for (let i = 0; i < length; i++) if (keep[i] === 0) indexes[count++] = i;
  return indexes.subarray(0, count);
}

function copyPart(part: Part, target: PointColumns, at: number): void {
  const { columns, partitions, prefixes, kept, count } = part;
  if (kept === undefined) {
    target.step.set(columns.step, at);
    target.timestamp.set(columns.timestamp, at);
    target.value.set(columns.value, at);
    target.identifier.set(columns.identifier, 4 * at);
  }
  for (let i = 0; i < count; i++) {
    const from = kept === undefined ? i : kept[i];
    const to = at + i;
    if (kept !== undefined) {
      target.step[to] = columns.step[from];
      target.timestamp[to] = columns.timestamp[from];
      target.value[to] = columns.value[from];
      target.identifier[4 * to] = columns.identifier[4 * from];
      target.identifier[4 * to + 1] = columns.identifier[4 * from + 1];
      target.identifier[4 * to + 2] = columns.identifier[4 * from + 2];
      target.identifier[4 * to + 3] = columns.identifier[4 * from + 3];
    }
    const local = columns.partition[from];
    const isCounter = local >= counterFlag;
    const partition = partitions[isCounter ? local - counterFlag : local];
    if (!(partition < counterFlag)) throw new Error(`BUG: got partition number ${partition}`);
    target.partition[to] = isCounter ? partition + counterFlag : partition;
    if (isCounter) target.identifier[4 * to] = prefixes[columns.identifier[4 * from]];
  }
}

function alignedColumns(bytes: Uint8Array, columnsStart: number, count: number): PointColumns {
  const start = bytes.byteOffset + columnsStart;
  if (start % 8 === 0 && bytes.buffer instanceof ArrayBuffer) {
    return pointColumns(bytes.buffer, count, start);
  }
  return pointColumns(new Uint8Array(bytes.subarray(columnsStart)).buffer, count);
}
