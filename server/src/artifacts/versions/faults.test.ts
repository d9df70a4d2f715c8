import assert from "node:assert/strict";
import { test } from "node:test";
import { PartsRejected, StoreError } from "../../buckets/bucket.ts";
import type { TestBucket } from "../../buckets/bucket.fixture.ts";
import { onEachDatabase } from "../../database/databases.fixture.ts";
import { failsWith } from "../../database/node.fixture.ts";
import { ServiceError } from "../../ground/errors.ts";
import { failpointNames } from "./failpoints.ts";
import { TestWalks } from "./walks.fixture.ts";

const files = { one: Buffer.from("first"), two: Buffer.from("second"), three: Buffer.alloc(0) };
const bytes = 11;

/** Requires that the version exists, whole and once. */
async function requireVersion(walks: TestWalks, artifact: string, version: string): Promise<void> {
  const record = await walks.read(artifact, version);
  assert.equal(record.bytes, bytes);
  for (const { name, url, size } of record.files) {
    const stored = await walks.home.read(url!.slice("test:".length), 0, size);
    assert.ok(Buffer.from(files[name as keyof typeof files]).equals(stored), name);
  }
  const [row] = await walks.node.all<{ count: number; bytes: number }>(
    "SELECT sum(count) AS count, sum(bytes) AS bytes FROM usage WHERE organization = $1 AND kind = 'write'",
    walks.organizationId,
  );
  assert.deepEqual({ ...row }, { count: 1, bytes });
  const manifests = [...walks.home.objects.keys()].filter((key) => key.endsWith("_manifest.json"));
  assert.equal(manifests.length, 1);
}

/**
 * Requires that every object and upload in the store belongs to the version or waits for its
 * removal.
 */
async function requireNothingLost({ node, home, organizationId }: TestWalks): Promise<void> {
  const rows = await node.all<{ prefix: string }>(
    `SELECT prefix FROM upload LEFT JOIN removal ON removal.upload = upload.id
     WHERE organization = $1 AND (state <> 'abandoned' OR removal.upload IS NOT NULL)`,
    organizationId,
  );
  const keys = [...home.objects.keys(), ...[...home.uploads.values()].map(({ key }) => key)];
  for (const key of keys)
    assert.ok(
      rows.some(({ prefix }) => key.startsWith(prefix)),
      key,
    );
}

/** Fails the call with this number, before or after the store has done it. */
function failCall(bucket: TestBucket, number: number, when: "before" | "after"): () => boolean {
  let [count, hasFailed] = [0, false];
  bucket[when] = (call) => {
    count += 1;
    if (count !== number) return;
    hasFailed = true;
    throw new StoreError("timeout", true, `${call} was not answered`);
  };
  return () => {
    bucket[when] = () => {};
    return hasFailed;
  };
}

onEachDatabase((fresh) => {
  const node = fresh.node();

  /** An upload of which everything is sent, of a new organization. */
  async function sentUpload() {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    const upload = await walks.begin("a", "1", 1, files);
    return { walks, upload, sent: walks.send(upload, files) };
  }

  for (const when of ["before", "after"] as const) {
    test(`begin: a store that fails ${when} any of its calls leaves nothing unknown`, async () => {
      for (let number = 1; ; number++) {
        const walks = await TestWalks.open(node);
        await walks.open("a");
        const end = failCall(walks.home, number, when);
        const outcome = await walks.begin("a", "1", 1, files).catch((error: unknown) => error);
        if (!end()) break;
        assert.ok(outcome instanceof ServiceError && outcome.code === "upstream");
        assert.match(outcome.message, /timeout/);
        await requireNothingLost(walks);
        await walks.write("a", "1", 1, files);
        await requireVersion(walks, "a", "1");
      }
    });

    test(`commit: a store that fails ${when} any of its calls is asked again`, async () => {
      let tried = 0;
      for (let number = 1; ; number++, tried++) {
        const { walks, upload, sent } = await sentUpload();
        const end = failCall(walks.home, number, when);
        const outcome = await walks.commit("a", upload, 1, sent).catch((error: unknown) => error);
        if (!end()) break;
        assert.ok(outcome instanceof ServiceError && outcome.code === "upstream");
        await assert.rejects(walks.read("a"), failsWith("not_found"));
        await walks.commit("a", upload, 1, sent);
        await requireVersion(walks, "a", "1");
        await requireNothingLost(walks);
      }
      // listParts, complete and size of each file, and the manifest.
      assert.equal(tried, 10);
    });
  }

  for (const name of failpointNames) {
    test(`a process that dies at ${name} leaves what can be tried again`, async () => {
      const walks = await TestWalks.open(node);
      for (const pass of name === "commit.afterComplete" ? [1, 2, 3] : [1]) {
        const artifact = `at/${pass}`;
        const dying = walks.again(node, `${name}:${pass}=error`);
        const step = name.split(".", 1)[0];
        let died = false;
        const live = async <Result>(part: string, work: (on: TestWalks) => Promise<Result>) => {
          if (part !== step) return work(walks);
          await assert.rejects(work(dying), /A failpoint was reached/);
          died = true;
          // Started again.
          return work(walks);
        };
        const { epoch } = await live("open", (on) => on.open(artifact));
        const upload = await live("begin", (on) => on.begin(artifact, "1", epoch, files));
        const sent = walks.send(upload, files);
        await live("commit", (on) => on.commit(artifact, upload, epoch, sent));
        assert.ok(died);
        assert.equal((await walks.read(artifact)).bytes, bytes);
        await requireNothingLost(walks);
      }
      const [{ versions } = { versions: 0 }] = await node.all<{ versions: number }>(
        "SELECT max(versions) AS versions FROM artifact WHERE organization = $1",
        walks.organizationId,
      );
      assert.equal(versions, 1);
    });
  }

  test("a take-over in the middle of a commit: the loser's objects are queued, nothing is visible", async () => {
    for (const call of ["listParts", "complete", "size", "put"] as const) {
      const { walks, upload, sent } = await sentUpload();
      let taken: Promise<unknown> | undefined;
      walks.home.before = async (each) => {
        if (each === call) await (taken ??= walks.open("a"));
      };
      const stop = failsWith("superseded", { epoch: 2 });
      await assert.rejects(walks.commit("a", upload, 1, sent), stop);
      walks.home.before = () => {};
      await assert.rejects(walks.read("a"), failsWith("not_found"));
      await requireNothingLost(walks);
      await walks.write("a", "1", 2, files);
      assert.equal((await walks.read("a")).files.length, 3);
    }
  });

  test("begin: after two locations that fail comes the fallback, and nothing after it", async () => {
    const walks = await TestWalks.open(node);
    const near = { cloud: "gcp", region: "x", source: "test" };
    const others = [];
    for (const name of ["1", "2", "3", "4"]) {
      const bucket = await walks.addLocation({ name, cloud: "gcp", region: "x" });
      bucket.failing = "startUpload";
      others.push(bucket);
    }
    await walks.open("a");
    const upload = await walks.begin("a", "1", 1, files, { place: near });
    assert.equal(upload.placement.match, null);
    assert.deepEqual(
      others.map(({ calls }) => calls.length > 0),
      [true, true, false, false],
    );
    walks.home.failing = "startUpload";
    const tried = walks.begin("a", "2", 1, files, { place: near });
    await assert.rejects(tried, failsWith("upstream"));
    assert.deepEqual([others[2].calls, others[3].calls], [[], []]);
    await requireNothingLost(walks);
  });

  test("begin: a store that is silent is given up at the deadline, a slow fallback is not", async () => {
    const walks = await TestWalks.open(node);
    const near = { cloud: "gcp", region: "x", source: "test" };
    const silent = await walks.addLocation({ name: "silent", cloud: "gcp", region: "x" });
    const gate = Promise.withResolvers<void>();
    silent.before = () => gate.promise;
    walks.home.before = () => new Promise((resolve) => setTimeout(resolve, 20));
    await walks.open("a");
    const hasty = walks.again(node, "", 500);
    const upload = await hasty.begin("a", "1", 1, files, { place: near });
    assert.equal(upload.placement.match, null);
    assert.match(upload.warning!, /"silent" failed to begin the uploads: timeout/);
    gate.resolve();
  });

  test("a take-over in the middle of a begin: superseded, and the removal knows every upload", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    let taken: Promise<unknown> | undefined;
    walks.home.after = async (each) => {
      if (each === "startUpload") await (taken ??= walks.open("a"));
    };
    await assert.rejects(walks.begin("a", "1", 1, files), failsWith("superseded", { epoch: 2 }));
    await requireNothingLost(walks);
    const [row] = await node.all<{ ids: string }>(
      "SELECT ids FROM store_upload JOIN upload ON upload.id = upload WHERE organization = $1",
      walks.organizationId,
    );
    assert.deepEqual(JSON.parse(row.ids), [...walks.home.uploads.keys()]);
  });

  test("a store that calls a second completion wrong parts is looked at, too", async () => {
    const { walks, upload, sent } = await sentUpload();
    walks.home.after = (call) => {
      if (call === "complete") throw new PartsRejected("InvalidPart");
    };
    await walks.commit("a", upload, 1, sent);
    await requireVersion(walks, "a", "1");
  });

  test("an upload that the store lost cannot be committed, and that is said", async () => {
    const { walks, upload, sent } = await sentUpload();
    const parts = [...walks.home.uploads];
    walks.home.uploads.clear();
    await assert.rejects(walks.commit("a", upload, 1, sent), failsWith("conflict"));
    for (const [id, part] of parts) walks.home.uploads.set(id, part);
    await walks.commit("a", upload, 1, sent);
    await requireVersion(walks, "a", "1");
  });

  test("an object of another size under the key is never taken for the file", async () => {
    const { walks, upload, sent } = await sentUpload();
    walks.home.after = (call, key) => {
      if (call === "complete") walks.home.objects.set(key, Buffer.from("xx"));
    };
    await assert.rejects(walks.commit("a", upload, 1, sent), failsWith("conflict"));
    await assert.rejects(walks.read("a"), failsWith("not_found"));
  });

  test("what a commit makes after its upload was abandoned and removed is queued again", async () => {
    const { walks, upload, sent } = await sentUpload();
    walks.home.after = async (call) => {
      if (call !== "complete") return;
      walks.home.after = () => {};
      await walks.open("a");
      // As when the sweeper came between.
      await node.execute("DELETE FROM removal WHERE upload = $1", upload.upload);
      throw new StoreError("timeout", true, "complete was not answered");
    };
    const stop = failsWith("superseded", { epoch: 2 });
    await assert.rejects(walks.commit("a", upload, 1, sent), stop);
    assert.ok(walks.home.objects.size > 0);
    await requireNothingLost(walks);
  });

  test("a commit of many files stops soon after its upload was abandoned", async () => {
    const walks = await TestWalks.open(node);
    await walks.open("a");
    const many = Object.fromEntries(
      Array.from({ length: 250 }, (_, at) => [`${at}`, Buffer.from("x")]),
    );
    const upload = await walks.begin("a", "1", 1, many);
    const sent = walks.send(upload, many);
    let taken: Promise<unknown> | undefined;
    walks.home.before = async (call) => {
      if (call === "complete") await (taken ??= walks.open("a"));
    };
    const stop = failsWith("superseded", { epoch: 2 });
    await assert.rejects(walks.commit("a", upload, 1, sent), stop);
    assert.ok(walks.home.objects.size < 130, `${walks.home.objects.size}`);
    await requireNothingLost(walks);
  });

  test("a commit that is tried again bears the time of the manifest that was written", async () => {
    const { walks, upload, sent } = await sentUpload();
    const wrong = sent.map((file) => ({ ...file, etags: ['"deadbeef"'] }));
    await assert.rejects(walks.commit("a", upload, 1, wrong), failsWith("bad_request"));
    node.nowMs += 1_000;
    const beganMs = node.nowMs;
    walks.home.after = (call) => {
      if (call === "put") throw new StoreError("timeout", true, "put was not answered");
    };
    await assert.rejects(walks.commit("a", upload, 1, sent), failsWith("upstream"));
    walks.home.after = () => {};
    for (const call of ["size", "listParts"] as const) {
      node.nowMs += 1_000;
      walks.home.failing = call;
      await assert.rejects(walks.commit("a", upload, 1, sent), failsWith("upstream"));
    }
    walks.home.failing = undefined;
    node.nowMs += 1_000;
    const { committed } = await walks.commit("a", upload, 1, sent);
    const [manifest] = [...walks.home.objects].filter(([key]) => key.endsWith("_manifest.json"));
    assert.equal(JSON.parse(Buffer.from(manifest[1]).toString()).committed, committed);
    assert.ok(Date.parse(committed) >= beganMs, "of the commit that came to the objects");
  });

  test("ETags of files that are completed already are compared with those that were accepted", async () => {
    const { walks, upload, sent } = await sentUpload();
    const wrong = sent.map((file) => ({ ...file, etags: ['"deadbeef"'] }));
    const unknown = sent.map((file) => ({ ...file, etags: [""] }));
    // Dies before the store is asked: the sent parts prove nothing.
    const dying = walks.again(node, "commit.afterAccept=error");
    await assert.rejects(dying.commit("a", upload, 1, wrong), /A failpoint was reached/);
    walks.home.failing = "put";
    await assert.rejects(walks.commit("a", upload, 1, unknown), failsWith("upstream"));
    await assert.rejects(walks.commit("a", upload, 1, wrong), failsWith("bad_request"));
    walks.home.failing = undefined;
    await assert.rejects(walks.commit("a", upload, 1, wrong), failsWith("bad_request"));
    await walks.commit("a", upload, 1, unknown);
    await requireVersion(walks, "a", "1");
    const [manifest] = [...walks.home.objects].filter(([key]) => key.endsWith("_manifest.json"));
    assert.deepEqual(
      JSON.parse(Buffer.from(manifest[1]).toString()).files.map(({ etags }: { etags: string[] }) =>
        etags.map((etag) => `"${etag}"`),
      ),
      sent.map(({ etags }) => etags),
    );
  });

  test("a commit beside one with other ETags waits, and has its own answer", async () => {
    const { walks, upload, sent } = await sentUpload();
    const wrong = sent.map((file) => ({ ...file, etags: ['"deadbeef"'] }));
    const [first, second, third] = await Promise.allSettled([
      walks.commit("a", upload, 1, wrong),
      walks.commit("a", upload, 1, sent),
      walks.commit("a", upload, 1, wrong),
    ]);
    assert.equal(first.status, "rejected");
    assert.equal(second.status, "fulfilled");
    assert.notEqual(third.status, "fulfilled");
    await requireVersion(walks, "a", "1");
  });

  test("a commit that hangs is joined by the next one, which answers for both", async () => {
    const { walks, upload, sent } = await sentUpload();
    const gate = Promise.withResolvers<void>();
    walks.home.before = (call) => (call === "put" ? gate.promise : undefined);
    const [first, second] = [
      walks.commit("a", upload, 1, sent),
      walks.commit("a", upload, 1, sent),
    ];
    setTimeout(gate.resolve, 20);
    assert.deepEqual(await first, await second);
    assert.equal(walks.home.calls.filter(({ call }) => call === "complete").length, 3);
  });
});
