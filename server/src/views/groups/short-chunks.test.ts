import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeChunk } from "../../points/chunk.ts";
import type { TakenSnapshot } from "../../points/many-snapshots.ts";
import type { GroupMember } from "./member-groups.ts";
import { ShortChunks } from "./short-chunks.ts";

const step = Float64Array.from({ length: 2_000 }, (_, at) => at);
// Noise takes eight bytes a point.
const value = Float64Array.from(step, (at) => Math.sin(at * at));
const stored = encodeChunk({ step, timestamp: step, value });

test("lines are read some at a time, and one that cannot be read is in no batch", async () => {
  const lost = 700;
  const long = 3;
  let reads = 0;
  const members = Array.from(
    { length: 1_000 },
    (_, number) => ({ experimentId: "e", number, siblings: [number] }) as unknown as GroupMember,
  );
  const snapshot = {
    shortChunk: (number: number) =>
      number === long
        ? undefined
        : {
            bytes: stored.length,
            isOrdered: true,
            async read() {
              reads++;
              if (number === lost) throw new Error("planted");
              return stored;
            },
          },
  } as unknown as TakenSnapshot;
  const how = { xAxis: "step", countMax: step.length } as const;
  const short = new ShortChunks(members, new Map([["e", snapshot]]), how);
  assert.equal(reads, 0);
  const numbers: number[] = [];
  let batches = 0;
  for await (const batch of short.batches()) {
    assert.ok(batch.chunks.length < 4_194_304 + stored.length);
    assert.ok(reads <= numbers.length + batch.members.length + 1, "nothing more was read");
    numbers.push(...batch.members.map(({ number }) => number));
    batches++;
    let end = 0;
    for (const length of batch.lengths) {
      assert.deepEqual(Buffer.from(batch.chunks.subarray(end, end + length)), Buffer.from(stored));
      end += length;
    }
    assert.equal(end, batch.chunks.length, "nothing lies between the lines of two batches");
  }
  assert.equal(batches, Math.ceil(999 / Math.ceil(4_194_304 / stored.length)));
  const left = members.filter((member) => !short.has(member)).map(({ number }) => number);
  assert.deepEqual(left, [long, lost]);
  assert.deepEqual(
    numbers,
    members.map(({ number }) => number).filter((number) => !left.includes(number)),
  );
});
