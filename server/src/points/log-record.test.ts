import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { NewerFormat } from "../ground/newer-format.ts";
import { CorruptData } from "./corrupt-data.ts";
import { LogRecordBuilder, decodeLogRecord } from "./log-record.ts";
import { bytesPerPoint, counterFlag, pointColumns, type PointBatch } from "./point-batch.ts";

interface Point {
  step: number;
  timestamp: number;
  value: number;
  /** A hash of four words, or prefix and counter words. */
  identifier: number[] | { prefix: string; high: number; low: number };
  partition: string;
}

const word = fc.integer({ min: 0, max: 0xffff_ffff });
const plain = { noNullPrototype: true };
const point: fc.Arbitrary<Point> = fc.record(
  {
    step: fc.maxSafeNat(),
    timestamp: fc.maxSafeNat(),
    value: fc.double({ noNaN: true, noDefaultInfinity: true }),
    identifier: fc.oneof(
      fc.array(word, { minLength: 4, maxLength: 4 }),
      fc.record(
        {
          prefix: fc.constantFrom("a", "run-1", "läuft", "🏃-"),
          high: fc.nat(2 ** 21 - 1),
          low: word,
        },
        plain,
      ),
    ),
    partition: fc.constantFrom("loss\n{}", 'loss\n{"a":"b"}', "accuracy\n{}"),
  },
  plain,
);

function batchOf(points: Point[]): PointBatch {
  const partitions: string[] = [];
  const prefixes: string[] = [];
  const number = (list: string[], text: string): number =>
    list.includes(text) ? list.indexOf(text) : list.push(text) - 1;
  const buffer = new ArrayBuffer(points.length * bytesPerPoint);
  const columns = pointColumns(buffer, points.length);
  points.forEach((each, i) => {
    columns.step[i] = each.step;
    columns.timestamp[i] = each.timestamp;
    columns.value[i] = each.value;
    columns.partition[i] = number(partitions, each.partition);
    if (Array.isArray(each.identifier)) columns.identifier.set(each.identifier, 4 * i);
    else {
      const { prefix, high, low } = each.identifier;
      columns.identifier.set([number(prefixes, prefix), 0, high, low], 4 * i);
      columns.partition[i] += counterFlag;
    }
  });
  return { count: points.length, columns: buffer, partitions, prefixes };
}

const numbers = ["loss\n{}", 'loss\n{"a":"b"}', "accuracy\n{}"];

function pointsOf(bytes: Uint8Array): Point[] {
  const { count, columns, prefixes } = decodeLogRecord(bytes);
  return Array.from({ length: count }, (_, i) => {
    const tagged = columns.partition[i];
    const isCounter = tagged >= counterFlag;
    const words = [...columns.identifier.subarray(4 * i, 4 * i + 4)];
    return {
      step: columns.step[i],
      timestamp: columns.timestamp[i],
      value: columns.value[i],
      identifier: isCounter ? { prefix: prefixes[words[0]], high: words[2], low: words[3] } : words,
      partition: numbers[isCounter ? tagged - counterFlag : tagged],
    };
  });
}

function build(batches: Point[][], keep?: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const builder = new LogRecordBuilder();
  batches.forEach((points, i) => {
    const batch = batchOf(points);
    builder.append(
      batch,
      Uint32Array.from(batch.partitions, (key) => numbers.indexOf(key)),
      keep?.[i],
    );
  });
  return builder.finish();
}

test("several batches in one record come back in order, whole, with their own prefixes and partitions", () => {
  fc.assert(
    fc.property(fc.array(fc.array(point)), (batches) => {
      assert.deepEqual(pointsOf(build(batches)), batches.flat());
    }),
    { numRuns: 300 },
  );
});

test("only points whose result is 0 are kept, and only prefixes that are used", () => {
  fc.assert(
    fc.property(fc.array(fc.array(fc.tuple(point, fc.constantFrom(0, 0, 1, 2, 3)))), (batches) => {
      const bytes = build(
        batches.map((batch) => batch.map(([each]) => each)),
        batches.map((batch) => Uint8Array.from(batch, ([, result]) => result)),
      );
      const kept = batches
        .flat()
        .filter(([, result]) => result === 0)
        .map(([each]) => each);
      assert.deepEqual(pointsOf(bytes), kept);
      const used = kept.flatMap(({ identifier }) =>
        Array.isArray(identifier) ? [] : [identifier.prefix],
      );
      assert.deepEqual(new Set(decodeLogRecord(bytes).prefixes), new Set(used));
    }),
    { numRuns: 300 },
  );
});

test("a record is read from any alignment", () => {
  const [points] = fc.sample(fc.array(point, { minLength: 5, maxLength: 5 }), 1);
  const bytes = build([points]);
  for (let offset = 0; offset < 9; offset++) {
    const shifted = new Uint8Array(bytes.length + offset + 3);
    shifted.set(bytes, offset);
    assert.deepEqual(pointsOf(shifted.subarray(offset, offset + bytes.length)), points);
  }
});

test("every flipped bit and every truncation is CorruptData", () => {
  const bytes = build([fc.sample(point, { numRuns: 4, seed: 7 })]);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = bytes.slice();
    flipped[bit >> 3] ^= 1 << (bit & 7);
    assert.throws(() => decodeLogRecord(flipped), CorruptData);
  }
  for (let length = 0; length < bytes.length; length++) {
    assert.throws(() => decodeLogRecord(bytes.subarray(0, length)), CorruptData);
  }
});

test("an intact record of a later version is NewerFormat", () => {
  const bytes = build([]);
  bytes[4] = 2;
  new DataView(bytes.buffer).setUint32(bytes.length - 4, crc32(bytes.subarray(0, -4)), true);
  assert.throws(() => decodeLogRecord(bytes), NewerFormat);
});

test("an ill-formed prefix never reaches the log", () => {
  const identifier = { prefix: "\ud800", high: 0, low: 1 };
  const each = { step: 0, timestamp: 0, value: 0, identifier, partition: numbers[0] };
  assert.throws(() => build([[each]]), /BUG/);
});
