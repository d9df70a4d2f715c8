import assert from "node:assert/strict";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { S3Double } from "../../../../test/stores/s3-double.ts";
import { ObjectMissing } from "../bucket.ts";
import { content, segmentBucketConformance } from "../conformance.fixture.ts";
import { DiskBucket } from "./disk.ts";
import { LayeredSegments } from "./layered.ts";
import { S3Segments } from "./s3.ts";

async function opened() {
  const directory = await mkdtemp(join(tmpdir(), "lossless-s3-segments-"));
  const store = await S3Double.start();
  const { endpoint, region: signingRegion, pathStyle, accessKeyId, secretAccessKey } = store;
  const settings = { endpoint, signingRegion, pathStyle, accessKeyId, secretAccessKey };
  const segments = (prefix = "segments", deadlineMs = 30_000) =>
    new S3Segments({ ...settings, bucket: "b", prefix, deadlineMs }, directory);
  const bucket = segments();
  return {
    bucket,
    segments,
    store,
    directory,
    [Symbol.asyncDispose]: async () => {
      await bucket[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
      await rm(directory, { recursive: true });
    },
  };
}

segmentBucketConformance("segments in s3", opened);

segmentBucketConformance("segments in s3 before those on disk", async () => {
  const s3 = await opened();
  const older = new DiskBucket(join(s3.directory, "older"));
  return {
    bucket: new LayeredSegments(s3.bucket, older),
    [Symbol.asyncDispose]: s3[Symbol.asyncDispose],
  };
});

const unavailable = { name: "DatabaseError", kind: "unavailable" };

test("a store that fails is unavailable, and nothing is missing afterwards", async () => {
  await using s3 = await opened();
  const { bucket, store } = s3;
  await using impatient = s3.segments("segments", 500);
  await bucket.put("experiment/1.points", [content(1_000)]);
  for (const fault of ["slowDown", "hang", "lostRequest"] as const) {
    store.faults.add({ fault });
    await assert.rejects(impatient.read("experiment/1.points", 0, 10), unavailable, fault);
    await assert.rejects(impatient.put("experiment/2.points", [content(9)]), unavailable, fault);
    await assert.rejects(impatient.localFile("experiment/1.points"), unavailable, fault);
    await assert.rejects(Array.fromAsync(impatient.list("")), unavailable, fault);
    store.faults.clear();
  }
  store.objects("b").clear();
  await assert.rejects(bucket.read("experiment/1.points", 0, 10), ObjectMissing);
});

test("a wrong bit on the way makes no copy", async () => {
  await using s3 = await opened();
  await s3.bucket.put("experiment/1.points", [content(1_000)]);
  s3.store.faults.add({ fault: "flippedBit", operation: "GetObject", times: 1 });
  await assert.rejects(s3.bucket.localFile("experiment/1.points"), unavailable);
  assert.deepEqual(await readdir(s3.directory), []);
  await s3.bucket.localFile("experiment/1.points");
});

test("only segments below the prefix are listed", async () => {
  await using s3 = await opened();
  await using beside = s3.segments("segments-of-another");
  await beside.put("experiment/1.points", [content(1)]);
  assert.equal(await s3.bucket.owner(), undefined);
  await s3.bucket.own("me");
  assert.equal(await s3.bucket.owner(), "me");
  assert.equal(await beside.owner(), undefined);
  const listed = await Array.fromAsync(s3.bucket.list(""));
  assert.deepEqual(listed, []);
});

test("what is in the second bucket only is read there, and deleted there", async () => {
  await using s3 = await opened();
  const older = new DiskBucket(join(s3.directory, "older"));
  await older.put("experiment/1.points", [content(50)]);
  const both = new LayeredSegments(s3.bucket, older);
  await both.put("experiment/2.points", [content(60)]);
  assert.deepEqual([...s3.store.objects("b").keys()], ["segments/experiment/2.points"]);
  assert.equal(await both.size("experiment/1.points"), 50);
  assert.equal((await both.read("experiment/1.points", 40, 10)).byteLength, 10);
  assert.equal((await both.read("experiment/2.points", 40, 20)).byteLength, 20);
  await both.delete("experiment/1.points");
  await assert.rejects(both.size("experiment/1.points"), ObjectMissing);
  await assert.rejects(older.size("experiment/1.points"), ObjectMissing);
});
