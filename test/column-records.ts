import assert from "node:assert/strict";
import { crc32 } from "node:zlib";

/** A record of a series stream: that of JSON, with or without its points. */
export interface SeriesRecord {
  messageId: string;
  correlationId: string;
  event: string;
  data: Record<string, unknown>;
}

interface Columns {
  step: number[];
  timestampMs: number[];
  value: number[];
}

/** Writes a record as docs/columns.md says. */
export function columnRecord(record: SeriesRecord): Buffer {
  const { data: columns, ...rest } = record.data;
  const points = columns as Columns | undefined;
  const text = Buffer.from(JSON.stringify({ ...record, data: rest }));
  const head = Buffer.alloc(Math.ceil(text.length / 8) * 8, " ");
  text.copy(head);
  const prefix = Buffer.alloc(16);
  prefix.write("LSer");
  prefix.writeUInt32LE(1, 4);
  prefix.writeUInt32LE(points?.step.length ?? 0, 8);
  prefix.writeUInt32LE(head.length, 12);
  const { step = [], timestampMs = [], value = [] } = points ?? {};
  const numbers = Buffer.from(Float64Array.from([...step, ...timestampMs, ...value]).buffer);
  const summed = Buffer.concat([prefix, head, numbers, Buffer.alloc(4)]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(summed));
  return Buffer.concat([summed, sum]);
}

/** Reads a whole stream of such records. */
export function parseColumnRecords(bytes: Buffer): SeriesRecord[] {
  const records: SeriesRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const [count, headBytes] = [bytes.readUInt32LE(at + 8), bytes.readUInt32LE(at + 12)];
    const columnsAt = at + 16 + headBytes;
    const sumAt = columnsAt + 24 * count + 4;
    assert.equal(bytes.toString("latin1", at, at + 4), "LSer");
    assert.equal(bytes.readUInt32LE(at + 4), 1);
    assert.equal(headBytes % 8, 0);
    assert.equal(bytes.readUInt32LE(sumAt - 4), 0);
    assert.equal(bytes.readUInt32LE(sumAt), crc32(bytes.subarray(at, sumAt)));
    const record = JSON.parse(bytes.toString("utf8", at + 16, columnsAt)) as SeriesRecord;
    const column = (place: number): number[] =>
      Array.from({ length: count }, (_, index) =>
        bytes.readDoubleLE(columnsAt + 8 * (place * count + index)),
      );
    const columns = { step: column(0), timestampMs: column(1), value: column(2) };
    const data = count > 0 ? { ...record.data, data: columns } : record.data;
    records.push({ ...record, data });
    at = sumAt + 4;
  }
  return records;
}
