import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { emptyColumns, writePartition } from "./encode-points.ts";
import { SegmentWriter } from "./segment.ts";
import { Snapshots } from "./snapshots.ts";

test("segments are opened some at once, each once, and stand in the order of the manifest", async () => {
  const keys = Array.from({ length: 40 }, (_, number) => `key-${number}`);
  const objects = new Map(keys.map((key, number) => [key, sealed(number + 1)]));
  const asked: string[] = [];
  let [open, mostOpen] = [0, 0];
  const bucket: Partial<SegmentBucket> = {
    async size(key) {
      asked.push(key);
      mostOpen = Math.max(mostOpen, ++open);
      // The later ones are faster.
      for (let turn = asked.length; turn < keys.length; turn++) await setImmediate();
      open--;
      return objects.get(key)!.length;
    },
    read: async (key, offset, length) => objects.get(key)!.subarray(offset, offset + length),
  };
  const manifest = { keys: keys.slice(0, 30), seq: 1 };
  const snapshots = new Snapshots(bucket as SegmentBucket, 2 ** 20);
  const first = await snapshots.take(readerOf(manifest), "experiment", [0]);
  assert.equal(first.count(0), (30 * 31) / 2);
  assert.deepEqual(asked.toSorted(), manifest.keys.toSorted());
  assert.ok(mostOpen > 1 && mostOpen <= 8, `${mostOpen} at once`);
  const again = await snapshots.take(readerOf(manifest), "experiment", [0]);
  assert.equal(again.stateOf(0), first.stateOf(0), "what is drawn of it need not be drawn again");
  Object.assign(manifest, { keys, seq: 2 });
  const second = await snapshots.take(readerOf(manifest), "experiment", [0]);
  assert.deepEqual(
    second.sources(0).map(({ count }) => count),
    keys.map((_, number) => number + 1),
  );
  assert.deepEqual(asked.toSorted(), keys.toSorted());
  assert.notEqual(second.stateOf(0), first.stateOf(0));
});

function sealed(points: number): Uint8Array {
  const writer = new SegmentWriter();
  writePartition(writer, 0, emptyColumns(points));
  return Buffer.concat(writer.finish());
}

/** A database of one experiment, all of whose points are sealed. */
function readerOf({ keys, seq }: { keys: readonly string[]; seq: number }): Reader {
  const reader: Partial<Reader> = {
    incarnation: "one",
    at: async () => reader as Reader,
    get: async <Row>() => ({ log_seq: 0, seal_seq: 0, manifest_seq: seq }) as Row,
    all: async <Row>() => keys.map((key) => ({ key })) as Row[],
  };
  return reader as Reader;
}
