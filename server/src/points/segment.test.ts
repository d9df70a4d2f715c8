import assert from "node:assert/strict";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { NewerFormat } from "../ground/newer-format.ts";
import { decodeChunk, type ChunkColumns } from "./chunk.ts";
import { CorruptData } from "./corrupt-data.ts";
import { emptyGrains } from "./grains.ts";
import {
  SegmentWriter,
  readGrains,
  readSegmentIndex,
  verifySegment,
  type SegmentIndex,
} from "./segment.ts";

/** One object in memory as a bucket. */
function bucketOf(bytes: Uint8Array) {
  return {
    read: async (_key: string, offset: number, length: number): Promise<Uint8Array> => {
      assert.ok(offset >= 0 && offset + length <= bytes.length, `read of ${offset} + ${length}`);
      return bytes.subarray(offset, offset + length);
    },
    size: async (): Promise<number> => bytes.length,
  };
}

const grainHeaderBytes = 12;

const column = (length: number, at: (i: number) => number): Float64Array =>
  Float64Array.from({ length }, (_, i) => at(i));

function chunkOf(count: number, firstStep: number, spread: number): ChunkColumns {
  return {
    step: column(count, (i) => firstStep + i),
    timestamp: column(count, (i) => 1_700_000_000_000 + firstStep * 10 + ((i * 7) % spread) + i),
    value: column(count, (i) => Math.sin(firstStep + i)),
    prefix: Uint32Array.from({ length: count }, (_, i) => i % 3),
    counter: column(count, (i) => (i % 3 === 0 ? 0 : firstStep + i)),
  };
}

interface Plan {
  partition: number;
  chunks: ChunkColumns[];
}

function write(plans: Plan[], prefixes = ["worker-1", "läufer"]): Uint8Array {
  const writer = new SegmentWriter(prefixes);
  for (const { partition, chunks } of plans)
    for (const chunk of chunks) writer.addChunk(partition, chunk);
  return Buffer.concat(writer.finish());
}

function chunkAt(bytes: Uint8Array, index: SegmentIndex, at: number): unknown {
  return decodeChunk(bytes.subarray(index.offset[at], index.offset[at] + index.bytes[at]), true);
}

test("every chunk is found by its partition, with its bounds, in order", async () => {
  const plan = fc
    .uniqueArray(fc.nat(2 ** 31 - 1), { minLength: 1, maxLength: 30 })
    .chain((partitions) =>
      fc.tuple(
        ...partitions
          .toSorted((a, b) => a - b)
          .map((partition) =>
            fc
              .array(fc.tuple(fc.integer({ min: 3, max: 20 }), fc.integer({ min: 1, max: 9 })), {
                minLength: 1,
                maxLength: 4,
              })
              .map((sizes): Plan => ({
                partition,
                chunks: sizes.map(([count, spread], i) => chunkOf(count, 100 * i, spread)),
              })),
          ),
      ),
    );
  await fc.assert(
    fc.asyncProperty(plan, async (plans) => {
      const bytes = write(plans);
      const bucket = bucketOf(bytes);
      const index = await readSegmentIndex(bucket, "segment");
      assert.deepEqual(index.prefixes, ["worker-1", "läufer"]);
      let expected = 0;
      for (const { partition, chunks } of plans) {
        const [first, last] = index.chunksOf(partition);
        assert.deepEqual([first, last], [expected, expected + chunks.length]);
        if (!plans.some((other) => other.partition === partition + 1)) {
          assert.deepEqual(index.chunksOf(partition + 1), [last, last]);
        }
        for (const [i, chunk] of chunks.entries()) {
          const at = first + i;
          const sorted = chunk.timestamp.toSorted();
          assert.deepEqual(chunkAt(bytes, index, at), chunk);
          assert.equal(index.partition[at], partition);
          assert.equal(index.count[at], chunk.step.length);
          assert.equal(index.minStep[at], chunk.step[0]);
          assert.equal(index.maxStep[at], chunk.step.at(-1));
          assert.equal(index.minTimestamp[at], sorted[0]);
          assert.equal(index.maxTimestamp[at], sorted.at(-1));
          const isOrdered = sorted.every((each, row) => each === chunk.timestamp[row]);
          assert.equal(index.isOrdered[at], isOrdered ? 1 : 0);
        }
        expected = last;
      }
      assert.equal(await verifySegment(bucket, "segment"), index.points);
    }),
    { numRuns: 60 },
  );
});

test("each partition has the grains of its chunks, wherever the wrong ones were planted", async () => {
  const chunks = [
    chunkOf(700, 0, 30),
    chunkOf(20, 700, 3),
    chunkOf(512, 900, 3),
    chunkOf(900, 2_000, 3),
  ];
  const bytes = write([
    { partition: 1, chunks: [chunkOf(20, 0, 3)] },
    { partition: 2, chunks },
    { partition: 3, chunks: [chunkOf(2_047, 50, 3)] },
    { partition: 4, chunks: [chunkOf(2_048, 50, 3)] },
  ]);
  const bucket = bucketOf(bytes);
  const index = await readSegmentIndex(bucket, "segment");
  for (const tooFew of [1, 3])
    assert.deepEqual(await readGrains(bucket, "segment", index, tooFew), [emptyGrains(0)]);
  assert.deepEqual(await readGrains(bucket, "segment", index, 5), []);
  const grains = await readGrains(bucket, "segment", index, 2);
  assert.deepEqual(
    grains.map(({ count, lastStep }) => [count.join(" "), lastStep.at(-1)]),
    [
      ["128 128 128 128 128 60", 699],
      ["", undefined],
      ["124 128 128 128 4", 1411],
      ["48 128 128 128 128 128 128 84", 2899],
    ],
  );
  for (const first of [1, 4]) {
    const start = index.grainOffset[first];
    const end = start + index.grainBytes[first];
    for (let at = start + grainHeaderBytes; at < end; at += 5) {
      const wrong = Uint8Array.from(bytes);
      wrong[at] ^= 1;
      const checksum = crc32(wrong.subarray(start + 4, end));
      new DataView(wrong.buffer).setUint32(start, checksum, true);
      await assert.rejects(verifySegment(bucketOf(wrong), "segment"), CorruptData, `byte ${at}`);
    }
  }
});

test("a footer longer than one read, and partitions that are absent", async () => {
  const plans = Array.from({ length: 12_000 }, (_, i): Plan => ({
    partition: 2 * i,
    chunks: [chunkOf(1 + (i % 5), (i * 7919) % 100_003, 1)],
  }));
  const bytes = write(plans, []);
  const index = await readSegmentIndex(bucketOf(bytes), "segment");
  assert.equal(index.partition.length, 12_000);
  assert.deepEqual(index.chunksOf(23_998), [11_999, 12_000]);
  assert.deepEqual(index.chunksOf(23_999), [12_000, 12_000]);
  assert.deepEqual(index.chunksOf(1), [1, 1]);
});

test("no flipped bit and no truncation gives a wrong index or a wrong chunk", async () => {
  const plans = [3, 4].map((partition) => ({
    partition,
    chunks: [chunkOf(5, 0, 3), chunkOf(4, 50, 3)],
  }));
  const bytes = write(plans);
  const expected = await readSegmentIndex(bucketOf(bytes), "segment");
  const text = JSON.stringify(expected);
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const flipped = Uint8Array.from(bytes);
    flipped[bit >> 3] ^= 1 << (bit & 7);
    await assert.rejects(verifySegment(bucketOf(flipped), "segment"), CorruptData, `bit ${bit}`);
    const index = await readSegmentIndex(bucketOf(flipped), "segment").catch(() => undefined);
    if (index !== undefined) assert.equal(JSON.stringify(index), text);
  }
  for (let length = 0; length < bytes.length; length++) {
    const short = bucketOf(bytes.subarray(0, length));
    await assert.rejects(readSegmentIndex(short, "segment"), CorruptData, `length ${length}`);
  }
});

test("an intact segment of a later version is NewerFormat", async () => {
  const bytes = write([{ partition: 0, chunks: [chunkOf(3, 0, 1)] }]);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const footerLength = view.getUint32(bytes.length - 16, true);
  bytes[bytes.length - 12] = 3;
  const footer = bytes.subarray(bytes.length - footerLength, -4);
  view.setUint32(bytes.length - 4, crc32(footer), true);
  await assert.rejects(readSegmentIndex(bucketOf(bytes), "segment"), NewerFormat);
});

test("chunks out of order and segments without chunks are bugs of the caller", () => {
  const writer = new SegmentWriter();
  assert.throws(() => writer.finish(), /BUG/);
  writer.addChunk(5, chunkOf(4, 10, 1));
  assert.throws(() => writer.addChunk(4, chunkOf(4, 20, 1)), /BUG/);
  assert.throws(() => writer.addChunk(5, chunkOf(4, 12, 1)), /BUG/);
  const { step, ...rest } = chunkOf(4, 30, 1);
  assert.throws(() => writer.addChunk(5, { ...rest, step: step.toReversed() }), /BUG/);
});
