import assert from "node:assert/strict";
import type { ChildProcess } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { suite, test } from "node:test";
import { finished, start } from "./command-line.ts";
import { freePort } from "../free-port.ts";
import { call, type JsonObject, ok, parseObject } from "../http.ts";
import { organizations, Service } from "../service.ts";
import { FaultProxy } from "../stores/fault-proxy.ts";
import { type RealStore, realStores } from "../stores/real-stores.ts";
import { createBucket } from "../stores/sdk.ts";

const mebibyte = 1_048_576;
const credential = organizations.acme.key;

/** `LOSSLESS_TEST_CHECKPOINT_BYTES`: how large the checkpoint is; 2 GB is what the promise says. */
const checkpointBytes = Number(process.env.LOSSLESS_TEST_CHECKPOINT_BYTES ?? 160 * mebibyte);

for (const store of realStores()) {
  suite(`checkpoints on ${store.name}`, () => {
    test("40 files are pushed and pulled byte-equal, also when client and service are killed", async () => {
      await using world = await World.start(store);
      const source = await world.checkpoint("source", checkpointBytes);
      // So slow that neither push is over before it is looked at.
      world.line.toServer = { bytesPerSecond: 4 * mebibyte };
      const first = world.push(source, "runs/a");
      await world.untilParts(first, 4);
      first.child.kill("SIGKILL");
      await first.done;
      const second = world.push(source, "runs/a");
      await world.untilParts(second, 8);
      await world.service.kill();
      await world.service.start();
      world.line.toServer = {};
      const { code, stderr } = await second.done;
      assert.equal(code, 0, stderr);
      await world.pull("runs/a", "target");
      assert.deepEqual(await digests(join(world.directory, "target")), await digests(source));
      assert.deepEqual(await world.usage("write"), { count: 1, bytes: checkpointBytes });
    });

    test("a second writer takes over, and the first one stops with superseded", async () => {
      await using world = await World.start(store);
      const source = await world.checkpoint("source", 96 * mebibyte);
      world.line.toServer = { bytesPerSecond: 16 * mebibyte };
      const first = world.push(source, "runs/b");
      await world.untilParts(first, 2);
      const place = { cloud: "aws", region: "us-east-1", source: "second" };
      const query = "artifact=runs%2Fb";
      const opened = await world.call("POST", `artifacts/open?${query}`, { mode: "new", place });
      const { epoch } = ok(opened);
      const begun = await world.call("POST", `versions/begin?${query}&version=7`, {
        epoch,
        place,
        files: [{ name: "x", size: 3 }],
        meta: {},
      });
      assert.equal(begun.status, 201, begun.text);
      world.line.toServer = {};
      const { code, stderr } = await first.done;
      assert.equal(code, 1);
      assert.match(stderr, /another writer|superseded/i);
      const upload = parseObject(begun.text);
      const [file] = upload.files as { parts: { url: string; headers: object }[] }[];
      const [part] = file.parts;
      const sent = await fetch(part.url, {
        method: "PUT",
        headers: { ...part.headers },
        body: "abc",
      });
      const files = [{ name: "x", etags: [sent.headers.get("etag")] }];
      const path = `versions/commit?${query}&upload=${String(upload.upload)}`;
      const committed = await world.call("POST", path, { epoch, files });
      assert.equal(committed.status, 200, committed.text);
      const read = await world.call("GET", `versions/read?${query}&version=latest&urls=1`);
      const record = parseObject(read.text);
      assert.equal(record.version, "7");
      const [only] = record.files as { url: string }[];
      assert.equal(await (await fetch(only.url)).text(), "abc");
    });

    test("a location that fails makes the write fall back with a warning", async () => {
      await using world = await World.start(store, { withSecond: true });
      const source = await world.checkpoint("source", 24 * mebibyte);
      world.line.refusing = true;
      const pushed = world.push(source, "runs/c", "--cloud", "aws", "--region", "us-east-1");
      const { code, stderr } = await pushed.done;
      assert.equal(code, 0, stderr);
      assert.match(stderr, /fallback/);
      const read = await world.call("GET", "versions/read?artifact=runs%2Fc&version=latest");
      assert.equal((parseObject(read.text).location as JsonObject).region, "elsewhere");
      world.line.refusing = false;
      await world.pull("runs/c", "target");
      assert.deepEqual(await digests(join(world.directory, "target")), await digests(source));
    });
  });
}

/** One service with one location on the store, which it reaches through a line that can fail. */
class World implements AsyncDisposable {
  readonly directory: string;
  readonly service: Service;
  readonly line: FaultProxy;

  private constructor(directory: string, service: Service, line: FaultProxy) {
    this.directory = directory;
    this.service = service;
    this.line = line;
  }

  static async start(store: RealStore, { withSecond = false } = {}): Promise<World> {
    const directory = await mkdtemp(join(tmpdir(), "lossless-checkpoints-"));
    const line = await FaultProxy.start(store.endpoint);
    const location = async (endpoint: string, region: string, fallback: boolean) => {
      const bucket = `b${randomBytes(6).toString("hex")}`;
      await createBucket(store, bucket);
      const { accessKeyId, secretAccessKey, pathStyle, region: signingRegion } = store;
      const access = {
        bucket,
        path: "lossless",
        signingRegion,
        pathStyle,
        accessKeyId,
        secretAccessKey,
      };
      return { kind: "s3", endpoint, ...access, cloud: "aws", region, fallback };
    };
    const locations = [await location(line.endpoint, "us-east-1", !withSecond)];
    if (withSecond) locations.push(await location(store.endpoint, "elsewhere", true));
    const flags = ["--port", String(await freePort())];
    const options = { directory, flags, locations, allowPrivate: ["127.0.0.0/8"] };
    try {
      return new World(directory, await Service.start(options), line);
    } catch (error) {
      await line[Symbol.asyncDispose]();
      throw error;
    }
  }

  /** 40 files of unlike sizes, some in folders. */
  async checkpoint(name: string, bytes: number): Promise<string> {
    const directory = join(this.directory, name);
    let left = bytes;
    for (let index = 0; index < 40; index++) {
      const size =
        index === 39 ? left : index === 0 ? 0 : Math.floor((bytes / 60) * (1 + (index % 2)) * 0.9);
      left -= size;
      const file = join(
        directory,
        index % 3 === 0 ? `части/${index} ü%.bin` : `shard-${index}.bin`,
      );
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, randomBytes(size));
    }
    return directory;
  }

  push(source: string, artifact: string, ...words: string[]) {
    const child = start(
      this.service.baseUrl,
      ["push", source, artifact, ...words],
      this.#environment,
    );
    return { child, done: finished(child) };
  }

  async pull(artifact: string, target: string): Promise<void> {
    const words = ["pull", artifact, join(this.directory, target)];
    const { code, stderr } = await finished(start(this.service.baseUrl, words, this.#environment));
    assert.equal(code, 0, stderr);
  }

  get #environment(): Record<string, string> {
    return { XDG_STATE_HOME: join(this.directory, "state"), TMPDIR: this.directory };
  }

  /** Waits until this client has noted that so many parts are in the store. */
  async untilParts({ child }: { child: ChildProcess }, count: number): Promise<void> {
    while ((await this.#partsSent(child)) < count) {
      assert.equal(child.exitCode, null, "the push ended early");
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  /** Also those of an earlier one that it goes on for. */
  async #partsSent(child: ChildProcess): Promise<number> {
    const directory = join(this.directory, "state/lossless/uploads");
    let parts = 0;
    for (const name of await readdir(directory).catch(() => [])) {
      if (!name.endsWith(".json")) continue;
      const text = await readFile(join(directory, name), "utf8").catch(() => "{}");
      const record = JSON.parse(text) as { sent?: unknown[][]; process?: { id: number } };
      if (record.process?.id !== child.pid) continue;
      parts += (record.sent ?? []).flat().filter((part) => part !== null).length;
    }
    return parts;
  }

  call(method: string, path: string, body?: unknown) {
    return call(this.service.baseUrl, { method, path: `/api/v1/${path}`, credential, body });
  }

  async usage(kind: string): Promise<{ count: number; bytes: number }> {
    const { rows } = parseObject((await this.call("GET", "usage")).text);
    const [row, ...more] = (rows as JsonObject[]).filter((one) => one.kind === kind);
    assert.equal(more.length, 0);
    return { count: row.count as number, bytes: row.bytes as number };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service.kill();
    await this.line[Symbol.asyncDispose]();
    await rm(this.directory, { recursive: true, force: true });
  }
}

/** SHA-256 of every file, by its path. */
async function digests(directory: string): Promise<Record<string, string>> {
  const files = await readdir(directory, { recursive: true, withFileTypes: true });
  const found: [string, string][] = [];
  for (const file of files.filter((one) => one.isFile())) {
    const path = join(file.parentPath, file.name);
    const digest = createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
    found.push([path.slice(directory.length + 1), digest]);
  }
  return Object.fromEntries(found.sort());
}
