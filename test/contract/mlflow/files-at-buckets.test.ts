import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { call } from "../../http.ts";
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

  /** What a client gets that follows the reply, without its key. */
  async function followed(run: RunFiles, path: string): Promise<Buffer> {
    const reply = await run.at(path);
    assert.equal(reply.status, 307, reply.text);
    const found = await fetch(String(reply.headers.location));
    assert.equal(found.status, 200);
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
