import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { test } from "node:test";
import {
  CreateMultipartUploadCommand,
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
  UploadPartCommand,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { call } from "../http.ts";
import { S3Double, type S3DoubleOptions } from "./s3-double.ts";
import {
  callUrl,
  clientOf,
  presignGet,
  presignPart,
  tamperingClientOf,
  type TamperedRequest,
} from "./sdk.ts";

const Bucket = "b";
const body = Buffer.from("twelve bytes");

/** A store with an open upload, a URL for its first part that works, and a request's answer. */
async function presigned(options: S3DoubleOptions = {}) {
  const store = await S3Double.start(options);
  const client = clientOf(store);
  const Key = "dir/ü k";
  const created = new CreateMultipartUploadCommand({ Bucket, Key });
  const { UploadId } = await client.send(created);
  const part = { Bucket, Key, UploadId: UploadId!, PartNumber: 1, ContentLength: body.length };
  return {
    store,
    client,
    part,
    url: await presignPart(client, part),
    async [Symbol.asyncDispose]() {
      client.destroy();
      await store[Symbol.asyncDispose]();
    },
  };
}

async function verdict(reply: Promise<{ status: number; text: string }>): Promise<string> {
  const { status, text } = await reply;
  return `${status} ${/<Code>(\w+)<\/Code>/.exec(text)?.[1] ?? "done"}`;
}

test("a presigned URL works as often as it is used, and no alteration of it works", async () => {
  await using subject = await presigned();
  const { url, store, part } = subject;
  const put = (altered: string, bytes: Uint8Array = body) =>
    verdict(callUrl(altered, "PUT", bytes));
  const alter = (from: RegExp | string, to: string): string => {
    const altered = url.replace(from, to);
    assert.notEqual(altered, url, `nothing to alter: ${from}`);
    return altered;
  };
  assert.equal(await put(url), "200 done");
  assert.equal(await put(url), "200 done");

  const wrong = "403 SignatureDoesNotMatch";
  assert.equal(await put(alter("partNumber=1", "partNumber=2")), wrong);
  assert.equal(await put(alter("/dir/", "/dis/")), wrong);
  assert.equal(await put(alter("/b/", "/c/")), wrong);
  assert.equal(await put(alter("X-Amz-Expires=3600", "X-Amz-Expires=3601")), wrong);
  assert.equal(await put(alter(/uploadId=2~?%?/, "uploadId=3~")), wrong);
  assert.equal(await put(alter(/X-Amz-Signature=./, "X-Amz-Signature=x")), wrong);
  assert.equal(await put(alter(/X-Amz-Signature=\w+/, `X-Amz-Signature=${"0".repeat(64)}`)), wrong);
  assert.equal(await put(`${url}&x-id=Other`), wrong);
  assert.equal(await put(url, Buffer.from("thirteen byte")), wrong);
  assert.equal(await put(url, Buffer.from("eleven byte")), wrong);
  for (const method of ["GET", "HEAD", "POST", "DELETE"])
    assert.match(await verdict(callUrl(url, method)), /^403 /, method);

  const malformed = "400 AuthorizationQueryParametersError";
  assert.equal(await put(alter(/&X-Amz-Signature=\w+/, "")), malformed);
  assert.equal(await put(alter(/&X-Amz-Expires=\w+/, "")), malformed);
  assert.equal(await put(alter("X-Amz-Expires=3600", "X-Amz-Expires=604801")), malformed);
  assert.equal(await put(alter(/us-east-1/, "us-east-2")), malformed);
  assert.equal(await put(alter(/HMAC-SHA256/, "HMAC-SHA1")), malformed);
  assert.equal(await put(`${url}&X-Amz-Expires=1`), malformed);
  assert.equal(await put(`${url}&X-Amz-Signature=${"0".repeat(64)}`), malformed);
  const both = { authorization: "AWS4-HMAC-SHA256 Credential=x" };
  assert.equal(await verdict(callUrl(url, "PUT", body, both)), "400 InvalidArgument");
  assert.equal(await put(alter(/AKDOUBLE/, "AKOTHER")), "403 InvalidAccessKeyId");
  assert.equal(await put(alter(/\?.*/, "")), "403 AccessDenied");
  const header = { "x-amz-meta-extra": "unsigned" };
  assert.equal(await verdict(callUrl(url, "PUT", body, header)), "403 AccessDenied");
  const { host } = new URL(url);
  const otherHost = { host: `${host}0` };
  assert.equal(await verdict(callUrl(url, "PUT", body, otherHost)), wrong);

  const upload = store.uploads(Bucket)[0];
  assert.deepEqual([...upload.parts.keys()], [1]);
  assert.equal(upload.parts.get(1)?.body.sizeBytes, body.length);
  assert.equal(store.objects(Bucket).size, 0);
  const wrongSecret = clientOf({ ...coordinates(store), secretAccessKey: "guessed" });
  assert.equal(await put(await presignPart(wrongSecret, part)), wrong);
});

function coordinates(store: S3Double) {
  const { name, endpoint, region, pathStyle, accessKeyId, secretAccessKey } = store;
  return { name, endpoint, region, pathStyle, accessKeyId, secretAccessKey };
}

test("a body without its length is refused, signed or not", async () => {
  await using subject = await presigned();
  const chunked = async (url: string) => {
    const stream = new Blob([body]).stream();
    const reply = await fetch(url, { method: "PUT", body: stream, duplex: "half" });
    return verdict(Promise.resolve({ status: reply.status, text: await reply.text() }));
  };
  assert.equal(await chunked(subject.url), "403 SignatureDoesNotMatch");
  const { ContentLength: _, ...part } = subject.part;
  const free = await presignPart(subject.client, part);
  assert.equal(await chunked(free), "411 MissingContentLength");
  assert.equal(await verdict(callUrl(free, "PUT", "any length at all")), "200 done");
});

test("a URL works until its second of expiry, by the store's clock", async () => {
  let nowMs = Date.UTC(2026, 0, 31, 23, 59, 0);
  await using store = await S3Double.start({ clock: () => nowMs });
  const client = clientOf(store);
  const signedAtMs = nowMs;
  const object = { Bucket, Key: "k" };
  const url = await presignGet(client, object, { signedAtMs, expiresSeconds: 600 });
  assert.equal(await verdict(callUrl(url, "GET")), "404 NoSuchKey");
  nowMs = signedAtMs + 600_000;
  assert.equal(await verdict(callUrl(url, "GET")), "404 NoSuchKey");
  nowMs += 1;
  assert.equal(await verdict(callUrl(url, "GET")), "403 AccessDenied");
  nowMs = signedAtMs - 14 * 60_000;
  assert.equal(await verdict(callUrl(url, "GET")), "404 NoSuchKey");
  nowMs = signedAtMs - 16 * 60_000;
  assert.equal(await verdict(callUrl(url, "GET")), "403 AccessDenied");
  client.destroy();
});

test("a session's URLs need its token and end with it", async () => {
  let nowMs = Date.UTC(2026, 0, 1);
  const session = {
    accessKeyId: "ASIATEMPORARY",
    secretAccessKey: "temporary",
    sessionToken: "token/with+signs==",
    expiresAtMs: nowMs + 900_000,
  };
  for (const [dialect, ended] of [
    ["aws", "400 ExpiredToken"],
    ["ceph", "403 AccessDenied"],
  ] as const) {
    await using store = await S3Double.start({
      clock: () => nowMs,
      credentials: [session],
      dialect,
    });
    const sign = async (credentials: object) => {
      const client = clientOf(
        { ...coordinates(store), ...session },
        { credentials: { ...session, ...credentials } },
      );
      return presignGet(client, { Bucket, Key: "k" }, { signedAtMs: Date.UTC(2026, 0, 1) });
    };
    nowMs = Date.UTC(2026, 0, 1);
    const url = await sign({});
    assert.equal(await verdict(callUrl(url, "GET")), "404 NoSuchKey");
    const stripped = url.replace(/X-Amz-Security-Token=[^&]+&/, "");
    assert.equal(await verdict(callUrl(stripped, "GET")), "403 SignatureDoesNotMatch");
    const other = await verdict(callUrl(await sign({ sessionToken: "other" }), "GET"));
    assert.match(other, /InvalidToken|AccessDenied/);
    nowMs = session.expiresAtMs;
    assert.equal(await verdict(callUrl(url, "GET")), ended);
  }
});

async function codeOf(promise: Promise<unknown>): Promise<string> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof S3ServiceException) return error.name;
    throw error;
  }
  return "no error";
}

test("requests signed in their headers: no alteration passes", async () => {
  await using store = await S3Double.start({ buckets: ["b", "c"] });
  const put = async (alter: (request: TamperedRequest) => void) => {
    const client = tamperingClientOf(store, alter);
    const command = new PutObjectCommand({ Bucket, Key: "k", Body: body, Metadata: { a: "1" } });
    const code = await codeOf(client.send(command));
    client.destroy();
    return code;
  };
  assert.equal(await put(() => {}), "no error");
  store.objects("b").clear();

  const wrong = "SignatureDoesNotMatch";
  assert.equal(await put((r) => (r.path = r.path.replace("/k", "/l"))), wrong);
  assert.equal(await put((r) => (r.path = r.path.replace("/b", "/c"))), wrong);
  assert.equal(await put((r) => (r.headers["x-amz-meta-a"] = "2")), wrong);
  assert.equal(await put((r) => (r.headers["x-amz-meta-b"] = "2")), "AccessDenied");
  assert.equal(await put((r) => (r.query = { ...r.query, partNumber: "1" })), wrong);
  assert.equal(await put((r) => (r.headers["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD")), wrong);
  assert.equal(await put((r) => (r.headers["x-amz-content-sha256"] = "0".repeat(64))), wrong);
  const streaming = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
  const chunks = put((r) => (r.headers["x-amz-content-sha256"] = streaming));
  assert.equal(await chunks, "NotImplemented");
  const otherBody = put((r) => (r.body = Buffer.from("TWELVE BYTES")));
  assert.equal(await otherBody, "XAmzContentSHA256Mismatch");
  assert.equal(await put((r) => delete r.headers["authorization"]), "AccessDenied");
  assert.equal(await put((r) => delete r.headers["x-amz-date"]), "AccessDenied");
  const region = (r: TamperedRequest) =>
    (r.headers["authorization"] = r.headers["authorization"].replace("us-east-1", "us-east-9"));
  assert.equal(await put(region), "AuthorizationHeaderMalformed");
  const signature = (r: TamperedRequest) =>
    (r.headers["authorization"] = r.headers["authorization"].replace(
      /Signature=.*/,
      `Signature=${"0".repeat(64)}`,
    ));
  assert.equal(await put(signature), wrong);
  assert.equal(store.objects("b").size + store.objects("c").size, 0);

  const guess = clientOf({ ...coordinates(store), secretAccessKey: "guessed" });
  assert.equal(await codeOf(guess.send(new GetObjectCommand({ Bucket, Key: "k" }))), wrong);
});

test("a clock that is more than a quarter of an hour wrong; the SDK learns the store's time from it", async () => {
  await using store = await S3Double.start({ clock: () => Date.now() + 20 * 60_000 });
  const command = () => new PutObjectCommand({ Bucket, Key: "k", Body: body });
  const once = clientOf(store);
  assert.equal(await codeOf(once.send(command())), "RequestTimeTooSkewed");
  const patient = clientOf(store, { maxAttempts: 2 });
  assert.equal(await codeOf(patient.send(command())), "no error");
  const codes = store.requests.map(({ code }) => code);
  assert.deepEqual(codes, ["RequestTimeTooSkewed", "RequestTimeTooSkewed", undefined]);
});

test("checksums are looked at, also the one that the SDK's presigner adds unless told not to", async () => {
  await using subject = await presigned();
  const { store, client, part } = subject;
  const careless = new S3Client({
    endpoint: store.endpoint,
    region: store.region,
    forcePathStyle: true,
    credentials: { accessKeyId: store.accessKeyId, secretAccessKey: store.secretAccessKey },
  });
  const url = await getSignedUrl(careless, new UploadPartCommand(part), { expiresIn: 60 });
  assert.match(url, /x-amz-checksum-crc32=AAAAAA/);
  assert.equal(await verdict(callUrl(url, "PUT", body)), "400 BadDigest");
  const send = (further: object) =>
    codeOf(client.send(new PutObjectCommand({ Bucket, Key: "k", Body: body, ...further })));
  assert.equal(await send({ ContentMD5: "AAAAAAAAAAAAAAAAAAAAAA==" }), "BadDigest");
  assert.equal(await send({ ContentMD5: "none" }), "InvalidDigest");
  const md5 = createHash("md5").update(body).digest("base64");
  assert.equal(await send({ ContentMD5: md5 }), "no error");
  assert.equal(await send({ ChecksumSHA256: `${"A".repeat(43)}=` }), "BadDigest");
  assert.equal(await send({ ChecksumAlgorithm: "SHA256" }), "no error");
  assert.equal(await send({ ChecksumAlgorithm: "CRC32" }), "no error");
});

/** Signed by hand and correctly, whatever the SDK would never sign. */
function signedByHand(
  store: S3Double,
  {
    method = "GET",
    path = "/b/k",
    query = "",
    names = ["host", "x-amz-content-sha256", "x-amz-date"],
    text = "",
  },
): Promise<string> {
  const hash = (content: string) => createHash("sha256").update(content).digest("hex");
  const date = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const headers: Record<string, string> = {
    host: new URL(store.endpoint).host,
    "x-amz-date": date,
    "x-amz-content-sha256": hash(text),
  };
  const lines = names.map((name) => `${name}:${headers[name]}`);
  const canonical = [method, path, query, ...lines, "", names.join(";"), hash(text)].join("\n");
  const scope = [date.slice(0, 8), store.region, "s3", "aws4_request"];
  const toSign = ["AWS4-HMAC-SHA256", date, scope.join("/"), hash(canonical)].join("\n");
  const hmac = (key: string | Buffer, content: string) =>
    createHmac("sha256", key).update(content).digest();
  const key = scope.reduce<string | Buffer>(hmac, `AWS4${store.secretAccessKey}`);
  const signature = hmac(key, toSign).toString("hex");
  headers["authorization"] =
    `AWS4-HMAC-SHA256 Credential=${store.accessKeyId}/${scope.join("/")}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  const target = query === "" ? path : `${path}?${query}`;
  const sent = text === "" ? undefined : text;
  return verdict(call(store.endpoint, { method, path: target, headers, body: sent }));
}

test("a right signature of too little, or of what is ambiguous", async () => {
  await using store = await S3Double.start();
  assert.equal(await signedByHand(store, {}), "404 NoSuchKey");
  const withoutHost = ["x-amz-content-sha256", "x-amz-date"];
  assert.equal(await signedByHand(store, { names: withoutHost }), "403 AccessDenied");
  const withoutDate = ["host", "x-amz-content-sha256"];
  assert.equal(await signedByHand(store, { names: withoutDate }), "403 AccessDenied");
  const unsorted = ["x-amz-date", "host", "x-amz-content-sha256"];
  assert.equal(await signedByHand(store, { names: unsorted }), "403 AccessDenied");
  assert.equal(await signedByHand(store, { query: "uploadId=a" }), "404 NoSuchUpload");
  assert.equal(
    await signedByHand(store, { query: "uploadId=a&uploadId=b" }),
    "400 InvalidArgument",
  );
  const text = "<Delete><Object><Key>k</Key></Object></Delete>";
  const unchecked = { method: "POST", path: "/b", query: "delete=", text };
  assert.equal(await signedByHand(store, unchecked), "400 InvalidRequest");
});

/**
 * The examples of Amazon's documentation of Signature Version 4 for S3, so that the verifier is not
 * only held to the SDK that signs for it.
 */
test("the published examples of signatures are accepted, and only they", async () => {
  await using store = await S3Double.start({
    accessKeyId: "AKIAIOSFODNN7EXAMPLE",
    secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    buckets: ["examplebucket"],
    domain: "s3.amazonaws.com",
    clock: () => Date.UTC(2013, 4, 24, 0, 0, 30),
  });
  const host = "examplebucket.s3.amazonaws.com";
  const empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
  const scope = "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request";
  const signed = (names: string, signature: string, payload = empty) => ({
    host,
    "x-amz-date": "20130524T000000Z",
    "x-amz-content-sha256": payload,
    authorization: `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${names},Signature=${signature}`,
  });
  const ask = (path: string, headers: Record<string, string>, method = "GET", body?: string) =>
    verdict(call(store.endpoint, { path, headers, method, body }));
  const names = "host;x-amz-content-sha256;x-amz-date";

  const put = {
    ...signed(
      "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
      "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    ),
    date: "Fri, 24 May 2013 00:00:00 GMT",
    "x-amz-storage-class": "REDUCED_REDUNDANCY",
  };
  const text = "Welcome to Amazon S3.";
  assert.equal(await ask("/test%24file.text", put, "PUT", text), "200 done");
  const other = "Welcome to Amazon S4.";
  assert.equal(await ask("/test%24file.text", put, "PUT", other), "400 XAmzContentSHA256Mismatch");

  const range = {
    ...signed(
      "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ),
    range: "bytes=0-9",
  };
  assert.equal(await ask("/test.txt", range), "404 NoSuchKey");
  assert.equal(
    await ask("/test.txt", { ...range, range: "bytes=0-8" }),
    "403 SignatureDoesNotMatch",
  );

  const lifecycle = signed(
    names,
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  );
  assert.equal(await ask("/?lifecycle", lifecycle), "404 NoSuchLifecycleConfiguration");

  const query =
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
  assert.equal(await ask(`/test.txt?${query}`, { host }), "404 NoSuchKey");
  assert.equal(await ask(`/test.tx?${query}`, { host }), "403 SignatureDoesNotMatch");
});
