import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyColumns, writePartition } from "./encode-points.ts";
import { GrainReads } from "./grain-reads.ts";
import { readGrains, readSegmentIndex, SegmentWriter } from "./segment.ts";

const partitions = 150;

/** Every tenth partition is too short for grains, and every seventh has those of many points. */
async function sealed() {
  const writer = new SegmentWriter();
  for (let partition = 0; partition < partitions; partition++) {
    const count = partition % 10 === 3 ? 100 : partition % 7 === 0 ? 60_000 : 4_000;
    const columns = emptyColumns(count);
    columns.step.set([...columns.step.keys()]);
    columns.value.set(columns.step.map((step) => Math.sin(step * (partition + 1))));
    writePartition(writer, partition, columns);
  }
  const object = Buffer.concat(writer.finish());
  const asked: number[] = [];
  const bucket = {
    size: async () => object.length,
    read: async (_key: string, offset: number, length: number) => {
      asked.push(length);
      return object.subarray(offset, offset + length);
    },
  };
  return { bucket, asked, index: await readSegmentIndex(bucket, "key") };
}

test("grains read together are those of each partition, in far fewer reads", async () => {
  const { bucket, asked, index } = await sealed();
  for (const order of [1, 149, 47]) {
    const reads = new GrainReads(bucket, 2 ** 20);
    asked.length = 0;
    for (let turn = 0; turn < partitions; turn++) {
      const partition = (turn * order) % partitions;
      const together = await reads.read("key", index, partition);
      const asking = asked.length;
      assert.deepEqual(together, await readGrains(bucket, "key", index, partition));
      asked.length = asking;
    }
    assert.ok(asked.length < partitions / 5, `${asked.length} reads`);
  }
});

test("what is kept of them is bounded, and without memory each is read", async () => {
  const { bucket, asked, index } = await sealed();
  const reads = new GrainReads(bucket, 0);
  asked.length = 0;
  for (let turn = 0; turn < 3; turn++) await reads.read("key", index, 1);
  assert.equal(asked.length, 3);
});
