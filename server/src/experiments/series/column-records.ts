import { crc32 } from "node:zlib";
import type { Points } from "../../points/tail.ts";
import {
  envelope,
  identity,
  type RecordPartition,
  type RecordsOf,
  type RecordWriter,
} from "./record-writer.ts";

/** The version of the bytes. */
export const columnRecordsVersion = 1;

/** A record of 8,192 points is a chunk of its own, and is not copied again. */
const chunkBytes = 128 * 1024;

/** Records as columns: docs/columns.md draws their bytes. */
export class ColumnRecords implements RecordWriter {
  readonly #of: RecordsOf;
  #records: Uint8Array<ArrayBuffer>[] = [];
  #bytes = 0;

  constructor(of: RecordsOf) {
    this.#of = of;
  }

  get isFull(): boolean {
    return this.#bytes >= chunkBytes;
  }

  points(of: RecordPartition, points: Points): void {
    const data = `{${identity(this.#of, of)}}`;
    this.#add(columnRecord(envelope(this.#of, "svc.v2.query.series.data", data), points));
  }

  record(event: string, data: object): void {
    this.#add(columnRecord(envelope(this.#of, event, JSON.stringify(data))));
  }

  take(): Uint8Array<ArrayBuffer> {
    const records = this.#records;
    this.#records = [];
    if (records.length === 1) {
      this.#bytes = 0;
      return records[0];
    }
    const joined = new Uint8Array(this.#bytes);
    this.#bytes = 0;
    let at = 0;
    for (const record of records) {
      joined.set(record, at);
      at += record.length;
    }
    return joined;
  }

  #add(record: Uint8Array<ArrayBuffer>): void {
    this.#records.push(record);
    this.#bytes += record.length;
  }
}

/** Returns the bytes of one record, of which `head` is the JSON without the points. */
export function columnRecord(head: string, points?: Points): Uint8Array<ArrayBuffer> {
  const text = encoder.encode(head);
  const count = points?.step.length ?? 0;
  const stepAt = prefixBytes + Math.ceil(text.length / 8) * 8;
  const checksumAt = stepAt + 24 * count + 4;
  const buffer = new ArrayBuffer(checksumAt + 4);
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  view.setUint32(0, magic, true);
  view.setUint32(4, columnRecordsVersion, true);
  view.setUint32(8, count, true);
  view.setUint32(12, stepAt - prefixBytes, true);
  bytes.set(text, prefixBytes);
  bytes.fill(space, prefixBytes + text.length, stepAt);
  if (points !== undefined) {
    new Float64Array(buffer, stepAt, count).set(points.step);
    new Float64Array(buffer, stepAt + 8 * count, count).set(points.timestamp);
    new Float64Array(buffer, stepAt + 16 * count, count).set(points.value);
  }
  view.setUint32(checksumAt, crc32(bytes.subarray(0, checksumAt)), true);
  return bytes;
}

const encoder = new TextEncoder();
const prefixBytes = 16;
const space = 0x20;
/** "LSer" */
const magic = 0x7265_534c;
