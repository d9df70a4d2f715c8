import assert from "node:assert/strict";
import { test } from "node:test";
import { AzureBlobs } from "./bench.fixture.ts";
import { ObjectMissing, StoreError, UploadMissing } from "../../../buckets/bucket.ts";
import { blockId } from "../../../buckets/azure/block.ts";
import { assertSame, content } from "../../../buckets/conformance.fixture.ts";
import { artifactBucketConformance } from "../../../buckets/artifact-buckets.fixture.ts";
import {
  addressesOf,
  begin,
  key,
  lifetimeMs,
  put,
  sendPart,
} from "../../../buckets/artifact-client.fixture.ts";
import { sendTo } from "../../../buckets/requests.fixture.ts";

artifactBucketConformance("azure, double", () => AzureBlobs.open(), {
  blocks: true,
  pageSize: 100,
});

test("azure: what replaces a blob after its commit is never read", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  const upload = await begin(bucket);
  const [address] = await addressesOf(bucket, upload, [{ number: 1, sizeBytes: 10 }]);
  await put(address, content(10));
  const storeVersion = await bucket.complete(upload, [{ number: 1, etag: "" }]);
  assert.ok(storeVersion !== null);
  assert.deepEqual(await bucket.inspect(key), { sizeBytes: 10, storeVersion });
  // A client with the address of a part may put the whole blob, by blocks or at once.
  const other = content(30).subarray(20);
  const whole = address.url.replace(/comp=block&blockid=[^&]*&/, "");
  const replaced = await sendTo(whole, "PUT", { "x-ms-blob-type": "BlockBlob" }, other);
  assert.equal(replaced.status, 201);
  await put(address, other);
  const id = blockId({ ...upload, number: 1 });
  const listed = await sendTo(
    whole.replace("?", "?comp=blocklist&"),
    "PUT",
    {},
    Buffer.from(`<BlockList><Latest>${id}</Latest></BlockList>`),
  );
  assert.equal(listed.status, 201);
  assertSame(await bucket.read(key, 0, 10), other);
  assertSame(await bucket.read(key, 0, 10, storeVersion), content(10));
  const { addresses } = await bucket.signReads([{ key, storeVersion }, { key }], lifetimeMs);
  const [committed, current] = addresses as [string, string];
  assertSame((await sendTo(committed, "GET")).body, content(10));
  const range = await sendTo(committed, "GET", { range: "bytes=3-5" });
  assert.equal(range.status, 206);
  assertSame(range.body, content(6).subarray(3));
  assertSame((await sendTo(current, "GET")).body, other);
  // An address of one version is good for no other one.
  const newest = (await bucket.inspect(key)).storeVersion!;
  for (const altered of [
    committed.replace(encodeURIComponent(storeVersion), encodeURIComponent(newest)),
    committed.replace(/versionid=[^&]*&/, ""),
    current.replace("?", `?versionid=${encodeURIComponent(storeVersion)}&`),
  ])
    assert.equal((await sendTo(altered, "GET")).status, 403, altered);
  await bucket.delete(key);
  assert.deepEqual(opened.versionsOf(key), []);
  assert.equal((await sendTo(committed, "GET")).status, 404);
});

test("azure: a lease or a snapshot by a part's address stops no complete, abort or delete", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  const lease = async ({ url }: { url: string }): Promise<void> => {
    const leased = url.replace(/comp=block&blockid=[^&]*/, "comp=lease");
    const headers = { "x-ms-lease-action": "acquire", "x-ms-lease-duration": "-1" };
    assert.equal((await sendTo(leased, "PUT", headers, new Uint8Array(0))).status, 201);
  };
  for (const end of ["complete", "abort"] as const) {
    const upload = await begin(bucket, `leased/${end}`);
    const [address] = await addressesOf(bucket, upload, [{ number: 1, sizeBytes: 10 }]);
    await put(address, content(10));
    await lease(address);
    assert.equal((await sendTo(address.url, "PUT", {}, content(10))).status, 412);
    if (end === "abort") await bucket.abort(upload);
    else {
      assert.ok(await bucket.complete(upload, [{ number: 1, etag: "" }]));
      await lease(address);
      const snapshot = address.url.replace(/comp=block&blockid=[^&]*/, "comp=snapshot");
      assert.equal((await sendTo(snapshot, "PUT", {}, new Uint8Array(0))).status, 201);
      assertSame(await bucket.read(upload.key, 0, 10), content(10));
      await bucket.delete(upload.key);
    }
    assert.deepEqual(opened.versionsOf(upload.key), [], end);
  }
});

test("azure: an upload with more blocks than ours can have is found and ended", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  const upload = await begin(bucket);
  await sendPart(bucket, upload, 1, content(10));
  const { waiting } = opened.account.blobs.container(opened.created.bucket).get(key)!;
  for (let number = 0; number < 30_000; number++)
    waiting.set(Buffer.from(String(number).padStart(39, "x")).toString("base64"), Buffer.alloc(1));
  const tooMany = (error: unknown) =>
    error instanceof StoreError && error.code === "reply too large";
  await assert.rejects(bucket.complete(upload, [{ number: 1, etag: "" }]), tooMany);
  const [found, ...others] = await Array.fromAsync(bucket.listUploads(""));
  assert.deepEqual([found?.key, others], [key, []]);
  await bucket.abort(found);
  assert.deepEqual(await Array.fromAsync(bucket.listUploads("")), []);
  await assert.rejects(bucket.listParts(upload), UploadMissing);
});

test("azure: an address of a part never reads, lists, deletes or reaches another key", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  const upload = await begin(bucket);
  const [address] = await addressesOf(bucket, upload, [{ number: 1, sizeBytes: 10 }]);
  await put(address, content(10));
  const { url } = address;
  const whole = url.replace(/comp=block&blockid=[^&]*&/, "");
  const container = url.replace(`/${key}?`, "?").replace(/comp=block&blockid=[^&]*&/, "");
  for (const [method, altered] of [
    ["GET", whole],
    ["GET", whole.replace("?", "?comp=blocklist&")],
    ["DELETE", whole],
    ["GET", container.replace("?", "?restype=container&comp=list&")],
    ["PUT", url.replace("sp=w", "sp=rw")],
    ["PUT", url.replace("sr=b&", "sr=c&")],
    ["PUT", url.replace(/sv=[^&]*/, "sv=2018-11-09")],
    ["PUT", url.replace(/ske=20\d\d/, "ske=2099")],
  ] as const) {
    assert.notEqual(`${method} ${altered}`, `PUT ${url}`);
    const { status } = await sendTo(altered, method, {}, content(10));
    assert.equal(status, 403, `${method} ${altered}`);
  }
});

test("azure: blocks and blobs under strange names do not become uploads", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  const upload = await begin(bucket);
  const [address] = await addressesOf(bucket, upload, [{ number: 1, sizeBytes: 10 }]);
  const strange = Buffer.alloc(39, 7).toString("base64");
  const url = address.url.replace(/blockid=[^&]*/, `blockid=${encodeURIComponent(strange)}`);
  assert.equal((await sendTo(url, "PUT", {}, content(3))).status, 201);
  assert.deepEqual(await bucket.listParts(upload), []);
  const part = await sendPart(bucket, upload, 1, content(10));
  await bucket.complete(upload, [part]);
  assert.equal(await bucket.size(key), 10);
  // A client with an address may forge a marker too: ending that upload leaves the completed one.
  const forged = { key, storeUpload: upload.storeUpload.replace(/.$/, "0") };
  const marker = encodeURIComponent(blockId({ ...forged, number: 0 }));
  await sendTo(address.url.replace(/blockid=[^&]*/, `blockid=${marker}`), "PUT", {}, content(1));
  await bucket.abort(forged);
  await assert.rejects(bucket.complete(upload, [part]), UploadMissing);
  assertSame(await bucket.read(key, 0, 10), content(10));
});

test("azure: of a completion and an abort at once, one counts", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  for (let round = 0; round < 20; round++) {
    const upload = await begin(bucket, `race/${round}`);
    const [address] = await addressesOf(bucket, upload, [{ number: 1, sizeBytes: 10 }]);
    await put(address, content(10));
    const [completed] = await Promise.all([
      bucket.complete(upload, [{ number: 1, etag: "" }]).catch((error: unknown) => {
        assert.ok(error instanceof UploadMissing, String(error));
      }),
      bucket.abort(upload),
      // A late block changes nothing, whenever it comes.
      put(address, content(20).subarray(10)),
    ]);
    const states = opened.versionsOf(upload.key);
    assert.deepEqual(states, typeof completed === "string" ? [completed] : []);
    await assert.rejects(bucket.listParts(upload), UploadMissing);
  }
});

test("azure: aborting leaves neither a blob nor a version", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  const upload = await begin(bucket);
  await sendPart(bucket, upload, 1, content(10));
  await bucket.abort(upload);
  assert.deepEqual(opened.versionsOf(key), []);
  await assert.rejects(bucket.size(key), ObjectMissing);
});

test("azure: a blob without a version is an error that says what to do", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  const upload = await begin(bucket);
  const part = await sendPart(bucket, upload, 1, content(10));
  opened.account.blobs.isVersioning = false;
  const withAdvice = (error: unknown) =>
    error instanceof StoreError && /versioning/.test(error.advice ?? "") && !error.transient;
  await assert.rejects(bucket.complete(upload, [part]), withAdvice);
  await assert.rejects(bucket.inspect(key), withAdvice);
});

test("azure: a role that is missing, and a container that is gone", async () => {
  await using opened = await AzureBlobs.open();
  const { bucket } = opened;
  opened.application.roles = ["Storage Blob Data Contributor"];
  await bucket.put("a", [content(1)]);
  const refused = (code: string) => (error: unknown) =>
    error instanceof StoreError &&
    error.code === code &&
    !error.transient &&
    error.advice !== undefined;
  // A Contributor may not delete versions: that is why the setup script makes an Owner.
  await assert.rejects(bucket.delete("a"), refused("AuthorizationPermissionMismatch"));
  opened.application.roles = ["Storage Blob Data Owner"];
  opened.account.blobs.containers.clear();
  await assert.rejects(bucket.size("a"), refused("ContainerNotFound"));
  await assert.rejects(bucket.startUpload("a"), refused("ContainerNotFound"));
});
