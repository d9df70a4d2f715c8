import assert from "node:assert/strict";
import { test } from "node:test";
import { S3Double } from "../../../../test/stores/s3-double.ts";
import { content } from "../conformance.fixture.ts";
import { RenewedS3Bucket, type S3Session } from "./renewed.ts";
import { artifactBucketConformance } from "../artifact-buckets.fixture.ts";

const pageSize = 100;

artifactBucketConformance("s3 with sessions", () => opened(3), { pageSize });

test("s3 with sessions: a driver that was replaced lives until its last call is over", async () => {
  await using at = await opened(1);
  const { bucket } = at;
  await bucket.put("a", [content(10)]);
  await bucket.put("b", [content(10)]);
  const listed = bucket.list("")[Symbol.asyncIterator]();
  await listed.next();
  assert.deepEqual(await bucket.read("a", 0, 10), content(10));
  assert.equal(bucket.driverCount, 2);
  await listed.next();
  assert.equal((await listed.next()).done, true);
  assert.equal(bucket.driverCount, 1);
  // A reader that stops in the middle gives it back too.
  for await (const { key } of bucket.list("")) {
    assert.equal(key, "a");
    await bucket.size("b");
    assert.equal(bucket.driverCount, 2);
    break;
  }
  assert.equal(bucket.driverCount, 1);
});

/** Opens a bucket with another session after each `callsEach` calls. */
async function opened(callsEach: number) {
  const store = await S3Double.start({ pageMost: pageSize });
  let calls = 0;
  let session: S3Session | undefined;
  const bucket = new RenewedS3Bucket({
    endpoint: store.endpoint,
    bucket: "b",
    signingRegion: store.region,
    pathStyle: true,
    egress: null,
    session: async () => {
      if (session === undefined || calls++ % callsEach === 0) {
        const keys = {
          accessKeyId: `ASIA${calls}`,
          secretAccessKey: crypto.randomUUID(),
          sessionToken: crypto.randomUUID(),
        };
        session = { ...keys, expiresAtMs: Date.now() + 7_200_000 };
        store.addCredentials(session);
      }
      return session;
    },
    explain: (error) => error,
  });
  return {
    bucket,
    [Symbol.asyncDispose]: async () => {
      await bucket[Symbol.asyncDispose]();
      await store[Symbol.asyncDispose]();
    },
  };
}
