import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { call, type JsonObject, ok, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import type { S3Double } from "../../stores/s3-double.ts";
import { locationBody, OrganizationSetup, startStore } from "../organization-setup.ts";
import { signIn } from "../people.ts";
import { type System, topic } from "../topic.ts";
import { MlflowCaller } from "./mlflow-calls.ts";
import { RunFiles } from "./run-files.ts";

const mebibyte = 1_048_576;
const hash = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");

function define(system: System): void {
  let store: S3Double;
  let caller: MlflowCaller;
  let ada: OrganizationSetup;
  before(async () => {
    store = await startStore();
    ada = new OrganizationSetup(system, await signIn(system, "ada"));
    await ada.add(locationBody(store, { path: "of/acme", fallback: true }));
    caller = new MlflowCaller(system, organizations.acme.key);
  });
  after(() => store[Symbol.asyncDispose]());
  const newRun = async () => new RunFiles(caller, await caller.run());

  /** The bytes for a client that follows the redirect, without its key. */
  async function followed(run: RunFiles, path: string): Promise<Buffer> {
    const reply = await run.at(path);
    assert.equal(reply.status, 307, reply.text);
    const found = await fetch(String(reply.headers.location));
    assert.equal(found.status, 200);
    assert.match(found.headers.get("content-disposition")!, /^attachment; filename=/);
    return Buffer.from(await found.arrayBuffer());
  }

  test("small and large files lie in the bucket under readable names", async () => {
    const run = await newRun();
    const files: Record<string, Buffer> = {
      empty: Buffer.alloc(0),
      "a/größe 7.txt": Buffer.from("small"),
      "a part": randomBytes(8 * mebibyte),
      "parts.bin": randomBytes(20 * mebibyte + 1),
    };
    for (const [name, bytes] of Object.entries(files)) {
      const headers = { "content-type": "application/octet-stream" };
      const reply = await run.at(name, { method: "PUT", body: bytes, headers });
      assert.equal(reply.status, 200, reply.text);
      assert.equal(hash(await followed(run, name)), hash(bytes), name);
    }
    const chunked = randomBytes(16 * mebibyte);
    const headers = { "transfer-encoding": "chunked" };
    const reply = await run.at("chunked", { method: "PUT", body: chunked, headers });
    assert.equal(reply.status, 200, reply.text);
    assert.equal(hash(await followed(run, "chunked")), hash(chunked));
    const keys = [...store.objects("models").keys()].filter((key) => key.includes(run.id));
    assert.equal(keys.length, 5);
    const pattern = new RegExp(`^of/acme/\\w{26}/mlflow/${run.id}/\\w{26}/`);
    assert.deepEqual(
      keys.map((key) => key.replace(pattern, "")).sort(),
      [...Object.keys(files), "chunked"].sort(),
    );
    assert.equal((await run.list()).length, 5);
  });

  test("a store that fails now and then is asked again; one that stays away is 502", async () => {
    const run = await newRun();
    await run.put("f", "before");
    const bytes = randomBytes(9 * mebibyte);
    store.faults.add({ fault: "slowDown", operation: "UploadPart", times: 2 });
    store.faults.add({ fault: "lostReply", operation: "UploadPart", times: 1, after: 1 });
    const sent = await run.at("f", { method: "PUT", body: bytes });
    assert.equal(sent.status, 200, sent.text);
    assert.equal(hash(await followed(run, "f")), hash(bytes));
    store.faults.add({ fault: "internalError", operation: "UploadPart" });
    const refused = await run.at("f", { method: "PUT", body: bytes });
    assert.equal(refused.status, 502, refused.text);
    assert.equal(hash(await followed(run, "f")), hash(bytes), "the one before stays");
    store.faults.clear();
  });

  const parts = async (step: string, path: string, body: JsonObject, key?: string) => {
    const address = `/api/2.0/mlflow-artifacts/mpu/${step}/0/${path}`;
    return caller.request({ path: address, body, ...(key && { credential: key }) });
  };

  async function begun(run: RunFiles, name: string, pieces: Buffer[]) {
    const folder = `${run.id}/artifacts/a`;
    const given = { path: `/data/my runs/${name}`, num_parts: pieces.length };
    const { upload_id: id, credentials } = ok(await parts("create", folder, given));
    const sent = await Promise.all(
      (credentials as JsonObject[]).map(async ({ url, part_number: number, headers }, at) => {
        assert.deepEqual([number, headers], [at + 1, {}]);
        const { status, headers: own } = await fetch(String(url), {
          method: "PUT",
          body: new Uint8Array(pieces[at]),
        });
        assert.equal(status, 200);
        return { part_number: at + 1, etag: own.get("etag"), url: String(url) };
      }),
    );
    return { folder, whole: { path: given.path, upload_id: String(id), parts: sent } };
  }

  test("parts go straight to the bucket, and are a file when they are completed", async () => {
    const run = await newRun();
    await run.put("a/größe 7.bin", "before");
    const pieces = [5 * mebibyte, 5 * mebibyte, 1].map((bytes) => randomBytes(bytes));
    const { folder, whole } = await begun(run, "größe 7.bin", pieces);
    assert.equal((await followed(run, "a/größe 7.bin")).toString(), "before");
    const { parts: named, ...upload } = whole;
    for (const [body, status] of [
      [{ ...upload, parts: named.slice(1) }, 400],
      [{ ...upload, parts: [named[0], named[2], named[2]] }, 400],
      [{ ...upload, parts: named.map((part) => ({ ...part, etag: '"0"' })) }, 400],
      [{ ...upload, upload_id: "m", parts: named }, 404],
      [{ ...upload, path: "other.bin", parts: named }, 404],
    ] as [JsonObject, number][])
      assert.equal((await parts("complete", folder, body)).status, status);
    const before = await counted();
    for (let turn = 0; turn < 2; turn++) {
      const reply = await parts("complete", folder, whole);
      assert.equal(reply.status, 200, reply.text);
    }
    const found = await counted();
    const size = 10 * mebibyte + 1;
    assert.equal(found.write.bytes - before.write.bytes, size);
    assert.equal(found.write.count - before.write.count, 1);
    const signed = await caller.request({
      path: run.address("a/größe 7.bin").replace("/artifacts/0", "/presigned/0"),
    });
    const { url, headers, file_size: bytes } = parseObject(signed.text);
    assert.deepEqual([headers, bytes], [{}, size]);
    const range = await fetch(String(url), { headers: { range: "bytes=3-9" } });
    assert.deepEqual(Buffer.from(await range.arrayBuffer()), pieces[0].subarray(3, 10));
    assert.equal(hash(await followed(run, "a/größe 7.bin")), hash(Buffer.concat(pieces)));
  });

  test("parts that are given up are gone, and nobody else's key reaches them", async () => {
    const run = await newRun();
    const { folder, whole } = await begun(run, "f", [Buffer.from("1")]);
    const { parts: named, ...upload } = whole;
    const rival = organizations.rival.key;
    assert.equal((await parts("abort", folder, upload, rival)).status, 404);
    assert.equal((await parts("abort", folder, upload)).status, 200);
    assert.equal((await parts("complete", folder, whole)).status, 404);
    assert.equal((await fetch(named[0].url, { method: "PUT", body: "2" })).status, 404);
    assert.deepEqual(await run.listed(), {});
    // Its client then sends the file in one request, as it also does where there is no bucket.
    for (const [count, key] of [
      [10_001, undefined],
      [1, rival],
    ] as const) {
      const owner = key === undefined ? run.id : await new MlflowCaller(system, rival).run();
      const given = { path: "f", num_parts: count };
      const refused = await parts("create", `${owner}/artifacts`, given, key);
      const { error_code: code, message } = parseObject(refused.text);
      assert.deepEqual([refused.status, code], [501, "NOT_IMPLEMENTED"]);
      assert.match(String(message), /^Multipart upload is not supported for the current artifact/);
    }
    assert.equal((await parts("create", folder, { path: "f", num_parts: 0 })).status, 400);
  });

  test("server-info says so to who shows a key of an organization with a bucket", async () => {
    const path = "/api/3.0/mlflow/server-info";
    const { acme, rival } = organizations;
    for (const [credential, isAtBucket] of [
      [acme.key, true],
      [rival.key, false],
      [`${acme.key}x`, false],
      [undefined, false],
    ] as const) {
      const info = parseObject((await call(system.baseUrl, { path, credential })).text);
      assert.equal(info.multipart_uploads_enabled, isAtBucket);
      assert.equal(info.multipart_downloads_enabled, isAtBucket);
    }
  });

  test("writes and reads are counted, without a place", async () => {
    const run = await newRun();
    const before = await counted();
    await run.put("f", "12345");
    await run.at("f");
    const found = await counted();
    assert.deepEqual(
      ["write", "read"].map((kind) => [
        found[kind].count - before[kind].count,
        found[kind].bytes - before[kind].bytes,
      ]),
      [
        [1, 5],
        [1, 5],
      ],
    );
  });

  async function counted(): Promise<Record<string, { count: number; bytes: number }>> {
    const rows = await ada.usage("1");
    const sum = (kind: string) => {
      const own = rows.filter((row) => row.kind === kind && row.placeCloud === "");
      return {
        count: own.reduce((all, { count }) => all + count, 0),
        bytes: own.reduce((all, { bytes }) => all + bytes, 0),
      };
    };
    return { write: sum("write"), read: sum("read") };
  }

  test("the reply of another organization names no address", async () => {
    const run = await newRun();
    await run.put("f", "1");
    const credential = organizations.rival.key;
    const reply = await call(system.baseUrl, { path: run.address("f"), credential });
    assert.deepEqual([reply.status, reply.headers.location], [404, undefined]);
  });
}

topic("files of runs in a bucket of the organization's own", define, {
  allowPrivate: ["127.0.0.0/8"],
});
