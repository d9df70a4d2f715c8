import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { DatabaseError } from "../../database/database.ts";
import { segmentBucketConformance } from "../conformance.fixture.ts";
import { toDatabaseError } from "../disk-failure.ts";
import { DiskBucket } from "./disk.ts";

async function openDisk() {
  const root = await mkdtemp(join(tmpdir(), "lossless-bucket-"));
  const directory = join(root, "not", "there", "yet");
  return {
    directory,
    bucket: new DiskBucket(directory),
    [Symbol.asyncDispose]: () => rm(root, { recursive: true }),
  };
}

segmentBucketConformance("disk", openDisk);

test("only the owner may read directories and files", async () => {
  await using disk = await openDisk();
  await disk.bucket.put("experiment/1.points", [Uint8Array.of(1)]);
  const modes = ["", "experiment", "experiment/1.points"].map(async (name) => {
    return ((await stat(join(disk.directory, name))).mode & 0o777).toString(8);
  });
  assert.deepEqual(await Promise.all(modes), ["700", "700", "600"]);
});

test("what a crash left of a put is no object, and goes after an hour", async () => {
  await using disk = await openDisk();
  await disk.bucket.put("experiment/1.points", [Uint8Array.of(1)]);
  const young = join(disk.directory, "experiment", "2.points.part");
  const old = join(disk.directory, "experiment", "3.points.part");
  for (const path of [young, old]) await writeFile(path, "half");
  const twoHoursAgo = Date.now() / 1000 - 7200;
  await utimes(old, twoHoursAgo, twoHoursAgo);
  const listed = await Array.fromAsync(disk.bucket.list(""), ({ key }) => key);
  assert.deepEqual(listed, ["experiment/1.points"]);
  const left = await readdir(join(disk.directory, "experiment"));
  assert.deepEqual(left.sort(), ["1.points", "2.points.part"]);
});

test("another thread's objects are seen and may be deleted by it", async () => {
  await using disk = await openDisk();
  const other = new DiskBucket(disk.directory);
  await other.put("a/1", [Uint8Array.of(1, 2, 3)]);
  assert.equal((await disk.bucket.read("a/1", 1, 1))[0], 2);
  await other.delete("a/1");
  assert.deepEqual(await Array.fromAsync(disk.bucket.list("")), []);
});

test("more objects than files may be open at once", async () => {
  await using disk = await openDisk();
  const numbers = Array.from({ length: 150 }, (_, number) => number);
  for (const number of numbers) await disk.bucket.put(`n/${number}`, [Uint8Array.of(number)]);
  for (const turn of [0, 1]) {
    const values = numbers.map(async (number) => (await disk.bucket.read(`n/${number}`, 0, 1))[0]);
    assert.deepEqual(await Promise.all(values), numbers, `turn ${turn}`);
  }
});

test("a put that fails leaves nothing behind", async () => {
  await using disk = await openDisk();
  await disk.bucket.put("a/1", [Uint8Array.of(1)]);
  const noBytes = { length: 2_000_000 } as Uint8Array;
  await assert.rejects(disk.bucket.put("a/2", [Uint8Array.of(1), noBytes]), TypeError);
  assert.deepEqual(await readdir(join(disk.directory, "a")), ["1"]);
});

test("failures of the disk are told apart by what the service must do", () => {
  const kindOf = (code: string): unknown => {
    const error = toDatabaseError(Object.assign(new Error("refused"), { code }), "It is so");
    if (!(error instanceof DatabaseError)) return undefined;
    assert.equal(error.message, "It is so: refused");
    return error.kind;
  };
  assert.equal(kindOf("ENOSPC"), "full");
  assert.equal(kindOf("EDQUOT"), "full");
  assert.equal(kindOf("EIO"), "failed");
  assert.equal(kindOf("EROFS"), "failed");
  assert.equal(kindOf("EMFILE"), undefined);
});
