import assert from "node:assert/strict";
import { test } from "node:test";
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
