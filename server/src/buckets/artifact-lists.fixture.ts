import assert from "node:assert/strict";
import { setTimeout as sleep } from "node:timers/promises";
import { inParallel } from "../ground/in-parallel.ts";
import { UploadMissing, type StoreUpload } from "./bucket.ts";
import { checkIn, content, keys } from "./conformance.fixture.ts";
import {
  addressesOf,
  begin,
  put,
  uploadsOf,
  type OpenArtifacts,
} from "./artifact-client.fixture.ts";
import { sendTo } from "./requests.fixture.ts";

/** The part of the suite that takes seconds: lists of several pages. */
export function lists(
  name: string,
  open: OpenArtifacts,
  { blocks, pageSize }: { blocks: boolean; pageSize: number },
): void {
  const check = checkIn(name, open);

  check("more parts than a page holds are all listed", async (bucket) => {
    const count = Math.min(pageSize + 1, bucket.limits.partsMax);
    const upload = await begin(bucket);
    const parts = Array.from({ length: count }, (_, at) => ({
      number: at + 1,
      sizeBytes: 1 + (at % 3),
    }));
    const addresses = await addressesOf(bucket, upload, parts);
    await inParallel(16, addresses.entries(), async ([at, address]) => {
      await put(address, content(1 + (at % 3)));
    });
    const listed = await bucket.listParts(upload);
    const found = listed.map(({ number, sizeBytes }) => ({ number, sizeBytes }));
    assert.deepEqual(
      found.sort((a, b) => a.number - b.number),
      parts,
    );
    await bucket.abort(upload);
    await assert.rejects(bucket.listParts(upload), UploadMissing);
  });

  check("more objects and uploads than a page holds are all listed", async (bucket) => {
    const before = Date.now();
    const files = Array.from({ length: pageSize + 1 }, (_, at) => `long/upload-${at % 7}/${at}`);
    await inParallel(16, files.entries(), ([at, file]) => bucket.put(file, [content(at % 5)]));
    const uploads: StoreUpload[] = [];
    const begun = blocks
      ? files.map((file) => `${file}.upload`)
      : [...files.slice(2), files[7], files[7]];
    await inParallel(16, begun, async (file) => {
      uploads.push(await begin(bucket, file));
    });
    assert.deepEqual(await keys(bucket, "long/"), files.sort());
    const found = await Array.fromAsync(bucket.listUploads("long/"));
    const named = (all: StoreUpload[]) => all.map((one) => `${one.key} ${one.storeUpload}`).sort();
    assert.deepEqual(named(found), named(uploads));
    for (const { startedMs } of found)
      assert.ok(startedMs > before - 60_000 && startedMs < Date.now() + 60_000);
    assert.deepEqual(await uploadsOf(bucket, "long/upload-1/1"), keysStarting("long/upload-1/1"));
    assert.deepEqual(await uploadsOf(bucket, "short/"), []);
    function keysStarting(prefix: string): string[] {
      return uploads
        .map((one) => one.key)
        .filter((one) => one.startsWith(prefix))
        .sort();
    }
  });
}

/** Addresses that end, with a pause. */
export function expiry(name: string, open: OpenArtifacts): void {
  const check = checkIn(name, open);

  check("addresses end", async (bucket) => {
    const upload = await begin(bucket);
    const signed = await bucket.signParts([{ ...upload, number: 1, sizeBytes: 10 }], 1_000);
    await bucket.put("organization/upload/2", [content(10)]);
    const reads = await bucket.signReads([{ key: "organization/upload/2" }], 1_000);
    assert.ok(signed.expiresAtMs <= Date.now() + 1_000);
    await sleep(2_100);
    const { url, headers } = signed.addresses[0];
    const { status } = await sendTo(url, "PUT", headers, content(10));
    assert.ok(status === 403 || status === 400, String(status));
    const read = await sendTo(reads.addresses[0], "GET");
    assert.ok(read.status === 403 || read.status === 400, String(read.status));
    assert.deepEqual(await bucket.listParts(upload), []);
  });
}
