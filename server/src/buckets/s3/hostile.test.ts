import assert from "node:assert/strict";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer as createTcpServer, type AddressInfo, type Socket } from "node:net";
import { test } from "node:test";
import { answering } from "../../../../test/loopback.ts";
import { S3Double, type FaultKind } from "../../../../test/stores/s3-double.ts";
import { ObjectMissing, PartsRejected, StoreError, UploadMissing } from "../bucket.ts";
import { EgressPolicy } from "../egress.ts";
import { S3Bucket, type S3Settings } from "./bucket.ts";

const egress = new EgressPolicy({ allowPrivate: ["127.0.0.0/8"], ownAddresses: () => [] });
const secretAccessKey = "a secret that nobody may see";

function bucketAt(endpoint: string, further: Partial<S3Settings> = {}): S3Bucket {
  return new S3Bucket({
    endpoint,
    bucket: "b",
    signingRegion: "us-east-1",
    pathStyle: true,
    accessKeyId: "AKDOUBLE",
    secretAccessKey,
    egress,
    ...further,
  });
}

function bucketOn(store: S3Double, further: Partial<S3Settings> = {}): S3Bucket {
  const { endpoint, accessKeyId, secretAccessKey: secret } = store;
  return bucketAt(endpoint, { accessKeyId, secretAccessKey: secret, ...further });
}

/** A store that replies as the test says; `requests` counts. */
async function hostile(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  let requests = 0;
  const server = await answering((request, response) => {
    requests++;
    response.on("error", () => undefined);
    answer(request, response);
  });
  return {
    endpoint: server.origin,
    requests: () => requests,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

/** Every kind of call, and the StoreError that each ends with. */
async function codesOf(bucket: S3Bucket): Promise<string[]> {
  const upload = { key: "k", storeUpload: "u" };
  const calls: Record<string, () => Promise<unknown>> = {
    put: () => bucket.put("k", [Buffer.from("bytes")]),
    read: () => bucket.read("k", 0, 10),
    size: () => bucket.size("k"),
    delete: () => bucket.delete("k"),
    list: () => Array.fromAsync(bucket.list("")),
    startUpload: () => bucket.startUpload("k"),
    listParts: () => bucket.listParts(upload),
    complete: () => bucket.complete(upload, [{ number: 1, etag: "e" }]),
    abort: () => bucket.abort(upload),
    listUploads: () => Array.fromAsync(bucket.listUploads("")),
  };
  const codes = new Set<string>();
  for (const [name, call] of Object.entries(calls)) {
    const error = await call().then(
      () => undefined,
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof StoreError, `${name}: ${String(error)}`);
    assert.doesNotMatch(`${error.stack} ${String(error.cause)}`, /X-Amz|Signature=|secret|127\.0/);
    codes.add(error.code);
  }
  return [...codes].sort();
}

test("a store that never answers, or drips, is given up", async () => {
  await using silent = await hostile(() => undefined);
  await using silentBucket = bucketAt(silent.endpoint, { deadlineMs: 200 });
  assert.deepEqual(await codesOf(silentBucket), ["timeout"]);
  await using dripping = await hostile((_, response) => {
    response.writeHead(200, { "content-type": "application/xml" });
    const timer = setInterval(() => response.write(" "), 20);
    response.on("close", () => clearInterval(timer));
  });
  await using bucket = bucketAt(dripping.endpoint, { deadlineMs: 200 });
  await assert.rejects(bucket.startUpload("k"), { code: "timeout", transient: true });
  await assert.rejects(bucket.read("k", 0, 10), { code: "timeout" });
  await assert.rejects(Array.fromAsync(bucket.list("")), { code: "timeout" });
});

test("a reply without end does not fill the memory", async () => {
  const filler = Buffer.alloc(1024 * 1024, "<a>");
  let sentBytes = 0;
  await using endless = await hostile((_, response) => {
    response.writeHead(200, { "content-type": "application/xml" });
    const more = () => {
      while (!response.destroyed) {
        sentBytes += filler.length;
        if (!response.write(filler)) return;
      }
    };
    response.on("drain", more);
    more();
  });
  await using bucket = bucketAt(endless.endpoint, { attemptsMax: 1 });
  const expected = { code: "reply too large", transient: false };
  await assert.rejects(Array.fromAsync(bucket.list("")), expected);
  await assert.rejects(bucket.read("k", 0, 10), expected);
  assert.ok(sentBytes < 100 * 1024 * 1024, String(sentBytes));
});

/** Texts that took the SDK's parser seconds, or make it give up. */
const costly: Readonly<Record<string, string>> = {
  attributes: `<Error ${Array.from({ length: 1_000_000 }, (_, i) => `a${i}="b"`).join(" ")}/>`,
  entities: `<Error><Code>${"&lt;".repeat(3_975_000)}</Code></Error>`,
  text: "x".repeat(2_000_000),
  nesting: `${"<a>".repeat(300_000)}${"</a>".repeat(300_000)}`,
  "attributes below the bound": `<Error ${Array.from({ length: 5_000 }, (_, i) => `a${i}="b"`).join(" ")}/>`,
  "entities below the bound": `<Error><Code>${"&lt;".repeat(16_000)}</Code></Error>`,
  "document types": "<!DOCTYPE a>".repeat(5_000),
  "no XML": "<html><body><p>Access denied",
};

test("what costs much to read is refused unread, and not asked for again", async () => {
  let body = "";
  let status = 403;
  await using store = await hostile((_, response) => {
    response.writeHead(status, { "content-type": "application/xml" }).end(body);
  });
  await using bucket = bucketAt(store.endpoint);
  const upload = { key: "k", storeUpload: "u" };
  const calls = [
    () => bucket.startUpload("k"),
    () => Array.fromAsync(bucket.list("")),
    () => bucket.listParts(upload),
    () => bucket.complete(upload, [{ number: 1, etag: "e" }]),
    () => bucket.read("k", 0, 10),
  ];
  for ([, body] of Object.entries(costly)) {
    // Megabytes take long to send.
    for (const call of body.length < 1_000_000 ? calls : calls.slice(0, 2)) {
      const before = store.requests();
      await assert.rejects(call(), { code: "HTTP 403", transient: false });
      assert.equal(store.requests() - before, 1);
    }
  }
  status = 200;
  for (const what of ["attributes", "entities", "text"]) {
    body = costly[what].replaceAll("Error", "ListBucketResult");
    const list = Array.fromAsync(bucket.list(""));
    await assert.rejects(list, { code: "reply too large", transient: false }, what);
  }
  body = `<ListBucketResult>${"<Contents/>".repeat(4_001)}</ListBucketResult>`;
  await assert.rejects(Array.fromAsync(bucket.list("")), { code: "reply too large" });
});

test("an error and a completion as long as any may be are understood", async () => {
  let reply: [status: number, body: string] = [403, ""];
  await using store = await hostile((_, response) => response.writeHead(reply[0]).end(reply[1]));
  await using bucket = bucketAt(store.endpoint);
  const quoted = "0a ".repeat(10_000);
  const error = `<?xml version="1.0"?>\n<Error><Code>AccessDenied</Code><A>${quoted}</A><B>${quoted}</B></Error>`;
  reply = [403, error + " ".repeat(65_536 - error.length)];
  await assert.rejects(bucket.startUpload("k"), { code: "AccessDenied" });
  reply = [403, `${reply[1]} `];
  await assert.rejects(bucket.startUpload("k"), { code: "HTTP 403" });
  // Only XML written by our own reader reaches the SDK's.
  const type = "<!DOCTYPE a>";
  reply = [403, `${type}<Error><Code>AccessDenied</Code></Error>`];
  await assert.rejects(bucket.startUpload("k"), { code: "HTTP 403" });
  reply = [
    200,
    `${type}<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>`,
  ];
  await assert.rejects(bucket.startUpload("k"), { code: "invalid reply" });
  // White space while the store is at work, and an error that it found out about then.
  const waiting = '<?xml version="1.0"?>' + " ".repeat(60_000);
  const upload = { key: "k", storeUpload: "u" };
  const parts = [{ number: 1, etag: "e" }];
  const result = `<CompleteMultipartUploadResult xmlns='x'><Key>k</Key></CompleteMultipartUploadResult>`;
  reply = [200, waiting + result];
  assert.equal(await bucket.complete(upload, parts), null);
  reply = [200, `${waiting}<Error><Code>InvalidPart</Code></Error>\n`];
  await assert.rejects(bucket.complete(upload, parts), PartsRejected);
});

test("the longest lists that S3 gives are read", async () => {
  let body = "";
  await using store = await hostile((_, response) => response.end(body));
  await using bucket = bucketAt(store.endpoint);
  const name = (index: number) => `${index}/${"ü&".repeat(340)}`;
  const numbers = Array.from({ length: 1_000 }, (_, index) => index + 1);
  const details =
    "<LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>&quot;d41d8cd98f00b204e9800998ecf8427e&quot;</ETag>" +
    "<Size>7</Size><StorageClass>STANDARD</StorageClass><ChecksumType>FULL_OBJECT</ChecksumType>" +
    "<Owner><ID>abcdef</ID><DisplayName>abcdef</DisplayName></Owner>";
  const entries = (write: (index: number) => string) => numbers.map(write).join("");
  body = `<ListBucketResult xmlns="x"><EncodingType>url</EncodingType>${entries(
    (index) => `<Contents><Key>${encodeURIComponent(name(index))}</Key>${details}</Contents>`,
  )}</ListBucketResult>`;
  assert.ok(body.length > 3_000_000 && body.length < 4 * 1024 * 1024);
  assert.deepEqual(
    await Array.fromAsync(bucket.list("")),
    numbers.map((index) => ({
      key: name(index),
      sizeBytes: 7,
      modifiedMs: Date.parse("2026-01-01"),
    })),
  );
  const upload = { key: "k", storeUpload: "u" };
  body = `<ListPartsResult>${entries(
    (index) => `<Part><PartNumber>${index}</PartNumber>${details}</Part>`,
  )}</ListPartsResult>`;
  const parts = await bucket.listParts(upload);
  assert.equal(parts.length, 1_000);
  assert.deepEqual(parts.at(-1), {
    number: 1_000,
    sizeBytes: 7,
    etag: "d41d8cd98f00b204e9800998ecf8427e",
  });
  const plain = (index: number) => `${index}/${"&amp;".repeat(60)}${"ü".repeat(400)}`;
  body = `<ListMultipartUploadsResult>${entries(
    (index) =>
      `<Upload><Key>${plain(index)}</Key><UploadId>${index}</UploadId><Initiated>2026-01-01T00:00:00Z</Initiated></Upload>`,
  )}</ListMultipartUploadsResult>`;
  const uploads = await Array.fromAsync(bucket.listUploads(""));
  assert.equal(uploads.length, 1_000);
  assert.equal(uploads[0].key, plain(1).replaceAll("&amp;", "&"));
});

test("a list that is none, or says what cannot be, is an invalid reply", async () => {
  let body = "";
  await using store = await hostile((_, response) => response.end(body));
  await using bucket = bucketAt(store.endpoint, { attemptsMax: 1 });
  const page = (content: string) => `<ListBucketResult>${content}</ListBucketResult>`;
  for (body of [
    "",
    "<html/>",
    "<ListPartsResult/>",
    page("<Contents><Key>k</Key><Size>-1</Size></Contents>"),
    page("<Contents><Key>k</Key><LastModified>today</LastModified></Contents>"),
    page("<EncodingType>url</EncodingType><Contents><Key>%zz</Key></Contents>"),
  ])
    await assert.rejects(Array.fromAsync(bucket.list("")), { code: "invalid reply" }, body);
  body = "<Error><Code>NoSuchBucket</Code></Error>";
  await assert.rejects(Array.fromAsync(bucket.list("")), { code: "NoSuchBucket" });
});

test("a list that goes in a circle ends", async () => {
  const names = ["ListBucketResult", "ListPartsResult", "ListMultipartUploadsResult"];
  await using circle = await hostile((request, response) => {
    const name = names[/uploadId=/.test(request.url!) ? 1 : /uploads=/.test(request.url!) ? 2 : 0];
    response.end(
      `<${name}><IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>` +
        "<NextPartNumberMarker>1</NextPartNumberMarker><NextKeyMarker>k</NextKeyMarker>" +
        `</${name}>`,
    );
  });
  await using bucket = bucketAt(circle.endpoint);
  const expected = { code: "endless list", transient: false };
  await assert.rejects(Array.fromAsync(bucket.list("")), expected);
  await assert.rejects(bucket.listParts({ key: "k", storeUpload: "u" }), expected);
  await assert.rejects(Array.fromAsync(bucket.listUploads("")), expected);
});

test("no redirect is followed", async () => {
  await using target = await hostile((_, response) => response.end());
  for (const status of [301, 302, 307, 308]) {
    await using store = await hostile((_, response) => {
      response.writeHead(status, {
        location: `${target.endpoint}/latest/meta-data`,
        "x-amz-bucket-region": "eu-west-1",
      });
      response.end("<Error><Code>PermanentRedirect</Code><Endpoint>x</Endpoint></Error>");
    });
    await using bucket = bucketAt(store.endpoint);
    assert.ok((await codesOf(bucket)).every((code) => /^PermanentRedirect$|^HTTP 30/.test(code)));
  }
  assert.equal(target.requests(), 0);
});

test("what a store says is not repeated, only its code", async () => {
  for (const [code, shown] of [
    ["AccessDenied", "AccessDenied"],
    ["<b>bold</b>", "HTTP 403"],
    [`a secret&#10;line`, "HTTP 403"],
    ["x".repeat(1000), "HTTP 403"],
  ]) {
    await using store = await hostile((_, response) => {
      response.writeHead(403).end(`<Error><Code>${code}</Code><Message>secret X-Amz-Signature=1
        </Message><StringToSign>secret</StringToSign></Error>`);
    });
    await using bucket = bucketAt(store.endpoint);
    const codes = await codesOf(bucket);
    assert.deepEqual(
      [...new Set([...codes, "HTTP 403"])].sort(),
      [...new Set([shown, "HTTP 403"])].sort(),
    );
  }
});

test("what is no S3 is an invalid reply, and never a success", async () => {
  for (const body of [
    "",
    "hello",
    "<html><body>It works</body></html>",
    "<?xml version='1.0'?>",
    "{}",
  ]) {
    await using web = await hostile((_, response) => response.end(body));
    await using bucket = bucketAt(web.endpoint, { attemptsMax: 1 });
    await assert.rejects(bucket.startUpload("k"), StoreError, body);
    await assert.rejects(bucket.read("k", 0, 3), StoreError, body);
    await assert.rejects(
      bucket.complete({ key: "k", storeUpload: "u" }, [{ number: 1, etag: "e" }]),
      StoreError,
      body,
    );
  }
});

test("bytes that are no HTTP, and nobody there", async () => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket.on("error", () => undefined));
    socket.end("SSH-2.0-OpenSSH_9.9\r\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await using bucket = bucketAt(endpoint, { attemptsMax: 1 });
  assert.deepEqual(await codesOf(bucket), ["invalid reply"]);
  for (const socket of sockets) socket.destroy();
  await server[Symbol.asyncDispose]();
  assert.deepEqual(await codesOf(bucket), ["refused"]);
});

test("an endpoint that may not be connected to is not", async () => {
  await using store = await hostile((_, response) => response.end());
  const none = new EgressPolicy({ allowPrivate: [], ownAddresses: () => [] });
  await using bucket = bucketAt(store.endpoint, { egress: none });
  assert.deepEqual(await codesOf(bucket), ["forbidden address"]);
  assert.equal(store.requests(), 0);
});

test("a bucket that is gone is no missing object", async () => {
  await using store = await S3Double.start();
  await using bucket = bucketOn(store, { bucket: "other" });
  assert.deepEqual(await codesOf(bucket), ["NoSuchBucket"]);
});

test("calls are repeated while the store has trouble, and end well", async () => {
  const kinds: FaultKind[] = [
    "slowDown",
    "internalError",
    "lostReply",
    "lostRequest",
    "truncatedXml",
  ];
  for (const fault of kinds) {
    await using store = await S3Double.start();
    await using bucket = bucketOn(store);
    store.faults.add({ fault, times: 1 });
    const storeUpload = await bucket.startUpload("k");
    const upload = { key: "k", storeUpload };
    const { addresses } = await bucket.signParts([{ ...upload, number: 1, sizeBytes: 5 }], 60_000);
    const { url, headers } = addresses[0];
    const reply = await fetch(url, { method: "PUT", headers, body: "bytes" });
    store.faults.add({ fault, times: 1 });
    assert.equal((await bucket.listParts(upload)).length, 1, fault);
    store.faults.add({ fault, times: 1 });
    await bucket.complete(upload, [{ number: 1, etag: reply.headers.get("etag")! }]);
    store.faults.add({ fault, times: 1 });
    assert.deepEqual(Buffer.from(await bucket.read("k", 0, 5)).toString(), "bytes", fault);
    store.faults.add({ fault, times: 1 });
    await bucket.delete("k");
    await assert.rejects(bucket.size("k"), ObjectMissing);
  }
});

test("a complete that was done although the store said otherwise", async () => {
  for (const fault of ["doneButErrorInBody", "doneButInternalError", "lostReply"] as const) {
    for (const dialect of ["aws", "minio"] as const) {
      await using store = await S3Double.start({ dialect });
      await using bucket = bucketOn(store);
      const upload = { key: "k", storeUpload: await bucket.startUpload("k") };
      const { addresses } = await bucket.signParts(
        [{ ...upload, number: 1, sizeBytes: 5 }],
        60_000,
      );
      const sent = await fetch(addresses[0].url, { method: "PUT", body: "bytes" });
      store.faults.add({ fault, operation: "CompleteMultipartUpload", times: 1 });
      const done = bucket.complete(upload, [{ number: 1, etag: sent.headers.get("etag")! }]);
      if (dialect === "aws") await done;
      else await assert.rejects(done, UploadMissing);
      assert.equal(await bucket.size("k"), 5);
    }
  }
});

test("damaged reads are failures, not bytes", async () => {
  await using store = await S3Double.start();
  await using bucket = bucketOn(store, { attemptsMax: 1 });
  await bucket.put("k", [Buffer.alloc(100_000, "x")]);
  store.faults.add({ fault: "cutReply", operation: "GetObject", times: 1 });
  await assert.rejects(bucket.read("k", 0, 100_000), { code: "connection lost", transient: true });
  assert.equal((await bucket.read("k", 0, 100_000)).byteLength, 100_000);
});

test("ETags that no store gives never reach it", async () => {
  await using store = await S3Double.start();
  await using bucket = bucketOn(store);
  const upload = { key: "k", storeUpload: await bucket.startUpload("k") };
  const before = store.requests.length;
  for (const etag of ["", '""', "a b", "a<b", 'a"b', "ä", "x".repeat(300)])
    await assert.rejects(bucket.complete(upload, [{ number: 1, etag }]), PartsRejected, etag);
  assert.equal(store.requests.length, before);
});
