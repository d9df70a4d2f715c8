import assert from "node:assert/strict";
import { test } from "node:test";
import type { TakenSnapshot } from "../../points/many-snapshots.ts";
import { encodeChunk } from "../../points/chunk.ts";
import type { GroupMember } from "./member-groups.ts";
import { ShortCurves } from "./short-curves.ts";

const count = 2_000;
const damaged = 700;

test("lines are read and decompressed some at a time, as they are taken", async () => {
  const step = Float64Array.from({ length: count }, (_, at) => at);
  // Noise takes eight bytes a point.
  const value = Float64Array.from(step, (at) => Math.sin(at * at));
  const stored = encodeChunk({ step, timestamp: step, value });
  let reads = 0;
  const read = async () => {
    reads++;
    return stored;
  };
  const members = Array.from(
    { length: 1_000 },
    (_, number) => ({ experimentId: "e", number, siblings: [number] }) as unknown as GroupMember,
  );
  const snapshot = {
    shortChunk: (number: number) => ({
      bytes: stored.length,
      isOrdered: true,
      read: number === damaged ? async () => stored.subarray(5) : read,
    }),
  } as unknown as TakenSnapshot;
  const curves = new ShortCurves("step", count);
  curves.begin(members, new Map([["e", snapshot]]));
  assert.equal(reads, 0);
  const perRead = Math.ceil(4_194_304 / stored.length);
  for (const member of members) {
    await curves.ahead(member);
    assert.ok(reads <= member.number + perRead, `${reads} reads at line ${member.number}`);
    const curve = curves.take(member, snapshot);
    if (member.number === damaged) assert.equal(curve, undefined);
    else assert.deepEqual([curve!.x.at(-1), curve!.value[7]], [count - 1, value[7]]);
    assert.equal(curves.take(member, snapshot), undefined, "nothing is kept of a line taken");
  }
  assert.equal(reads, members.length - 1);
});

test("lines that take far more memory than disk are not decompressed together", async () => {
  const step = Float64Array.from({ length: count }, (_, at) => at);
  // Sixteen kilobytes that come again after each 64 points.
  const value = Float64Array.from(step, (at) => Math.sin((at % 64) ** 2));
  const stored = encodeChunk({ step, timestamp: step, value });
  assert.ok(3_000 * stored.length < 4_194_304, `${stored.length} bytes`);
  const chunk = { bytes: stored.length, isOrdered: true, read: async () => stored };
  const snapshot = { shortChunk: () => chunk } as unknown as TakenSnapshot;
  const members = Array.from(
    { length: 3_000 },
    (_, number) => ({ experimentId: "e", number, siblings: [] }) as unknown as GroupMember,
  );
  const curves = new ShortCurves("step", count);
  curves.begin(members, new Map([["e", snapshot]]));
  let times = 0;
  for (const member of members) {
    const ahead = curves.ahead(member);
    if (ahead !== undefined) times++;
    await ahead;
    assert.equal(curves.take(member, snapshot)?.x.length, count);
  }
  assert.equal(times, 2);
});
