import assert from "node:assert/strict";
import { test } from "node:test";
import type { SegmentBucket } from "../buckets/bucket.ts";
import type { Reader } from "../database/database.ts";
import { emptyColumns, writePartition } from "./encode-points.ts";
import { ManySnapshots } from "./many-snapshots.ts";
import { SegmentWriter } from "./segment.ts";
import { Snapshot } from "./snapshots.ts";
import { Tail } from "./tail.ts";

/** Experiments with a segment each, of as many points as their number says. */
function readerOf(heads: readonly { experiment: string; unsealed?: number; dropped?: number }[]) {
  const statements: string[] = [];
  const reader: Partial<Reader> = {
    isOneOf: (column) => column,
    atEach: async (ids) => [[reader as Reader, ids]],
    async all<Row>(sql: string, ids: unknown): Promise<Row[]> {
      statements.push(sql);
      const wanted = JSON.parse(String(ids)) as string[];
      const found = heads.filter(({ experiment }) => wanted.includes(experiment));
      if (!sql.includes("FROM head LEFT JOIN segment")) return [];
      return found.map(({ experiment, unsealed = 0, dropped = 0 }) => {
        const head = { experiment, log_seq: 3, seal_seq: 3, unsealed, has_dropped: dropped };
        return { ...head, key: experiment };
      }) as Row[];
    },
  };
  return { reader: reader as Reader, statements };
}

function bucketOf(points: ReadonlyMap<string, number>) {
  const asked: string[] = [];
  const bucket: Pick<SegmentBucket, "read" | "size"> = {
    async size(key) {
      asked.push(`size ${key}`);
      return sealed(points.get(key)!).length;
    },
    async read(key, offset, length) {
      asked.push(`read ${key}`);
      return sealed(points.get(key)!).subarray(offset, offset + length);
    },
  };
  return { bucket, asked };
}

function sealed(points: number): Uint8Array {
  const writer = new SegmentWriter();
  writePartition(writer, 0, emptyColumns(points));
  return Buffer.concat(writer.finish());
}

const noneAlone = async () => assert.fail("no log is long");
const alone = async () => new Snapshot({ read: async () => assert.fail() }, [], new Tail(0), []);

test("a slice is read in one statement, and each short segment with one read", async () => {
  const ids = Array.from({ length: 200 }, (_, at) => `run-${at}`);
  const { reader, statements } = readerOf(ids.map((experiment) => ({ experiment })));
  const { bucket, asked } = bucketOf(new Map(ids.map((id, at) => [id, at + 1])));
  const many = new ManySnapshots(bucket, noneAlone);
  const taken = await many.take(reader, new Map(ids.map((id) => [id, [0]])));
  assert.equal(statements.length, 1);
  let points = 0;
  for (const [at, id] of ids.entries()) {
    const snapshot = taken.get(id);
    assert.ok(snapshot instanceof Snapshot);
    for (const source of snapshot.drawnSources(0)) points += (await source.read()).step.length;
    assert.equal(snapshot.count(0), at + 1);
  }
  assert.equal(points, (200 * 201) / 2);
  assert.equal(asked.length, 2 * ids.length);
});

test("a long log, and totals without dropped series, are read by themselves", async () => {
  const heads = [{ experiment: "short" }, { experiment: "long", unsealed: 8_193 }];
  const { reader } = readerOf([...heads, { experiment: "dropped", dropped: 1 }]);
  const { bucket } = bucketOf(new Map([["short", 1]]));
  const asked: string[] = [];
  const many = new ManySnapshots(bucket, async (_reader, id) => {
    asked.push(id);
    return alone();
  });
  await many.take(reader, new Map(["short", "long", "dropped"].map((id) => [id, [0]])));
  assert.deepEqual(asked, ["long", "dropped"]);
});

test("a segment that cannot be read fails for its experiment alone", async () => {
  const { reader } = readerOf([{ experiment: "sound" }, { experiment: "lost" }]);
  const { bucket } = bucketOf(new Map([["sound", 2]]));
  const many = new ManySnapshots(bucket, noneAlone);
  const taken = await many.take(
    reader,
    new Map([
      ["sound", [0]],
      ["lost", [0]],
    ]),
  );
  assert.ok(taken.get("sound") instanceof Snapshot);
  assert.ok("failure" in taken.get("lost")!);
});
