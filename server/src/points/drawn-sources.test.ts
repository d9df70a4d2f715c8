import assert from "node:assert/strict";
import { test } from "node:test";
import { pointsPerChunk } from "./chunk.ts";
import { CorruptData } from "./corrupt-data.ts";
import { DrawnSources } from "./drawn-sources.ts";
import { emptyColumns, writePartition } from "./encode-points.ts";
import { readSegmentIndex, SegmentWriter } from "./segment.ts";

test("the cache counts what each chunk's grains take besides their numbers", async () => {
  const writer = new SegmentWriter();
  const [partitions, count] = [100, 2_048];
  for (let partition = 0; partition < partitions; partition++) {
    const columns = emptyColumns(count);
    columns.step.set(columns.step.map((_, row) => Math.floor(row / 512)));
    writePartition(writer, partition, columns);
  }
  const object = Buffer.concat(writer.finish());
  let reads = 0;
  const bucket = {
    size: async () => object.length,
    read: async (_key: string, offset: number, length: number) => {
      reads++;
      return object.subarray(offset, offset + length);
    },
  };
  const index = await readSegmentIndex(bucket, "key");
  const end = { step: 0, timestamp: 0 };
  const plain = { count, min: end, max: end, read: () => Promise.reject(new Error("unread")) };
  for (const grainBytes of [index.grainBytes.map(() => 0), index.grainBytes]) {
    // Their numbers alone would fit all together.
    const drawn = new DrawnSources(bucket, partitions * 1_024, 0);
    const grains = async (at: number) => {
      const { summary } = drawn.source("key", { ...index, grainBytes }, at, plain);
      const made = await summary!.grains();
      assert.ok(8 * 14 * made.count.length < 1_024);
    };
    for (let at = 0; at < partitions; at++) await grains(at);
    reads = 0;
    await grains(partitions - 1);
    assert.equal(reads, 0, "the last is kept");
    await grains(0);
    assert.ok(reads > 0, "the first is not");
  }
});

test("chunks wanted one after the other are read together; damage of one is none of others", async () => {
  const writer = new SegmentWriter();
  const count = 40 * pointsPerChunk;
  for (const partition of [1, 2]) {
    const columns = emptyColumns(count);
    columns.step.set(columns.step.map((_, row) => row));
    columns.timestamp.set(columns.step.map((_, row) => 7 * row + ((row * row) % 5)));
    columns.value.set(columns.step.map((_, row) => Math.fround(Math.sin(row))));
    writePartition(writer, partition, columns);
  }
  const object = Buffer.concat(writer.finish());
  const reads: number[] = [];
  const bucket = {
    size: async () => object.length,
    read: async (_key: string, offset: number, length: number) => {
      reads.push(length);
      return object.subarray(offset, offset + length);
    },
  };
  const index = await readSegmentIndex(bucket, "key");
  const end = { step: 0, timestamp: 0 };
  const plain = { count, min: end, max: end, read: () => Promise.reject(new Error("unread")) };
  const opener = (bytesMax: number) => {
    const drawn = new DrawnSources(bucket, 0, bytesMax);
    return async (at: number) => {
      const { value } = await drawn.source("key", index, at, plain).read();
      const first = (at % 40) * pointsPerChunk;
      assert.equal(value[5], Math.fround(Math.sin(first + 5)));
      assert.equal(value.length, pointsPerChunk);
    };
  };
  const open = opener(2 ** 27);
  reads.length = 0;
  for (const at of [3, 9, 21]) await open(at);
  assert.equal(reads.length, 3);
  assert.equal(Math.max(...reads), Math.max(...[3, 9, 21].map((at) => index.bytes[at])));
  const all = opener(2 ** 27);
  reads.length = 0;
  for (let at = 0; at < 80; at++) await all(at);
  assert.ok(reads.length < 20, `${reads.length} reads`);
  const sum = (lengths: Iterable<number>) => [...lengths].reduce((total, each) => total + each, 0);
  assert.equal(sum(reads), sum(index.bytes), "each is read once");
  for (let at = 0; at < 80; at++) await all(at);
  assert.equal(sum(reads), sum(index.bytes), "all are kept");
  const unkept = opener(0);
  for (let at = 0; at < 20; at++) await unkept(at);
  object[index.offset[30] + 40] ^= 1;
  const damaged = opener(2 ** 27);
  for (let at = 0; at < 40; at++) {
    if (at === 30) await assert.rejects(damaged(at), CorruptData);
    else await damaged(at);
  }
});

test("what chunks take more once their curves were drawn is counted", async () => {
  const writer = new SegmentWriter();
  const [chunks, count] = [8, 8 * pointsPerChunk];
  const columns = emptyColumns(count);
  columns.step.set(columns.step.map((_, row) => row));
  columns.value.set(columns.step.map((_, row) => Math.fround(Math.sin(row))));
  writePartition(writer, 1, columns);
  const object = Buffer.concat(writer.finish());
  let reads = 0;
  const bucket = {
    size: async () => object.length,
    read: async (_key: string, offset: number, length: number) => {
      reads++;
      return object.subarray(offset, offset + length);
    },
  };
  const index = await readSegmentIndex(bucket, "key");
  const end = { step: 0, timestamp: 0 };
  const plain = {
    count: pointsPerChunk,
    min: end,
    max: { step: count, timestamp: 0 },
    read: () => Promise.reject(new Error("unread")),
  };
  // All fit as they are stored, and some twice as large.
  const drawn = new DrawnSources(bucket, 0, 12 * 4 * pointsPerChunk);
  const room = { x: new Float64Array(pointsPerChunk), value: new Float64Array(pointsPerChunk) };
  const open = (at: number) => drawn.source("key", index, at, plain).summary!.open();
  for (let at = 0; at < chunks; at++) await open(at);
  reads = 0;
  for (let at = 0; at < chunks; at++) {
    const { value } = (await open(at)).curve("step", room);
    assert.deepEqual(
      value,
      columns.value.subarray(at * pointsPerChunk).subarray(0, pointsPerChunk),
    );
  }
  reads = 0;
  await open(chunks - 1);
  assert.equal(reads, 0, "the last is kept");
  await open(0);
  assert.equal(reads, 1, "the first is not");
});
