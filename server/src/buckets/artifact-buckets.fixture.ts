import assert from "node:assert/strict";
import { ObjectExists, ObjectMissing, PartsRejected, StoreError, UploadMissing } from "./bucket.ts";
import {
  assertSame,
  bucketConformance,
  checkIn,
  content,
  keys,
  unsoundKeys,
} from "./conformance.fixture.ts";
import { attachmentOf } from "../ground/attachment.ts";
import {
  addressesOf,
  begin,
  etagOf,
  key,
  lifetimeMs,
  put,
  readableKeys,
  sendPart,
  uploadsOf,
  type OpenArtifacts,
} from "./artifact-client.fixture.ts";
import { expiry, lists } from "./artifact-lists.fixture.ts";
import { sendTo } from "./requests.fixture.ts";

export interface ArtifactConformanceOptions {
  /** Skips slow tests: lists of several pages and addresses that expire. */
  brief?: boolean;
  /**
   * Effect of a part sent after the upload was completed. Swift takes it, and the object cannot be
   * read until the right bytes are sent; other bytes are never read.
   */
  lateParts?: "refused" | "break";
  /**
   * Azure: parts are blocks, which have no ETag and wait at their key. An address is valid for any
   * body put under the key; parts sent after the end are accepted and forgotten; a key is used for
   * one upload.
   */
  blocks?: boolean;
  /** The entries of one page of the store's lists. */
  pageSize?: number;
}

/** Tests of every bucket that clients fill, as a client sees it: addresses go over real HTTP. */
export function artifactBucketConformance(
  name: string,
  open: OpenArtifacts,
  options: ArtifactConformanceOptions = {},
): void {
  const { brief = false, lateParts = "refused", blocks = false, pageSize = 1_000 } = options;
  bucketConformance(name, open);
  wholeUploads(name, open);
  repeatedParts(name, open);
  refusedAddresses(name, open, blocks);
  endedUploads(name, open, blocks ? "forgotten" : lateParts);
  rejectedParts(name, open, blocks);
  keysOfPeople(name, open);
  if (brief) return;
  lists(name, open, { blocks, pageSize });
  expiry(name, open);
}

function wholeUploads(name: string, open: OpenArtifacts): void {
  const check = checkIn(name, open);

  check("a file in parts is there whole when it is complete, and not before", async (bucket) => {
    const upload = await begin(bucket);
    const size = Math.max(bucket.limits.partBytesMin, 100_000);
    const whole = content(size + 1);
    // The last part first, and the parts handed over out of order.
    const last = await sendPart(bucket, upload, 2, whole.subarray(size));
    const first = await sendPart(bucket, upload, 1, whole.subarray(0, size));
    await assert.rejects(bucket.size(key), ObjectMissing);
    await assert.rejects(bucket.read(key, 0, 1), ObjectMissing);
    assert.deepEqual(await keys(bucket, ""), []);
    await bucket.complete(upload, [last, first]);
    assert.equal(await bucket.size(key), size + 1);
    assertSame(await bucket.read(key, size - 1, 2), whole.subarray(size - 1));
    assert.deepEqual(await keys(bucket, ""), [key]);
    const signedAfterMs = Date.now();
    const fileName = "größe 1.bin";
    const named = [{ key }, { key, fileName }];
    const { addresses, expiresAtMs } = await bucket.signReads(named, lifetimeMs);
    assert.ok(expiresAtMs > signedAfterMs + lifetimeMs - 10_000);
    assert.ok(expiresAtMs < Date.now() + lifetimeMs + 10_000);
    assert.equal(addresses.length, 2);
    const read = await sendTo(addresses[0], "GET");
    assert.equal(read.status, 200);
    assertSame(read.body, whole);
    const range = await sendTo(addresses[1], "GET", { range: `bytes=${size - 1}-${size}` });
    assert.equal(range.status, 206);
    assertSame(range.body, whole.subarray(size - 1));
    // Whatever the key is, it is saved under the name.
    assert.equal(range.headers["content-disposition"], attachmentOf(fileName));
    await assert.rejects(bucket.put(key, [content(1)]), ObjectExists);
  });

  check("an empty file is one empty part", async (bucket) => {
    const upload = await begin(bucket);
    await bucket.complete(upload, [await sendPart(bucket, upload, 1, content(0))]);
    assert.equal(await bucket.size(key), 0);
    const { addresses } = await bucket.signReads([{ key }], lifetimeMs);
    const reply = await sendTo(addresses[0], "GET");
    assert.deepEqual([reply.status, reply.body.byteLength], [200, 0]);
  });
}

function repeatedParts(name: string, open: OpenArtifacts): void {
  const check = checkIn(name, open);

  check(
    "a part may be sent again, by the same address too: the last one counts",
    async (bucket) => {
      const upload = await begin(bucket);
      const [address] = await addressesOf(bucket, upload, [{ number: 1, sizeBytes: 100 }]);
      await put(address, content(100));
      const other = content(200).subarray(100);
      const reply = await put(address, other);
      assert.deepEqual(
        (await bucket.listParts(upload)).map(({ number, sizeBytes }) => ({ number, sizeBytes })),
        [{ number: 1, sizeBytes: 100 }],
      );
      await bucket.complete(upload, [{ number: 1, etag: etagOf(reply) }]);
      assertSame(await bucket.read(key, 0, 100), other);
    },
  );

  check("ETags count with and without quotes", async (bucket) => {
    for (const [index, form] of [
      (etag: string) => etag,
      (etag: string) => `"${etag}"`,
      (etag: string) => `W/"${etag}"`,
    ].entries()) {
      const upload = await begin(bucket, `quotes/upload/${index}`);
      const { number, etag } = await sendPart(bucket, upload, 1, content(9));
      const [stored] = await bucket.listParts(upload);
      assert.deepEqual(stored, { number, sizeBytes: 9, etag: etag.replaceAll('"', "") });
      await bucket.complete(upload, [{ number, etag: form(stored.etag) }]);
    }
  });

  check("many uploads under one prefix at the same time", async (bucket) => {
    const files = Array.from({ length: 40 }, (_, index) => `many/upload/${index}`);
    const uploads = await Promise.all(files.map((file) => begin(bucket, file)));
    assert.equal(new Set(uploads.map(({ storeUpload }) => storeUpload)).size, 40);
    const work = uploads.map(async (upload, index) => {
      await bucket.complete(upload, [await sendPart(bucket, upload, 1, content(index))]);
    });
    await Promise.all(work);
    for await (const found of bucket.list("many/"))
      assert.equal(found.sizeBytes, files.indexOf(found.key));
    assert.deepEqual(await keys(bucket, "many/upload/"), files.sort());
  });
}

function refusedAddresses(name: string, open: OpenArtifacts, blocks: boolean): void {
  const check = checkIn(name, open);

  check("an address of a part is good for that part alone", async (bucket) => {
    const upload = await begin(bucket);
    const other = await begin(bucket, "organization/upload/2");
    const body = content(10);
    const parts = [{ number: 1, sizeBytes: 10 }];
    const [{ url, headers }] = await addressesOf(bucket, upload, parts);
    const refused = async (what: string, altered: string, method = "PUT", sent = body) => {
      assert.ok(altered !== url || method !== "PUT" || sent !== body, what);
      const own = { ...headers, "content-length": String(sent.byteLength) };
      const { status } = await sendTo(altered, method, own, sent);
      assert.ok(status >= 400 && status < 500, `${what}: ${status}`);
    };
    if (!blocks) {
      await refused("a longer body", url, "PUT", content(11));
      await refused("a shorter body", url, "PUT", content(9));
      await refused("another part", url.replace(/(part\w*=)1/i, "$12"));
      const [ours, theirs] = [upload, other].map((one) => encodeURIComponent(one.storeUpload));
      await refused("another upload", url.replace(ours, theirs));
    }
    await refused("another key", url.replace("upload/1?", "upload/2?"));
    await refused("reading", url, "GET");
    await refused("deleting", url, "DELETE");
    await refused("posting", url, "POST");
    await refused("no signature", url.replace(signature, ""));
    await refused("another signature", otherSignature(url));
    await refused("a longer life", url.replace(/((?:expires|&se)=\d+)/i, "$10"));
    assert.deepEqual(await bucket.listParts(upload), []);
    assert.deepEqual(await bucket.listParts(other), []);
    await put({ url, headers }, body);
  });

  check("an address of an object is good for reading that object alone", async (bucket) => {
    await bucket.put(key, [content(10)]);
    await bucket.put("organization/upload/2", [content(20)]);
    const { addresses } = await bucket.signReads([{ key }], lifetimeMs);
    const [url] = addresses as [string];
    for (const [altered, method] of [
      [url.replace("upload/1?", "upload/2?"), "GET"],
      [url, "PUT"],
      [url, "DELETE"],
      [url, "POST"],
      [url.replace(signature, ""), "GET"],
      [otherSignature(url), "GET"],
    ] as const) {
      const body = method === "PUT" || method === "POST" ? content(3) : undefined;
      const { status } = await sendTo(altered, method, {}, body);
      assert.ok(status >= 400, `${method} ${altered}: ${status}`);
    }
    assertSame((await sendTo(url, "GET")).body, content(10));
    assert.deepEqual((await keys(bucket, "")).length, 2);
  });
}

const signature = /&(?:[\w-]*signature|sig)=[\w%-]+/i;
/** Four of its digits are others, whatever they were. */
const otherSignature = (url: string): string =>
  url.replace(
    /(&(?:[\w-]*signature|sig)=[\w%-]{8})([\w%-]{4})/i,
    (_all, before: string, digits: string) => before + (digits === "0000" ? "1111" : "0000"),
  );

function endedUploads(
  name: string,
  open: OpenArtifacts,
  lateParts: "refused" | "break" | "forgotten",
): void {
  const check = checkIn(name, open);

  check("an address cannot change an object that is complete", async (bucket) => {
    const upload = await begin(bucket);
    const [address] = await addressesOf(bucket, upload, [{ number: 1, sizeBytes: 10 }]);
    const reply = await put(address, content(10));
    await bucket.complete(upload, [{ number: 1, etag: etagOf(reply) }]);
    const again = await sendTo(address.url, "PUT", address.headers, content(20).subarray(10));
    if (lateParts === "break") {
      await assert.rejects(bucket.read(key, 0, 10), StoreError);
      await put(address, content(10));
    } else {
      assertLate(again.status);
      await assert.rejects(bucket.listParts(upload), UploadMissing);
    }
    assertSame(await bucket.read(key, 0, 10), content(10));
    assert.deepEqual(await uploadsOf(bucket, ""), []);
  });

  check("completing twice is no harm: it works again, or the upload is gone", async (bucket) => {
    const upload = await begin(bucket);
    const part = await sendPart(bucket, upload, 1, content(10));
    await bucket.complete(upload, [part]);
    await bucket.complete(upload, [part]).catch((error: unknown) => {
      assert.ok(error instanceof UploadMissing, String(error));
    });
    assert.equal(await bucket.size(key), 10);
    assertSame(await bucket.read(key, 0, 10), content(10));
    await bucket.abort(upload);
    assertSame(await bucket.read(key, 0, 10), content(10));
  });

  check("after an abort nothing is left, and nothing can be sent", async (bucket) => {
    const upload = await begin(bucket);
    const parts = [1, 2].map((number) => ({ number, sizeBytes: 10 }));
    const [first, second] = await addressesOf(bucket, upload, parts);
    const sent = await put(first, content(10));
    await bucket.abort(upload);
    await bucket.abort(upload);
    const { status } = await sendTo(second.url, "PUT", second.headers, content(10));
    assertLate(status);
    await assert.rejects(bucket.listParts(upload), UploadMissing);
    const complete = bucket.complete(upload, [{ number: 1, etag: etagOf(sent) }]);
    await assert.rejects(complete, UploadMissing);
    await assert.rejects(bucket.size(key), ObjectMissing);
    assert.deepEqual(await uploadsOf(bucket, ""), []);
    assert.deepEqual(await keys(bucket, ""), []);
  });

  function assertLate(status: number): void {
    const isRefused = status >= 400 && status < 500;
    assert.ok(lateParts === "forgotten" ? status === 201 : isRefused, String(status));
  }
}

function rejectedParts(name: string, open: OpenArtifacts, blocks: boolean): void {
  const check = checkIn(name, open);

  check(
    "parts that the store does not hold are rejected, and can be sent again",
    async (bucket) => {
      const upload = await begin(bucket);
      const size = bucket.limits.partBytesMin;
      const first = await sendPart(bucket, upload, 1, content(size));
      const second = await sendPart(bucket, upload, 2, content(7));
      const wrongEtags = [
        [first, { number: 2, etag: '"d41d8cd98f00b204e9800998ecf8427e"' }],
        [first, { ...second, etag: "" }],
        [first, { ...second, etag: "<Part/>" }],
        [{ ...second, number: 1 }, second],
      ];
      for (const parts of [
        [],
        [first, second, { ...second, number: 3 }],
        ...(blocks ? [] : wrongEtags),
      ])
        await assert.rejects(bucket.complete(upload, parts), PartsRejected, JSON.stringify(parts));
      await assert.rejects(bucket.size(key), ObjectMissing);
      await bucket.complete(upload, [first, second]);
      assert.equal(await bucket.size(key), size + 7);
    },
  );

  check("a small part that is not the last is rejected", async (bucket) => {
    const size = bucket.limits.partBytesMin - 1;
    if (size <= 0) return;
    const upload = await begin(bucket);
    const first = await sendPart(bucket, upload, 1, content(size));
    const second = await sendPart(bucket, upload, 2, content(1));
    await assert.rejects(bucket.complete(upload, [first, second]), PartsRejected);
  });
}

function keysOfPeople(name: string, open: OpenArtifacts): void {
  const check = checkIn(name, open);

  check("any name is a key, where keys are readable", async (bucket) => {
    if (!bucket.readableKeys) return;
    for (const file of readableKeys) {
      const upload = await begin(bucket, file);
      assert.deepEqual(await uploadsOf(bucket, file), [file], file);
      await bucket.complete(upload, [await sendPart(bucket, upload, 1, content(file.length))]);
      const { addresses } = await bucket.signReads([{ key: file }], lifetimeMs);
      assertSame((await sendTo(addresses[0], "GET")).body, content(file.length));
      assert.equal(await bucket.size(file), file.length, file);
      assert.deepEqual(await keys(bucket, file), [file]);
    }
    assert.deepEqual(await keys(bucket, ""), [...readableKeys].sort());
    for (const file of readableKeys) {
      await bucket.delete(file);
      await bucket.put(file, [content(3)]);
      assertSame(await bucket.read(file, 1, 2), content(3).subarray(1));
    }
    assert.deepEqual(await keys(bucket, ""), [...readableKeys].sort());
  });

  check("no key leaves its place", async (bucket) => {
    for (const unsound of unsoundKeys) {
      const upload = { key: unsound, storeUpload: "u" };
      await assert.rejects(bucket.put(unsound, []), /BUG/, unsound);
      await assert.rejects(bucket.startUpload(unsound), /BUG/, unsound);
      await assert.rejects(bucket.listParts(upload), /BUG/, unsound);
      await assert.rejects(bucket.complete(upload, [{ number: 1, etag: "e" }]), /BUG/, unsound);
      await assert.rejects(bucket.abort(upload), /BUG/, unsound);
      await assert.rejects(bucket.delete(unsound), /BUG/, unsound);
    }
  });
}
