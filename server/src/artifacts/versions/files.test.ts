import assert from "node:assert/strict";
import { test } from "node:test";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import type { TestNode } from "../../database/node.fixture.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import { wrongCounters } from "../../database/quotas/recount.ts";
import { Sweeper } from "../sweeping/sweeper.ts";
import { writeOne } from "../../storage/storage.ts";
import { Failpoints } from "./failpoints.ts";
import type { FileName } from "../rows/mlflow/file.ts";
import type { SentPart } from "./file-parts.ts";
import { Files } from "./files.ts";
import { NodeStorage, TestWalks } from "./walks.fixture.ts";

const hourMs = 60 * 60_000;
const part = 8 * 1_048_576;

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("a file that was replaced stays an hour, one whose PUT broke off goes at once", async () => {
    const run = await Run.open(node);
    await run.put("a", "first");
    await run.put("a", "second");
    assert.equal(run.objects, 2);
    await assert.rejects(run.putBody("b", broken()), /the client is gone/);
    assert.equal(run.uploads, 1);
    await run.sweep();
    assert.deepEqual([run.objects, run.uploads], [2, 0]);
    node.nowMs += hourMs;
    await run.sweep();
    assert.deepEqual([run.objects, await run.names()], [1, ["a"]]);
    assert.deepEqual(await node.read(wrongCounters, undefined), []);
  });

  test("what a process left that died is swept a day later, and is never a file", async () => {
    const run = await Run.open(node);
    const dead = run.again("file.beforeCommit:1=hang");
    void dead.put("a", "never");
    while (run.objects === 0) await new Promise((resolve) => setImmediate(resolve));
    node.nowMs += 23 * hourMs;
    await run.sweep();
    assert.equal(run.objects, 1, "it may be under way");
    node.nowMs += hourMs;
    await run.sweep();
    assert.deepEqual([run.objects, await run.names()], [0, []]);
    const [{ rows }] = await node.all<{ rows: number }>("SELECT count(*) AS rows FROM file_upload");
    assert.equal(rows, 0);
    assert.deepEqual(await node.read(wrongCounters, undefined), []);
  });

  test("a PUT that took longer than it may becomes no file", async () => {
    const run = await Run.open(node);
    const slow = async function* () {
      yield [Buffer.from("1")];
      node.nowMs += 25 * hourMs;
      await run.sweep();
    };
    await assert.rejects(run.putBody("a", slow()), { code: "request_timeout" });
    await run.sweep();
    assert.deepEqual([run.objects, await run.names()], [0, []]);
  });

  test("what is deleted goes an hour later; a store that fails is asked again", async () => {
    const run = await Run.open(node);
    for (const name of ["a/1", "a/2", "b"]) await run.put(name, name);
    await run.files.delete({ ...run.whose, path: "a" });
    assert.deepEqual(await run.names(), ["b"]);
    node.nowMs += hourMs;
    run.walks.home.failing = "delete";
    await run.sweep();
    assert.equal(run.objects, 3);
    run.walks.home.failing = undefined;
    node.nowMs += hourMs;
    await run.sweep();
    assert.equal(run.objects, 1);
    assert.deepEqual(await node.read(wrongCounters, undefined), []);
  });

  test("parts that one node began another completes, once, also when the first died", async () => {
    const run = await Run.open(node);
    const name = { ...run.whose, path: "a/large" };
    const { uploadId, etags } = await run.sendParts(name, ["12345", "678"]);
    assert.deepEqual(await run.names(), []);
    const dead = run.again("file.beforeCommit:1=hang");
    void dead.files.parts.complete({ ...name, uploadId }, etags);
    while (run.objects === 0) await new Promise((resolve) => setImmediate(resolve));
    const other = run.again("");
    for (let turn = 0; turn < 2; turn++)
      await other.files.parts.complete({ ...name, uploadId }, etags);
    await assert.rejects(other.files.parts.abort({ ...name, uploadId }), { code: "bad_request" });
    assert.deepEqual([run.objects, run.uploads, await run.names()], [1, 0, ["a"]]);
    assert.equal((await run.files.address(name)).bytes, 8);
    await run.put("a/large", "another");
    await other.files.parts.complete({ ...name, uploadId }, etags);
    assert.equal((await run.files.address(name)).bytes, 7, "what came later stays");
    assert.deepEqual(await node.read(wrongCounters, undefined), []);
  });

  test("parts that nobody completes are swept a day later, aborted ones at once", async () => {
    const run = await Run.open(node);
    const name = { ...run.whose, path: "a" };
    const left = await run.sendParts(name, ["1"]);
    const aborted = await run.sendParts(name, ["2", "3"]);
    await run.files.parts.abort({ ...name, uploadId: aborted.uploadId });
    assert.equal(run.uploads, 1);
    const again = run.files.parts.abort({ ...name, uploadId: aborted.uploadId });
    await assert.rejects(again, { code: "file_not_found" });
    node.nowMs += 24 * hourMs;
    await run.sweep();
    assert.equal(run.uploads, 0);
    const late = run.files.parts.complete({ ...name, uploadId: left.uploadId }, left.etags);
    await assert.rejects(late, { code: "file_not_found" });
    const [{ rows }] = await node.all<{ rows: number }>("SELECT count(*) AS rows FROM file_upload");
    assert.equal(rows, 0);
    assert.deepEqual(await node.read(wrongCounters, undefined), []);
  });
});

async function* broken(): AsyncGenerator<Uint8Array[]> {
  yield [Buffer.alloc(part)];
  yield [Buffer.from("more")];
  throw new Error("the client is gone");
}

/** A run and its files, at a location in memory. */
class Run {
  readonly walks: TestWalks;
  readonly files: Files;
  readonly whose: { organizationId: string; owner: string };
  readonly #storage: NodeStorage;

  private constructor(walks: TestWalks, owner: string, failpoints: string) {
    this.walks = walks;
    this.whose = { organizationId: walks.organizationId, owner };
    this.#storage = new NodeStorage(walks.node);
    this.files = new Files({
      storage: this.#storage,
      buckets: { bucketOf: ({ id }) => walks.buckets.get(id)! },
      clock: () => walks.node.nowMs,
      warn: (message) => walks.warnings.push(message),
      failpoints: new Failpoints(failpoints),
      objects: { openKey: () => Promise.reject(new Error("BUG: it is in no bucket")) },
      parts: {
        put: () => Promise.reject(new Error("BUG: it is in no bucket")),
        async send({ bucket }, sent, pieces) {
          const { addresses } = await bucket.signParts([sent], hourMs);
          const etag = walks.home.send(addresses[0].url, Buffer.concat(pieces));
          assert.ok(etag !== undefined);
          return etag;
        },
      },
    });
  }

  static async open(node: TestNode): Promise<Run> {
    const walks = await TestWalks.open(node);
    const { experimentId } = await writeOne(new NodeStorage(node), "run.create", {
      organizationId: walks.organizationId,
      folderId: "0",
      user: "",
      startTime: 1,
      tags: [],
    });
    return new Run(walks, experimentId, "");
  }

  again(failpoints: string): Run {
    return new Run(this.walks, this.whose.owner, failpoints);
  }

  put(path: string, text: string): Promise<void> {
    const bytes = Buffer.from(text);
    return this.putBody(path, once(bytes), bytes.length);
  }

  putBody(path: string, body: AsyncIterable<Uint8Array[]>, sizeBytes?: number): Promise<void> {
    return this.files.put({ ...this.whose, path, sizeBytes, body });
  }

  /** Sends parts as a client with addresses does. */
  async sendParts(
    name: FileName,
    texts: string[],
  ): Promise<{ uploadId: string; etags: SentPart[] }> {
    const { uploadId, addresses } = await this.files.parts.start(name, texts.length);
    const etags = addresses.map(({ url }, at) => {
      return { number: at + 1, etag: this.walks.home.send(url, Buffer.from(texts[at])) ?? "" };
    });
    return { uploadId, etags };
  }

  async names(): Promise<string[]> {
    const entries = await this.#storage.read("file.list", { ...this.whose, path: "" });
    return (entries as { name: string }[]).map(({ name }) => name);
  }

  get objects(): number {
    return this.walks.home.objects.size;
  }

  get uploads(): number {
    return this.walks.home.uploads.size;
  }

  async sweep(): Promise<void> {
    const { walks } = this;
    const sweeper = new Sweeper({
      storage: this.#storage,
      buckets: { bucketOf: ({ id }: StoredLocation) => walks.buckets.get(id) ?? walks.home },
      clock: () => walks.node.nowMs,
      warn: (message) => walks.warnings.push(message),
      sharesDatabase: false,
    });
    await sweeper.round();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array[]> {
  if (bytes.length > 0) yield [bytes];
}
