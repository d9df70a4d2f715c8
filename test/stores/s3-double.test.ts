import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteBucketCommand,
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetBucketCorsCommand,
  GetBucketLocationCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  ListPartsCommand,
  PutBucketCorsCommand,
  PutBucketLifecycleConfigurationCommand,
  PutObjectCommand,
  S3ServiceException,
  UploadPartCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { S3Double, type S3DoubleOptions } from "./s3-double.ts";
import { callUrl, clientOf, presignGet, presignPart } from "./sdk.ts";

const Bucket = "b";
const oddKey = "a/ünï cödé/100%/+&=?#'\"<>/../😀.bin";
const md5 = (bytes: Uint8Array) => createHash("md5").update(bytes).digest("hex");

async function withStore(
  options: S3DoubleOptions,
  run: (client: S3Client, store: S3Double) => Promise<void>,
): Promise<void> {
  await using store = await S3Double.start(options);
  const client = clientOf(store);
  try {
    await run(client, store);
  } finally {
    client.destroy();
  }
}

/** The code of the S3 error that a call rejects with. */
async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof S3ServiceException) return error.name;
    throw error;
  }
  return "no error";
}

async function begin(client: S3Client, Key: string): Promise<string> {
  const { UploadId } = await client.send(new CreateMultipartUploadCommand({ Bucket, Key }));
  assert.ok(UploadId);
  return UploadId;
}

async function uploadParts(client: S3Client, Key: string, UploadId: string, bodies: Uint8Array[]) {
  const Parts = [];
  for (const [index, Body] of bodies.entries()) {
    const PartNumber = index + 1;
    const part = { Bucket, Key, UploadId, PartNumber, Body };
    const { ETag } = await client.send(new UploadPartCommand(part));
    Parts.push({ PartNumber, ETag });
  }
  return Parts;
}

test("an object comes back byte for byte, under a key of odd characters", () =>
  withStore({}, async (client, store) => {
    const Body = randomBytes(100_000);
    const put = await client.send(
      new PutObjectCommand({ Bucket, Key: oddKey, Body, Metadata: { a: "b" }, ContentType: "x/y" }),
    );
    assert.equal(put.ETag, `"${md5(Body)}"`);
    const got = await client.send(new GetObjectCommand({ Bucket, Key: oddKey }));
    assert.deepEqual(Buffer.from(await got.Body!.transformToByteArray()), Body);
    const head = await client.send(new HeadObjectCommand({ Bucket, Key: oddKey }));
    assert.equal(head.ContentLength, Body.length);
    assert.equal(head.ContentType, "x/y");
    assert.deepEqual(head.Metadata, { a: "b" });
    assert.deepEqual([...store.objects(Bucket).keys()], [oddKey]);
    assert.deepEqual(await store.objects(Bucket).get(oddKey)!.bytes(), Body);
  }));

test("a dotted key is kept or refused, never collapsed, in a presigned URL too", () =>
  withStore({}, async (client, store) => {
    await client.send(new PutObjectCommand({ Bucket, Key: "y", Body: "outside" }));
    await client.send(new PutObjectCommand({ Bucket, Key: "dd/../y", Body: "inside" }));
    const url = await presignGet(client, { Bucket, Key: "dd/../y" });
    assert.match(url, /\/dd\/\.\.\/y\?/);
    assert.equal((await callUrl(url, "GET")).text, "inside");
    // fetch collapses the path, which is then not the signed one.
    assert.equal((await fetch(url)).status, 403);
    assert.equal(store.objects(Bucket).size, 2);
  }));

test("ranges and conditions of reads", () =>
  withStore({}, async (client) => {
    const { ETag } = await client.send(
      new PutObjectCommand({ Bucket, Key: "k", Body: "0123456789" }),
    );
    const read = async (further: object) => {
      const reply = await client.send(new GetObjectCommand({ Bucket, Key: "k", ...further }));
      return `${reply.ContentRange} ${await reply.Body!.transformToString()}`;
    };
    assert.equal(await read({ Range: "bytes=2-4" }), "bytes 2-4/10 234");
    assert.equal(await read({ Range: "bytes=7-" }), "bytes 7-9/10 789");
    assert.equal(await read({ Range: "bytes=-3" }), "bytes 7-9/10 789");
    assert.equal(await read({ Range: "bytes=8-100" }), "bytes 8-9/10 89");
    assert.equal(await read({ IfMatch: ETag }), "undefined 0123456789");
    assert.equal(await codeOf(read({ Range: "bytes=10-" })), "InvalidRange");
    assert.equal(await codeOf(read({ IfMatch: '"other"' })), "PreconditionFailed");
    const unchanged = read({ IfNoneMatch: ETag }).catch((error) => error.$metadata.httpStatusCode);
    assert.equal(await unchanged, 304);
    const overwrite = { Bucket, Key: "k", Body: "x", IfNoneMatch: "*" };
    assert.equal(await codeOf(client.send(new PutObjectCommand(overwrite))), "PreconditionFailed");
    const missing = { Bucket, Key: "absent" };
    assert.equal(await codeOf(client.send(new GetObjectCommand(missing))), "NoSuchKey");
    assert.equal(await codeOf(client.send(new HeadObjectCommand(missing))), "NotFound");
    const elsewhere = new GetObjectCommand({ Bucket: "nowhere", Key: "k" });
    assert.equal(await codeOf(client.send(elsewhere)), "NoSuchBucket");
  }));

test("deleting one, many and none", () =>
  withStore({}, async (client, store) => {
    const keys = ["a", "b&<c>", oddKey, "d"];
    for (const Key of keys) await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    await client.send(new DeleteObjectCommand({ Bucket, Key: "a" }));
    await client.send(new DeleteObjectCommand({ Bucket, Key: "a" }));
    const Objects = ["b&<c>", oddKey, "absent"].map((Key) => ({ Key }));
    const reply = await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects } }));
    assert.deepEqual(reply.Deleted, Objects);
    assert.deepEqual([...store.objects(Bucket).keys()], ["d"]);
    const tooMany = Array.from({ length: 1_001 }, (_, n) => ({ Key: `${n}` }));
    const command = new DeleteObjectsCommand({ Bucket, Delete: { Objects: tooMany } });
    assert.equal(await codeOf(client.send(command)), "MalformedXML");
  }));

test("listings are in the order of bytes, in pages, with a prefix", () =>
  withStore({}, async (client) => {
    // In UTF-16 the emoji would come before the other one.
    const keys = ["p/a b", "p/a%20b", "p/z", "p/\uFFEE", "p/😀", "q"];
    for (const Key of [...keys].reverse())
      await client.send(new PutObjectCommand({ Bucket, Key, Body: Key }));
    const found: (string | undefined)[] = [];
    let ContinuationToken: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({ Bucket, Prefix: "p/", MaxKeys: 2, ContinuationToken }),
      );
      assert.ok((page.Contents?.length ?? 0) <= 2);
      found.push(...(page.Contents ?? []).map(({ Key }) => Key));
      ContinuationToken = page.NextContinuationToken;
    } while (ContinuationToken !== undefined);
    assert.deepEqual(found, keys.slice(0, -1));
    const escaped = await client.send(
      new ListObjectsV2Command({ Bucket, Prefix: "p/a", EncodingType: "url" }),
    );
    assert.deepEqual(
      escaped.Contents?.map(({ Key }) => Key),
      ["p/a%20b", "p/a%2520b"],
    );
    const grouped = await client.send(new ListObjectsV2Command({ Bucket, Delimiter: "/" }));
    assert.deepEqual(grouped.CommonPrefixes, [{ Prefix: "p/" }]);
    assert.deepEqual(
      grouped.Contents?.map(({ Key }) => Key),
      ["q"],
    );
  }));

test("an upload in presigned parts: the composite ETag, and bytes kept in files", () =>
  withStore({ minPartBytes: 1_000, spillBytes: 100 }, async (client, store) => {
    const UploadId = await begin(client, oddKey);
    const bodies = [randomBytes(1_000), randomBytes(1_500), randomBytes(7)];
    const Parts = [];
    for (const [index, body] of bodies.entries()) {
      const PartNumber = index + 1;
      const part = { Bucket, Key: oddKey, UploadId, PartNumber, ContentLength: body.length };
      const reply = await callUrl(await presignPart(client, part), "PUT", body);
      assert.equal(reply.status, 200, reply.text);
      Parts.push({ PartNumber, ETag: reply.headers.etag });
    }
    const [upload] = store.uploads(Bucket);
    assert.deepEqual([upload?.key, upload?.parts.size], [oddKey, 3]);
    const complete = { Bucket, Key: oddKey, UploadId, MultipartUpload: { Parts } };
    const { ETag } = await client.send(new CompleteMultipartUploadCommand(complete));
    const sums = Buffer.concat(bodies.map((body) => Buffer.from(md5(body), "hex")));
    assert.equal(ETag, `"${md5(sums)}-3"`);
    assert.deepEqual(store.uploads(Bucket), []);
    assert.deepEqual(await store.objects(Bucket).get(oddKey)?.bytes(), Buffer.concat(bodies));
    const across = await client.send(
      new GetObjectCommand({ Bucket, Key: oddKey, Range: "bytes=990-2502" }),
    );
    const expected = Buffer.concat(bodies).subarray(990, 2_503);
    assert.deepEqual(Buffer.from(await across.Body!.transformToByteArray()), expected);
    assert.equal(store.log.count("UploadPart"), 3);
    assert.ok(store.requests.every(({ status }) => status! < 300));
  }));

test("the rules of Complete", () =>
  withStore({ minPartBytes: 10 }, async (client) => {
    const UploadId = await begin(client, "k");
    const bodies = [Buffer.alloc(10), Buffer.alloc(9), Buffer.alloc(10), Buffer.alloc(0)];
    const all = await uploadParts(client, "k", UploadId, bodies);
    const complete = (Parts: object[], Key = "k") =>
      codeOf(
        client.send(
          new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
        ),
      );
    const [first, second, third, empty] = all;
    assert.equal(await complete([]), "MalformedXML");
    assert.equal(await complete([third, first]), "InvalidPartOrder");
    assert.equal(await complete([first, first]), "InvalidPartOrder");
    const wrong = { PartNumber: 1, ETag: second.ETag };
    assert.equal(await complete([wrong, third]), "InvalidPart");
    assert.equal(await complete([first, { PartNumber: 7, ETag: first.ETag }]), "InvalidPart");
    assert.equal(await complete([first, second, third]), "EntityTooSmall");
    assert.equal(await complete([first, third], "other"), "NoSuchUpload");
    assert.equal(await complete([first, third, empty]), "no error");
  }));

test("listing parts in pages; a part that is sent again replaces the first", () =>
  withStore({}, async (client) => {
    const UploadId = await begin(client, "k");
    const bodies = ["a", "b", "c", "d", "e"].map((text) => Buffer.from(text));
    await uploadParts(client, "k", UploadId, bodies);
    const again = { Bucket, Key: "k", UploadId, PartNumber: 2, Body: "BB" };
    await client.send(new UploadPartCommand(again));
    const found: unknown[] = [];
    let PartNumberMarker: string | undefined;
    for (;;) {
      const page = await client.send(
        new ListPartsCommand({ Bucket, Key: "k", UploadId, MaxParts: 2, PartNumberMarker }),
      );
      found.push(...(page.Parts ?? []).map(({ PartNumber, Size }) => [PartNumber, Size]));
      if (page.IsTruncated !== true) break;
      PartNumberMarker = page.NextPartNumberMarker;
    }
    assert.deepEqual(found, [
      [1, 1],
      [2, 2],
      [3, 1],
      [4, 1],
      [5, 1],
    ]);
    const tooHigh = new UploadPartCommand({ ...again, PartNumber: 10_001 });
    assert.equal(await codeOf(client.send(tooHigh)), "InvalidArgument");
    const zero = new UploadPartCommand({ ...again, PartNumber: 0 });
    assert.equal(await codeOf(client.send(zero)), "InvalidArgument");
  }));

test("listing uploads in pages, several of one key too; an aborted one is gone", () =>
  withStore({}, async (client, store) => {
    const ids = new Map<string, string>();
    for (const Key of ["p/a", "p/a", "p/a", oddKey, "p/c", "q"])
      ids.set(await begin(client, Key), Key);
    const found: (string | undefined)[] = [];
    let markers: { KeyMarker?: string; UploadIdMarker?: string } = {};
    for (;;) {
      const page = await client.send(
        new ListMultipartUploadsCommand({ Bucket, Prefix: "p/", MaxUploads: 2, ...markers }),
      );
      found.push(...(page.Uploads ?? []).map(({ UploadId }) => UploadId));
      if (page.IsTruncated !== true) break;
      markers = { KeyMarker: page.NextKeyMarker!, UploadIdMarker: page.NextUploadIdMarker! };
    }
    assert.deepEqual(
      found.map((id) => ids.get(id!)),
      ["p/a", "p/a", "p/a", "p/c"],
    );
    assert.equal(new Set(found).size, 4);
    const behind = new ListMultipartUploadsCommand({ Bucket, Prefix: "p/", KeyMarker: "p/a" });
    const { Uploads } = await client.send(behind);
    assert.deepEqual(
      Uploads?.map(({ Key }) => Key),
      ["p/c"],
    );
    const [UploadId = ""] = found;
    const abort = { Bucket, Key: "p/a", UploadId };
    await client.send(new AbortMultipartUploadCommand(abort));
    const part = { ...abort, PartNumber: 1, Body: "x" };
    assert.equal(await codeOf(client.send(new UploadPartCommand(part))), "NoSuchUpload");
    assert.equal(await codeOf(client.send(new AbortMultipartUploadCommand(abort))), "NoSuchUpload");
    assert.equal(await codeOf(client.send(new ListPartsCommand(abort))), "NoSuchUpload");
    assert.equal(store.uploads(Bucket).length, 5);
  }));

test("buckets and their configuration", () =>
  withStore({ region: "eu-north-7" }, async (client, store) => {
    const other = { Bucket: "other" };
    assert.equal(await codeOf(client.send(new HeadBucketCommand(other))), "NotFound");
    await client.send(new CreateBucketCommand(other));
    const again = new CreateBucketCommand(other);
    assert.equal(await codeOf(client.send(again)), "BucketAlreadyOwnedByYou");
    await client.send(new HeadBucketCommand(other));
    const location = await client.send(new GetBucketLocationCommand(other));
    assert.equal(location.LocationConstraint, "eu-north-7");
    const CORSRules = [{ AllowedMethods: ["GET"], AllowedOrigins: ["*"] }];
    const cors = { ...other, CORSConfiguration: { CORSRules } };
    await client.send(new PutBucketCorsCommand(cors));
    const read = await client.send(new GetBucketCorsCommand(other));
    assert.deepEqual(read.CORSRules, CORSRules);
    await store.createBucket("other");
    await client.send(new PutObjectCommand({ ...other, Key: "k", Body: "x" }));
    assert.equal(await codeOf(client.send(new DeleteBucketCommand(other))), "BucketNotEmpty");
    store.objects("other").delete("k");
    await client.send(new DeleteBucketCommand(other));
  }));

test("dialects differ where the stores do", async () => {
  const lifecycle = new PutBucketLifecycleConfigurationCommand({
    Bucket,
    LifecycleConfiguration: {
      Rules: [
        {
          Status: "Enabled",
          Filter: {},
          AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
        },
      ],
    },
  });
  const seen: Record<string, string[]> = {};
  for (const dialect of ["aws", "ceph", "minio", "swift"] as const) {
    await withStore({ dialect, minPartBytes: 0 }, async (client) => {
      const UploadId = await begin(client, "k");
      const [first, second] = await uploadParts(client, "k", UploadId, [
        Buffer.of(1),
        Buffer.of(2),
      ]);
      const complete = (...Parts: object[]) => {
        const upload = { Bucket, Key: "k", UploadId, MultipartUpload: { Parts } };
        return codeOf(client.send(new CompleteMultipartUploadCommand(upload)));
      };
      const high = { Bucket, Key: "k", UploadId, PartNumber: 1_001, Body: "x" };
      seen[dialect] = [
        await complete(first),
        await complete(first, second),
        await codeOf(client.send(lifecycle)),
        await codeOf(
          client.send(new UploadPartCommand({ ...high, UploadId: await begin(client, "k") })),
        ),
      ];
    });
  }
  assert.deepEqual(seen, {
    aws: ["no error", "no error", "no error", "no error"],
    ceph: ["InvalidPart", "no error", "no error", "no error"],
    minio: ["no error", "NoSuchUpload", "no error", "no error"],
    swift: ["no error", "no error", "MalformedXML", "InvalidArgument"],
  });
});

test("virtual-hosted style: the bucket is in the host", async () => {
  await using store = await S3Double.start({ buckets: ["bucket"] });
  const { name, region, accessKeyId, secretAccessKey } = store;
  const { port } = new URL(store.endpoint);
  const endpoint = `http://localhost:${port}`;
  const coordinates = { name, endpoint, region, pathStyle: false, accessKeyId, secretAccessKey };
  const client = clientOf(store);
  const object = { Bucket: "bucket", Key: "dir/k" };
  await client.send(new PutObjectCommand({ ...object, Body: "hosted" }));
  const url = await presignGet(clientOf(coordinates), object);
  assert.ok(url.startsWith(`http://bucket.localhost:${port}/dir/k?`), url);
  // Not every resolver knows names below localhost.
  const onWire = url.replace(/^http:\/\/[^/]+/, store.endpoint);
  const host = `bucket.localhost:${port}`;
  assert.equal((await callUrl(onWire, "GET", undefined, { host })).text, "hosted");
  assert.equal((await callUrl(onWire, "GET")).status, 403);
  client.destroy();
});

test("what is not understood is refused", () =>
  withStore({}, async (client) => {
    const url = await presignGet(client, { Bucket, Key: "k" });
    const withVersion = new GetObjectCommand({ Bucket, Key: "k", VersionId: "v" });
    assert.equal(await codeOf(client.send(withVersion)), "NotImplemented");
    assert.equal((await callUrl(`${url}&versionId=v`, "GET")).status, 403);
    const copy = { Bucket, Key: "k", CopySource: "b/other" };
    const { CopyObjectCommand } = await import("@aws-sdk/client-s3");
    assert.equal(await codeOf(client.send(new CopyObjectCommand(copy))), "NotImplemented");
    const long = new PutObjectCommand({ Bucket, Key: "ü".repeat(513), Body: "x" });
    assert.equal(await codeOf(client.send(long)), "KeyTooLongError");
  }));
