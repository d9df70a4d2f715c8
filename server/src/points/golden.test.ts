import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { decodeChunk, type ChunkColumns } from "./chunk.ts";
import { buildIdentifierRun } from "./identifiers/build-run.ts";
import { Intervals } from "./identifiers/intervals.ts";
import { IdentifierRun } from "./identifiers/run.ts";
import { LogRecordBuilder, decodeLogRecord } from "./log-record.ts";
import { bytesPerPoint, counterFlag, pointColumns } from "./point-batch.ts";
import { SegmentWriter, readGrains, readSegmentIndex, verifySegment } from "./segment.ts";

/**
 * A file of each format version that was ever released, with its contents: never written again, and
 * read by every later release. For a new version add its `golden` beside these and run once with
 * LOSSLESS_WRITE_GOLDEN=1, which writes the files that are absent.
 */
const directory = join(import.meta.dirname, "golden");
const mayWrite = process.env["LOSSLESS_WRITE_GOLDEN"] === "1";

golden("log-record-1", makeLogRecord, (bytes) => {
  const { count, columns, prefixes } = decodeLogRecord(bytes);
  return { count, prefixes, ...texts({ ...columns }) };
});

golden("segment-1", writtenBefore, (bytes) => readSegment(bytes, 1));
golden("segment-2", makeSegment, (bytes) => readSegment(bytes, 2));

golden("identifiers-1", makeIdentifiers, (_bytes, path) => {
  const run = IdentifierRun.open(path);
  run.verify();
  const entries = Array.from({ length: run.bucketCount }, (_, i) => [...run.readEntries(i, i + 1)]);
  for (const bucket of entries) {
    for (let at = 0; at < bucket.length; at += 4) {
      assert.equal(run.find(bucket[at], bucket[at + 1], bucket[at + 2]), bucket[at + 3]);
    }
  }
  const intervals = [...run.intervals].map(([prefix, ranges]) => [prefix, ...ranges]);
  run.close();
  return { intervals, buckets: entries.map((bucket) => bucket.join(" ")) };
});

test("identifiers whose first byte is implied are written as version 1 wrote them", () => {
  const content = { hashes: pseudoRandom(3 * 16_384), fingerprints: pseudoRandom(16_384) };
  const bytes = Buffer.concat(buildIdentifierRun({ ...content, intervals: new Map() }));
  assert.equal(bytes.length, 64 + 256 * 8 + 320 * 64 + 16_384 * 14);
  assert.equal(crc32(bytes), 1_053_813_807);
});

test("no golden file is forgotten", () => {
  const wanted = ["identifiers-1", "log-record-1", "segment-1", "segment-2"];
  const files = wanted.flatMap((name) => [`${name}.bin`, `${name}.json`]);
  assert.deepEqual(readdirSync(directory).toSorted(), files);
});

const prefixes = ["recorder-7f3a", "läufer 🏃", "0b4ff9f6-8d51"];
const extremes = {
  step: Float64Array.of(0, 1, 2 ** 32, 2 ** 52, 2 ** 53 - 2, 2 ** 53 - 1, 2 ** 53 - 1, 2 ** 53 - 1),
  timestamp: Float64Array.of(2 ** 53 - 1, 0, 2 ** 53 - 1, 1, 2 ** 52, 0, 0, 7),
  value: Float64Array.of(-0, 5e-324, -1.7976931348623157e308, 0.1, 1 / 3, 2 ** 53, 0, 1e-300),
};

function makeLogRecord(): Uint8Array {
  const count = extremes.step.length;
  const buffer = new ArrayBuffer(count * bytesPerPoint);
  const columns = pointColumns(buffer, count);
  columns.step.set(extremes.step);
  columns.timestamp.set(extremes.timestamp);
  columns.value.set(extremes.value);
  columns.identifier.set(pseudoRandom(4 * count));
  for (let i = 0; i < count; i++) columns.partition[i] = i % 3;
  for (let i = 0; i < count; i += 2) {
    columns.partition[i] += counterFlag;
    columns.identifier.set([(i / 2) % 2, 0, i, 7 * i], 4 * i);
  }
  const builder = new LogRecordBuilder();
  const batch = {
    count,
    columns: buffer,
    partitions: ["a", "b", "c"],
    prefixes: prefixes.slice(1),
  };
  const keep = Uint8Array.from({ length: count }, (_, i) => (i === 5 ? 1 : 0));
  builder.append(batch, Uint32Array.of(0, 70_000, 2 ** 31 - 1), keep);
  return builder.finish();
}

function writtenBefore(): never {
  throw new Error("an earlier release wrote this version");
}

async function readSegment(bytes: Uint8Array, version: number): Promise<unknown> {
  const bucket = {
    read: async (_key: string, from: number, length: number) => bytes.subarray(from, from + length),
    size: async () => bytes.length,
  };
  const index = await readSegmentIndex(bucket, "golden");
  assert.equal(index.version, version);
  assert.equal(await verifySegment(bucket, "golden"), index.points);
  const chunks: unknown[] = [];
  for (const [at, partition] of index.partition.entries()) {
    const [first, last] = index.chunksOf(partition);
    assert.ok(first <= at && at < last);
    const encoded = bytes.subarray(index.offset[at], index.offset[at] + index.bytes[at]);
    const bounds = [index.minStep, index.maxStep, index.minTimestamp, index.maxTimestamp];
    const grains = (await readGrains(bucket, "golden", index, partition))[at - first];
    chunks.push({
      partition,
      bounds: bounds.map((column) => column[at]),
      isOrdered: index.isOrdered[at],
      ...texts({ ...decodeChunk(encoded, true) }),
      ...(index.grainBytes[first] > 0 && { grains: texts(grains) }),
    });
  }
  return { prefixes: index.prefixes, chunks };
}

/**
 * One chunk for each way to store a column, plain and compressed; and one with grains beside one
 * that is too short for them.
 */
function makeSegment(): Uint8Array {
  const random = pseudoRandom(120);
  const column = (at: (i: number) => number): Float64Array =>
    Float64Array.from(random, (_, i) => at(i));
  const noise = (i: number): number => random[i] / 2 ** 32;
  const regular = column((i) => 1_700_000_000_000 + 250 * i);
  const jittered = column((i) => 1_700_000_000_000 + 250 * i + (random[i] % 400));
  const tens = column((i) => 10 * i);
  const chunks: [partition: number, columns: ChunkColumns][] = [
    [0, { step: column((i) => i), timestamp: regular, value: column(() => 0.1) }],
    [
      0,
      {
        step: column((i) => 119 + i * i),
        timestamp: jittered,
        value: column((i) => Math.round(noise(i) * 1e4) / 1e4),
      },
    ],
    [1, { step: tens, timestamp: jittered, value: column((i) => Math.fround(noise(i))) }],
    [2, manyPoints()],
    [2, { step: column((i) => 2e6 + i), timestamp: jittered, value: column((i) => i) }],
    [
      70_000,
      {
        step: tens,
        timestamp: jittered,
        value: column((i) => Math.sqrt(i + noise(i))),
        prefix: Uint32Array.from(random, (_, i) => (i % 5 === 0 ? 0 : 1 + (i % 3))),
        counter: column((i) => (i % 5 === 0 ? 0 : 1e6 + 3 * i)),
      },
    ],
    [
      2 ** 31 - 1,
      {
        ...extremes,
        prefix: Uint32Array.of(3, 3, 3, 3, 3, 3, 3, 3),
        counter: Float64Array.of(0, 2 ** 53 - 1, 1, 2 ** 52, 2, 3, 4, 5),
      },
    ],
  ];
  const writer = new SegmentWriter(prefixes);
  for (const [partition, columns] of chunks) writer.addChunk(partition, columns);
  return Buffer.concat(writer.finish());
}

/** Steps have a gap and are doubled in places, and timestamps go up and down. */
function manyPoints(): ChunkColumns {
  const random = pseudoRandom(600);
  const column = (at: (i: number) => number): Float64Array =>
    Float64Array.from(random, (_, i) => at(i));
  return {
    step: column((i) => 3 * Math.floor(i / 2) + (i < 400 ? 0 : 1e6)),
    timestamp: column((i) => 1_700_000_000_000 + 250 * i + (random[i] % 4_000)),
    value: column((i) => random[i] / 2 ** 32),
  };
}

function makeIdentifiers(): Uint8Array {
  const [regular, high, scattered] = [new Intervals(), new Intervals(), new Intervals()];
  regular.addRange(0, 99);
  regular.addRange(200, 299);
  high.addRange(2 ** 53 - 100, 2 ** 53 - 1);
  for (let i = 0; i < 40; i++) scattered.addRange(1000 * i * i, 1000 * i * i + 50);
  const intervals = new Map([regular, high, scattered].map((each, i) => [prefixes[i], each]));
  const content = { hashes: pseudoRandom(3 * 300), fingerprints: pseudoRandom(300), intervals };
  return Buffer.concat(buildIdentifierRun(content));
}

function golden(
  name: string,
  make: () => Uint8Array,
  read: (bytes: Uint8Array, path: string) => unknown,
): void {
  test(`${name} is read`, async () => {
    const path = join(directory, `${name}.bin`);
    const content = join(directory, `${name}.json`);
    if (mayWrite && !existsSync(path)) {
      writeFileSync(path, make());
      writeFileSync(content, `${JSON.stringify(await read(readFileSync(path), path), null, 1)}\n`);
    }
    const found = JSON.stringify(await read(readFileSync(path), path));
    assert.deepEqual(JSON.parse(found), JSON.parse(readFileSync(content, "utf8")));
  });
}

/**
 * Columns as text: values as the bits of each double, highest byte first, because JSON has no -0.
 */
function texts(
  columns: Record<string, Float64Array | Uint32Array | undefined>,
): Record<string, string> {
  const entries = Object.entries(columns).flatMap(([name, column]) => {
    if (column === undefined) return [];
    return [
      [name, doubleColumns.has(name) ? Array.from(column, bitsOf).join(" ") : column.join(" ")],
    ];
  });
  return Object.fromEntries(entries) as Record<string, string>;
}

const doubleColumns = new Set(["value", "first", "last", "min", "max", "sum"]);

function bitsOf(value: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes.toString("hex");
}

function pseudoRandom(count: number): Uint32Array {
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    let word = Math.imul(i + 1, 0x9e3779b1);
    word = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
    word = Math.imul(word ^ (word >>> 13), 0xc2b2ae35);
    words[i] = word ^ (word >>> 16);
  }
  return words;
}
