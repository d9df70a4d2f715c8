import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutObjectCommand,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { S3Double, type Fault, type FaultKind, type FaultRule } from "./s3-double.ts";
import { clientOf, presignGet } from "./sdk.ts";

const Bucket = "b";

/** It tells what a request got (a status, an S3 code or the connection's end) and whether done. */
async function putUnder(fault: Fault | FaultKind): Promise<string> {
  await using store = await S3Double.start({ faults: [{ fault, operation: "PutObject" }] });
  const client = clientOf(store);
  const command = new PutObjectCommand({ Bucket, Key: "k", Body: "bytes" });
  const outcome = await client.send(command, { abortSignal: AbortSignal.timeout(60_000) }).then(
    () => "ok",
    (error: Error & { code?: string }) => error.code ?? error.name,
  );
  client.destroy();
  assert.equal(store.faults.total, 1);
  return `${outcome}, ${store.objects(Bucket).has("k") ? "done" : "not done"}`;
}

test("each fault answers what it says, and does what it says", async () => {
  assert.equal(await putUnder("slowDown"), "SlowDown, not done");
  assert.equal(await putUnder("internalError"), "InternalError, not done");
  assert.equal(await putUnder("requestTimeTooSkewed"), "RequestTimeTooSkewed, not done");
  assert.equal(await putUnder("doneButInternalError"), "InternalError, done");
  assert.equal(await putUnder("doneButNoSuchUpload"), "NoSuchUpload, done");
  assert.equal(await putUnder("lostReply"), "ECONNRESET, done");
  assert.equal(await putUnder("lostRequest"), "ECONNRESET, not done");
  assert.equal(await putUnder({ kind: "latency", latencyMs: 1 }), "ok, done");
});

test("an answer that never comes ends when the client gives up, or with the store", async () => {
  for (const fault of ["hang", "doneButHang"] as const) {
    await using store = await S3Double.start({ faults: [{ fault }] });
    const client = clientOf(store);
    const command = () => new PutObjectCommand({ Bucket, Key: "k", Body: "bytes" });
    const abandon = new AbortController();
    const first = client.send(command(), { abortSignal: abandon.signal });
    const second = client.send(command());
    while (store.faults.total < 2 || (fault === "doneButHang" && store.objects(Bucket).size === 0))
      await new Promise((resolve) => setTimeout(resolve, 5));
    abandon.abort();
    await assert.rejects(first, { name: "AbortError" });
    assert.equal(store.objects(Bucket).size, fault === "hang" ? 0 : 1);
    await Promise.all([store[Symbol.asyncDispose](), assert.rejects(second)]);
    client.destroy();
  }
});

test("a Complete that was done and is answered as if it was not", async () => {
  for (const [fault, code] of [
    ["errorInBody", "InternalError"],
    ["doneButErrorInBody", "InternalError"],
    ["doneButNoSuchUpload", "NoSuchUpload"],
    ["truncatedXml", "Error"],
  ] as const) {
    const faults: FaultRule[] = [{ fault, operation: "CompleteMultipartUpload", times: 1 }];
    await using store = await S3Double.start({ faults });
    const client = clientOf(store);
    const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key: "k" }));
    const upload = { Bucket, Key: "k", UploadId };
    const part = new UploadPartCommand({ ...upload, PartNumber: 1, Body: "bytes" });
    const { ETag } = await client.send(part);
    const complete = () => {
      const MultipartUpload = { Parts: [{ PartNumber: 1, ETag }] };
      return client.send(new CompleteMultipartUploadCommand({ ...upload, MultipartUpload }));
    };
    await assert.rejects(complete(), { name: code }, fault);
    const isDone = fault !== "errorInBody";
    assert.equal(store.objects(Bucket).has("k"), isDone);
    await complete();
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: "k" }));
    assert.equal(head.ContentLength, 5);
    assert.deepEqual(
      store.log.of("CompleteMultipartUpload").map((entry) => entry.fault),
      [fault, undefined],
    );
    client.destroy();
  }
});

test("reads that break, lie or come slowly", async () => {
  await using store = await S3Double.start();
  const client = clientOf(store);
  const Body = randomBytes(200_000);
  await client.send(new PutObjectCommand({ Bucket, Key: "k", Body }));
  const read = async (fault: Fault | FaultKind) => {
    store.faults.add({ fault, operation: "GetObject", times: 1 });
    const reply = await fetch(await presignGet(client, { Bucket, Key: "k" }));
    return Buffer.from(await reply.arrayBuffer());
  };
  await assert.rejects(read("cutReply"), { message: "terminated" });
  const flipped = await read("flippedBit");
  assert.equal(flipped[0], Body[0] ^ 1);
  assert.deepEqual(flipped.subarray(1), Body.subarray(1));
  const slow = await read({ kind: "trickle", pieceBytes: 20_000, pauseMs: 1 });
  assert.deepEqual(slow, Body);
  assert.deepEqual(
    store.faults.struck,
    new Map([
      ["cutReply", 1],
      ["flippedBit", 1],
      ["trickle", 1],
    ]),
  );
  const list = new ListObjectsV2Command({ Bucket });
  store.faults.add({ fault: "truncatedXml", operation: "ListObjectsV2", times: 1 });
  await assert.rejects(client.send(list));
  assert.equal((await client.send(list)).KeyCount, 1);
  client.destroy();
});

test("rules choose by operation, key, number and chance, and a seed repeats the choice", async () => {
  const struckBy = async (rule: Partial<FaultRule>, seed = 1) => {
    const faults = [{ fault: "slowDown", ...rule }] as FaultRule[];
    await using store = await S3Double.start({ faults, seed });
    const client = clientOf(store);
    for (let n = 0; n < 12; n += 1) {
      const Key = `k${n}`;
      await client.send(new PutObjectCommand({ Bucket, Key, Body: "x" })).catch(() => {});
    }
    client.destroy();
    return store.requests.map((entry) => (entry.fault === undefined ? "." : "x")).join("");
  };
  assert.equal(await struckBy({}), "xxxxxxxxxxxx");
  assert.equal(await struckBy({ operation: "GetObject" }), "............");
  assert.equal(await struckBy({ operation: ["GetObject", "PutObject"], times: 1 }), "x...........");
  assert.equal(await struckBy({ key: "k3" }), "...x........");
  assert.equal(await struckBy({ key: /k1/g }), ".x........xx");
  assert.equal(await struckBy({ after: 2, times: 3 }), "..xxx.......");
  assert.equal(await struckBy({ when: ({ key }) => key === "k5" }), ".....x......");
  const drawn = await struckBy({ probability: 0.5 }, 7);
  assert.match(drawn, /x/);
  assert.match(drawn, /\./);
  assert.equal(await struckBy({ probability: 0.5 }, 7), drawn);
  assert.notEqual(await struckBy({ probability: 0.5 }, 8), drawn);
});

test("a function may choose, and a forged request is refused whatever was planted", async () => {
  const faults = ({ operation }: { operation: string }): Fault | undefined =>
    operation === "ListParts" ? { kind: "internalError" } : undefined;
  await using store = await S3Double.start({ faults });
  const client = clientOf(store);
  const parts = new ListPartsCommand({ Bucket, Key: "k", UploadId: "none" });
  await assert.rejects(client.send(parts), { name: "InternalError" });
  store.faults.clear();
  await assert.rejects(client.send(parts), { name: "NoSuchUpload" });
  store.faults.add({ fault: "errorInBody" });
  const { name, endpoint, region, pathStyle, accessKeyId } = store;
  const secretAccessKey = "guessed";
  const forger = clientOf({ name, endpoint, region, pathStyle, accessKeyId, secretAccessKey });
  const get = new GetObjectCommand({ Bucket, Key: "k" });
  await assert.rejects(forger.send(get), { name: "SignatureDoesNotMatch" });
  client.destroy();
});
