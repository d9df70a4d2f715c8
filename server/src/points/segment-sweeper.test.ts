import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DiskBucket } from "../buckets/segments/disk.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite } from "../database/sqlite.ts";
import { forgetGarbage } from "./manifest.ts";
import { SegmentSweeper } from "./segment-sweeper.ts";

test("a sweep that is stopped deletes nothing more, and the next one has the rest", async () => {
  const directory = await mkdtemp(join(tmpdir(), "lossless-sweeper-"));
  await using database = openSqlite({ directory });
  await migrate(database);
  const stop = new AbortController();
  class StoppedBucket extends DiskBucket {
    override async delete(key: string): Promise<void> {
      await super.delete(key);
      stop.abort();
    }
  }
  const bucket = new StoppedBucket(join(directory, "segments"));
  for (const key of ["a", "b", "c"]) {
    await bucket.put(key, [new Uint8Array(1)]);
    await database.write((transaction) =>
      transaction.run("INSERT INTO garbage (key, delete_after_ms) VALUES ($1, 0)", key),
    );
  }
  const sweeper = new SegmentSweeper({
    database,
    bucket,
    write: (_name, input) =>
      database.write((transaction) =>
        forgetGarbage(transaction, input as { keys: string[] }),
      ) as never,
  });
  const left = () => Array.fromAsync(bucket.list(""), ({ key }) => key);
  await sweeper.sweep(stop.signal);
  assert.equal((await left()).length, 2);
  assert.equal(await sweeper.sweep(new AbortController().signal), 3);
  assert.deepEqual(await left(), []);
  assert.equal(await sweeper.sweep(new AbortController().signal), 0);
  // Whatever begins so, named or not.
  for (const key of ["d/1", "d/2", "e/1"]) await bucket.put(key, [new Uint8Array(1)]);
  await database.write((transaction) =>
    transaction.run("INSERT INTO garbage (key, delete_after_ms) VALUES ('d/', 0)"),
  );
  assert.equal(await sweeper.sweep(new AbortController().signal), 1);
  assert.deepEqual(await left(), ["e/1"]);
  await rm(directory, { recursive: true });
});
