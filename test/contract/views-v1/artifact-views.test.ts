import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  ArtifactListReply,
  ArtifactReply,
  FileAddressReply,
  SentBytesReply,
} from "@lossless/protocol";
import { call, type HttpReply, ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import { ArtifactCaller, place, type Query, sendParts } from "../artifact-caller.ts";
import { observed, uniqueName } from "../callers.ts";
import { MlflowCaller } from "../mlflow/mlflow-calls.ts";
import { signIn } from "../people.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

topic("views of artifacts", (system) => {
  const acme = new ArtifactCaller(system, organizations.acme.key);
  const rival = new ArtifactCaller(system, organizations.rival.key);

  const ask = (path: string, query: Query, credential: string = organizations.acme.key) =>
    observed(system, { path: addressOf(path, query), credential });
  const list = async (query: Query, credential?: string) =>
    ok<ArtifactListReply>(await ask("artifacts", query, credential), 200);
  const one = async (query: Query, credential?: string) =>
    ok<ArtifactReply>(await ask("artifact", query, credential), 200);
  const refused = async (reply: HttpReply | Promise<HttpReply>, status: number, words: RegExp) => {
    const { status: got, text } = await reply;
    assert.equal(got, status, text);
    assert.match(text, words);
  };

  test("a prefix has folders with their sums, and artifacts, page by page", async () => {
    const root = `${uniqueName("walk")}/`;
    for (const name of ["a/x", "a/y", "a", "a-b", "b/c/d", "c"]) {
      const writer = await Writer.open(acme, root + name);
      await writer.write("1");
      if (name === "a/x") await writer.write("2");
    }
    const { folders, artifacts, next } = await list({ under: root });
    assert.equal(next, null);
    const sums = folders.map(({ lastCommitAtMs, path, ...rest }) => {
      assert.ok(lastCommitAtMs !== null && lastCommitAtMs > 0);
      return { path: path.slice(root.length), ...rest };
    });
    assert.deepEqual(sums, [
      { path: "a/", artifacts: 2, versions: 3, bytes: 21 },
      { path: "b/", artifacts: 1, versions: 1, bytes: 7 },
    ]);
    assert.deepEqual(
      artifacts.map(({ artifact }) => artifact.slice(root.length)),
      ["a", "a-b", "c"],
    );
    const [{ location, lastCommitAtMs, ...first }] = artifacts;
    assert.ok(location !== null && lastCommitAtMs !== null);
    assert.deepEqual(first, {
      artifact: `${root}a`,
      versions: 1,
      bytes: 7,
      latest: "1",
      source: place.source,
      epoch: 1,
    });
    const walked: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await list({ under: root, limit: "2", after });
      const entries = [
        ...page.folders.map(({ path }) => path),
        ...page.artifacts.map(({ artifact }) => artifact),
      ];
      assert.ok(entries.length <= 2);
      walked.push(...entries);
      if (page.next === null) break;
      after = page.next;
    }
    assert.deepEqual(walked.map((entry) => entry.slice(root.length)).toSorted(), [
      "a",
      "a-b",
      "a/",
      "b/",
      "c",
    ]);
    const { artifacts: below } = await list({ under: `${root}b/c/` });
    assert.deepEqual(
      below.map(({ artifact }) => artifact),
      [`${root}b/c/d`],
    );
  });

  test("a search looks into all folders, and the newest come first", async () => {
    const root = `${uniqueName("find")}/`;
    const names = ["one/Model", "two/model_b", "two/100%", "three"].map((name) => root + name);
    for (const name of names) await (await Writer.open(acme, name)).write("1");
    const found = async (query: Query) => {
      const { folders, artifacts } = await list({ under: root, ...query });
      assert.deepEqual(folders, []);
      return artifacts.map(({ artifact }) => artifact.slice(root.length));
    };
    assert.deepEqual(await found({ search: "MODEL" }), ["one/Model", "two/model_b"]);
    assert.deepEqual(await found({ search: "*/two/*" }), ["two/100%", "two/model_b"]);
    assert.deepEqual(await found({ search: "_" }), ["two/model_b"]);
    assert.deepEqual(await found({ search: "0%" }), ["two/100%"]);
    const newest = names.toReversed().map((name) => name.slice(root.length));
    const all: string[] = [];
    for (let after: string | undefined; ;) {
      const page = await list({ under: root, sort: "newest", limit: "1", after });
      all.push(...page.artifacts.map(({ artifact }) => artifact.slice(root.length)));
      if (page.next === null) break;
      after = page.next;
    }
    assert.deepEqual(all.toSorted(), newest.toSorted());
    const times = (await list({ under: root, sort: "newest" })).artifacts.map(
      ({ lastCommitAtMs }) => lastCommitAtMs!,
    );
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    await refused(ask("artifacts", { sort: "newest", after: "x" }), 400, /after/);
    await refused(ask("artifacts", { sort: "size" }), 400, /sort/);
  });

  test("one artifact has its versions, newest first, with who wrote them", async () => {
    const { slug, experimentId } = await system.acme.open();
    const called = { run_id: experimentId, key: "mlflow.runName", value: "bold-otter" };
    await new MlflowCaller(system, organizations.acme.key).post("runs/set-tag", called);
    const writer = await Writer.open(acme, uniqueName("one"));
    const meta = { experiment: slug, step: 5 };
    for (const version of ["1", "2", "3"]) {
      const begun = await writer.begin(version, oneFile, { meta });
      ok(await writer.commit(begun.upload, await sendParts(begun, oneFile)), 200);
    }
    const pending = await writer.begin("4", oneFile);
    await acme.request(
      "artifacts/note",
      { artifact: writer.artifact, note: "eval.json" },
      { method: "PUT", body: Buffer.from("{}") },
    );
    const found = await one({ artifact: writer.artifact });
    assert.deepEqual(
      found.versions.map(({ version }) => version),
      ["3", "2", "1"],
    );
    const { committedAtMs, location, ...first } = found.versions[0];
    assert.ok(Math.abs(committedAtMs - Date.now()) < 600_000);
    assert.equal(location.name, "built-in");
    assert.deepEqual(first, {
      version: "3",
      files: 1,
      bytes: 7,
      epoch: 1,
      writer: place,
      match: null,
      transfer: "cross-cloud",
      experiment: { experimentId, slug, name: "bold-otter", step: 5 },
    });
    assert.deepEqual(
      [found.epoch, found.openedBy, found.versionsTotal, found.bytes, found.latest, found.next],
      [1, place.source, 3, 21, "3", null],
    );
    assert.ok(found.openedAtMs !== null && found.openedAtMs <= committedAtMs);
    const [upload] = found.uploads;
    assert.deepEqual(
      [upload.upload, upload.version, upload.state, upload.bytes, upload.writer],
      [pending.upload, "4", "pending", 7, place],
    );
    assert.equal(upload.expiresAtMs - upload.createdAtMs, 6 * 86_400_000);
    const sending = { artifact: writer.artifact, upload: pending.upload };
    await sendParts(pending, oneFile);
    const sent = ok<SentBytesReply>(await ask("sent-bytes", sending), 200);
    assert.deepEqual(sent, { files: 1, filesSent: 1, bytes: 7, sentBytes: 7 });
    await refused(ask("sent-bytes", sending, organizations.rival.key), 404, /not_found/);
    await refused(ask("sent-bytes", { ...sending, upload: "none" }), 404, /not_found/);
    assert.deepEqual(
      found.notes.map(({ note, bytes }) => [note, bytes]),
      [["eval.json", 2]],
    );
    const second = await one({
      artifact: writer.artifact,
      limit: "1",
      after: found.versions[0].version,
    });
    assert.deepEqual(
      [second.versions[0].version, second.versions.length, second.next],
      ["2", 1, "2"],
    );
    for (const version of ["1", "latest"]) {
      const named = await one({ artifact: writer.artifact, version, metas: "1" });
      assert.deepEqual(
        named.versions.map((each) => each.version),
        [version === "latest" ? "3" : version],
      );
      assert.deepEqual(named.versions[0].meta, meta);
    }
    await refused(ask("artifact", { artifact: writer.artifact, version: "7" }), 404, /version/);
    await refused(ask("artifact", { artifact: uniqueName("none") }), 404, /artifact/);
    await refused(ask("artifact", {}), 400, /artifact/);
  });

  test("an artifact without a version is there, and its latest is not", async () => {
    const writer = await Writer.open(acme, `${uniqueName("empty")}/first`);
    const [{ latest, versions }] = (await list({ under: writer.artifact })).artifacts;
    assert.deepEqual([latest, versions], [null, 0]);
    const query = { artifact: writer.artifact, version: "latest" };
    await refused(ask("artifact", query), 404, /version/);
    assert.deepEqual((await one({ artifact: writer.artifact })).versions, []);
    assert.deepEqual((await list({ under: writer.artifact, sort: "newest" })).artifacts, []);
  });

  test("a file is read in parts, and signed alone; both count as reads", async () => {
    const content = Buffer.from(Array.from({ length: 3_000 }, (_, at) => at % 251));
    const files = { "a/plot.png": content, empty: Buffer.alloc(0) };
    const writer = await Writer.open(acme, uniqueName("file"));
    await writer.write("1", files);
    const name = { artifact: writer.artifact, version: "latest", file: "a/plot.png" };
    const part = async (query: Query) => {
      const path = addressOf("file", { ...name, ...query });
      const headers = { authorization: `Bearer ${organizations.acme.key}` };
      const reply = await fetch(system.baseUrl + path, { headers });
      assert.equal(reply.status, 200, path);
      assert.equal(reply.headers.get("content-type"), "application/octet-stream");
      assert.equal(reply.headers.get("content-disposition"), "attachment");
      assert.equal(reply.headers.get("x-content-type-options"), "nosniff");
      assert.match(reply.headers.get("content-security-policy")!, /sandbox/);
      return { bytes: Buffer.from(await reply.arrayBuffer()), headers: reply.headers };
    };
    const whole = await part({});
    assert.ok(whole.bytes.equals(content));
    assert.equal(whole.headers.get("x-svc-file-bytes"), "3000");
    assert.ok(
      (await part({ offset: "1000", length: "10" })).bytes.equals(content.subarray(1_000, 1_010)),
    );
    assert.ok((await part({ offset: "2990", length: "99" })).bytes.equals(content.subarray(2_990)));
    assert.equal((await part({ offset: "9999999999999999" })).bytes.length, 0);
    assert.equal((await part({ file: "empty" })).bytes.length, 0);
    const signed = ok<FileAddressReply>(await ask("file-address", name), 200);
    assert.equal(signed.bytes, 3_000);
    const fetched = await fetch(signed.url);
    const saved = fetched.headers.get("content-disposition");
    assert.equal(saved, "attachment; filename=plot.png");
    assert.ok(Buffer.from(await fetched.arrayBuffer()).equals(content));
    await refused(ask("file", { ...name, file: "b" }), 404, /file/);
    await refused(ask("file-address", { ...name, version: "9" }), 404, /version/);
    await refused(ask("file", { ...name, offset: "-1" }), 400, /offset/);
    const usage = await observed(system, {
      path: "/api/v1/usage?days=1",
      credential: organizations.acme.key,
    });
    assert.match(usage.text, /"kind":"read"/);
  });

  test("another organization's artifacts are not there, whatever is asked", async () => {
    const writer = await Writer.open(acme, `${uniqueName("ours")}/x`);
    await writer.write("1");
    const theirs = organizations.rival.key;
    const under = writer.artifact.slice(0, -1);
    for (const query of [{ under }, { search: writer.artifact }, { under, sort: "newest" }]) {
      const { folders, artifacts } = await list(query, theirs);
      assert.deepEqual([folders, artifacts], [[], []]);
    }
    const name = { artifact: writer.artifact, version: "1", file: "model.bin" };
    for (const path of ["artifact", "file", "file-address"])
      await refused(ask(path, name, theirs), 404, /not_found/);
    // The same path in both organizations is two artifacts.
    await (await Writer.open(rival, writer.artifact)).write("7");
    const own = await one({ artifact: writer.artifact });
    assert.deepEqual(
      own.versions.map(({ version }) => version),
      ["1"],
    );
    const other = await one({ artifact: writer.artifact }, theirs);
    assert.deepEqual(
      other.versions.map(({ version }) => version),
      ["7"],
    );
  });

  test("with a session another site's page cannot have a file", async () => {
    const writer = await Writer.open(acme);
    await writer.write("1");
    const session = await signIn(system, "max");
    const path = addressOf("file", { artifact: writer.artifact, version: "1", file: "model.bin" });
    const from = (site: string) =>
      call(system.baseUrl, {
        path,
        headers: { cookie: `lossless_session=${session}`, "sec-fetch-site": site },
      });
    assert.equal((await from("same-origin")).status, 200);
    assert.equal((await from("cross-site")).status, 403);
  });

  test("a file is a page in a frame that has an origin of its own and loads nothing", async () => {
    const writer = await Writer.open(acme);
    await writer.write("1");
    const name = { artifact: writer.artifact, version: "1", file: "model.bin" };
    const frame = (query: Query) => ask("file-frame", { ...name, ...query });
    const still = await frame({});
    assert.equal(still.status, 200, still.text);
    assert.equal(still.text, "weights");
    assert.equal(still.headers["content-type"], "text/html; charset=utf-8");
    assert.equal(still.headers["content-disposition"], undefined);
    const policyOf = ({ headers }: HttpReply) =>
      String(headers["content-security-policy"])
        .split("; ")
        .map((each) => each.split(" "));
    const policy = policyOf(still);
    assert.deepEqual(policy[0], ["sandbox"]);
    const running = policyOf(await frame({ scripts: "1" }));
    assert.deepEqual(running[0], ["sandbox", "allow-scripts"]);
    // The same but for scripts, and no source is an address.
    const scripts = running.filter(([directive]) => directive === "script-src");
    assert.deepEqual(running.filter((one) => one[0] !== "script-src").slice(1), policy.slice(1));
    for (const [directive, ...sources] of [...policy.slice(1), ...scripts])
      for (const source of sources)
        assert.match(
          source,
          directive === "frame-ancestors" ? /^'self'$/ : /^('none'|'unsafe-\w+'|data:|blob:)$/,
        );
    assert.ok(policy.some((one) => one.join(" ") === "default-src 'none'"));
    await refused(frame({ file: "nothing" }), 404, /no such file/);
    const session = await signIn(system, "max");
    const foreign = await call(system.baseUrl, {
      path: addressOf("file-frame", name),
      headers: { cookie: `lossless_session=${session}`, "sec-fetch-site": "cross-site" },
    });
    assert.equal(foreign.status, 403);
  });
});

function addressOf(path: string, query: Query): string {
  const words = Object.entries(query).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${encodeURIComponent(value)}`],
  );
  return `/api/views/v1/${path}?${words.join("&")}`;
}
