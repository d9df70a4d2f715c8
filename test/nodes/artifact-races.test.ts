import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import type { AliasChange, Location, UploadReply } from "@lossless/protocol";
import { ArtifactCaller, fetchBytes, sendParts } from "../contract/artifact-caller.ts";
import { type Target, uniqueName } from "../contract/callers.ts";
import { locationBody, OrganizationSetup, startStore } from "../contract/organization-setup.ts";
import { signIn } from "../contract/people.ts";
import { oneFile, tryOpen, Writer } from "../contract/writer.ts";
import { type HttpReply, ok, parseObject } from "../http.ts";
import { sharedPostgres } from "../postgres.ts";
import { organizations, Service } from "../service.ts";
import { suiteDirectory } from "../suite-service.ts";
import type { S3Double } from "../stores/s3-double.ts";

const many = 100;
const weights = oneFile["model.bin"];

/** R17 does the same 100 times at once: one node on SQLite, two on PostgreSQL share a directory. */
for (const nodeCount of [1, 2]) {
  const where = nodeCount === 1 ? "one node, sqlite" : "two nodes, postgres";
  suite(`R17, 100 at once: ${where}`, () => defineRaces(nodeCount));
}

function defineRaces(nodeCount: number): void {
  const shared = suiteDirectory("races");
  const nodes: Service[] = [];
  let callers: ArtifactCaller[] = [];
  let owners: OrganizationSetup[] = [];
  let store: S3Double;

  before(async () => {
    store = await startStore();
    const databaseUrl =
      nodeCount === 1 ? undefined : await (await sharedPostgres()).createDatabase();
    for (let index = 0; index < nodeCount; index++) {
      nodes.push(await startNode(shared, `${index}`, databaseUrl));
    }
    const targets = nodes.map(({ baseUrl }): Target => ({ baseUrl, observe: () => {} }));
    callers = targets.map((target) => new ArtifactCaller(target, organizations.acme.key));
    const token = await signIn(targets[0], "ada");
    owners = targets.map((target) => new OrganizationSetup(target, token));
  });
  after(async () => {
    for (const node of nodes) await node.kill();
    await store[Symbol.asyncDispose]();
  });

  /** The node's turn: requests go to all of them. */
  const turn = <Each>(each: Each[], index: number): Each => each[index % each.length];

  function atOnce<Result>(work: (index: number) => Promise<Result>): Promise<Result[]> {
    return Promise.all(Array.from({ length: many }, (_, index) => work(index)));
  }

  /** The writer's requests through another node. */
  const through = (writer: Writer, index: number): Writer =>
    new Writer(turn(callers, index), writer.artifact, writer.epoch);

  test("the first open of one path: epochs 1 to 100, each once", async () => {
    const artifact = uniqueName("opened");
    const replies = await atOnce((index) => turn(callers, index).open(artifact));
    const epochs = replies.map(({ epoch }) => epoch).sort((a, b) => a - b);
    assert.deepEqual(
      epochs,
      Array.from({ length: many }, (_, index) => index + 1),
    );
    assert.equal((await callers[0].open(artifact)).epoch, many + 1);
  });

  test("the same commit: one version, counted once, and all replies are the same", async () => {
    const writer = await Writer.open(callers[0]);
    const { id, sent } = await writer.sent("1");
    const written = async () =>
      // Two days are asked for, should a new one begin meanwhile.
      (await owners[0].usage("2"))
        .filter(({ kind }) => kind === "write")
        .reduce((sum, { count }) => sum + count, 0);
    const before = await written();
    const replies = await atOnce((index) => through(writer, index).commit(id, sent));
    for (const { status, text } of replies) {
      assert.deepEqual([status, text], [200, replies[0].text]);
    }
    for (const caller of callers) {
      const { versions } = await caller.list(writer.artifact);
      assert.equal(versions.length, 1);
      const record = await caller.read(writer.artifact, "latest", { urls: "1" });
      assert.ok(weights.equals(await fetchBytes(record.files[0].url)));
      const { artifacts } = await caller.artifacts({ under: writer.artifact });
      assert.deepEqual([artifacts[0]?.versions, artifacts[0]?.bytes], [1, weights.length]);
    }
    assert.equal((await written()) - before, 1);
  });

  test("commits of 16 uploads of one version: one wins, the others are not_after_latest", async () => {
    const writer = await Writer.open(callers[0]);
    const uploads = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        through(writer, index).sent("1", { f: Buffer.from(`${index}`) }),
      ),
    );
    const replies = await Promise.all(
      uploads.map(({ id, sent }, index) => through(writer, index + 1).commit(id, sent)),
    );
    const winners = replies.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    assert.equal(winners.length, 1);
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      assert.deepEqual(codeOf(reply), [409, "not_after_latest"]);
    }
    const record = await callers[0].read(writer.artifact, "1", { urls: "1" });
    assert.equal((await fetchBytes(record.files[0].url)).toString(), `${winners[0]}`);
  });

  test("moves of an alias from one version: one wins, and the history has each step once", async () => {
    const writer = await Writer.open(callers[0]);
    const versions = Array.from({ length: 8 }, (_, index) => `${index + 1}`);
    for (const version of versions) await writer.write(version);
    const query = { artifact: writer.artifact, alias: "best" };
    let expected: string | null = null;
    const taken: (string | null)[] = [null];
    for (let round = 0; round < 5; round++) {
      const wanted = versions.filter((version) => version !== expected);
      const replies = await Promise.all(
        wanted.map((version, index) => {
          const body = { version, expected };
          return turn(callers, index).request("artifacts/alias", query, { method: "PUT", body });
        }),
      );
      const won = wanted.filter((_, index) => replies[index].status === 200);
      assert.equal(won.length, 1, replies.map(({ text }) => text).join("\n"));
      for (const reply of replies) {
        if (reply.status !== 200) assert.deepEqual(codeOf(reply), [409, "conflict"]);
      }
      taken.push((expected = won[0]));
    }
    for (const caller of callers) {
      assert.equal((await caller.read(writer.artifact, "@best")).version, expected);
      const history = await caller.request("artifacts/alias-history", {
        artifact: writer.artifact,
      });
      const steps = (parseObject(history.text).changes as AliasChange[]).toReversed();
      assert.deepEqual(
        steps.map(({ number, previous, version }) => [number, previous, version]),
        taken.slice(1).map((version, index) => [index + 1, taken[index], version]),
      );
    }
  });

  test("A11: 100 begins leave 16 uploads that live", async () => {
    const writer = await Writer.open(callers[0]);
    const replies = await atOnce((index) => through(writer, index).tryBegin("1"));
    const uploads: UploadReply[] = [];
    for (const reply of replies) {
      // One that more than 16 others passed while it was begun may be told so.
      if (reply.status === 201) uploads.push(ok(reply, 201));
      else assert.ok([404, 409].includes(reply.status), reply.text);
    }
    const resigned = await Promise.all(uploads.map(({ upload }) => writer.resign(upload)));
    const live = uploads.filter((_, index) => resigned[index].status === 200);
    assert.equal(live.length, 16);
    const [first] = live as [UploadReply];
    ok(await writer.commit(first.upload, await sendParts(first, oneFile)), 200);
  });

  test("open, begin and commit in one heap: what is acknowledged is there, in order, and nothing else", async () => {
    const artifact = uniqueName("heap");
    const first = await Writer.open(callers[0], artifact);
    const prepared = await Promise.all(
      ["03", "05", "07"].map(async (version) => ({ version, ...(await first.sent(version)) })),
    );
    const acknowledged = new Set<string>();
    const epochs: number[] = [];
    const begun: { writer: Writer; version: string; upload: UploadReply }[] = [];
    await atOnce(async (index) => {
      const writer = through(first, index);
      if (index % 10 === 7 && index > 20) {
        const reply = await tryOpen(writer.caller, artifact, { mode: "latest" });
        if (reply.status === 200) epochs.push(ok<{ epoch: number }>(reply, 200).epoch);
        else assert.deepEqual(codeOf(reply), [404, "not_found"]);
      } else if (index % 9 !== 4) {
        const { version, id, sent } = turn(prepared, index >> 1);
        const reply = await writer.commit(id, sent);
        if (reply.status === 200) acknowledged.add(version);
        else assertRefused(reply);
      } else {
        // Few enough that none is dropped for being the 17th (A11).
        const version = `${20 + index}`;
        const reply = await writer.tryBegin(version);
        if (reply.status === 201) begun.push({ writer, version, upload: ok(reply, 201) });
        else assertRefused(reply);
      }
    });
    assert.equal(new Set(epochs).size, epochs.length);
    for (const { writer, version, upload } of begun) {
      const reply = await sendParts(upload, oneFile).then(
        (sent) => writer.commit(upload.upload, sent),
        () => undefined,
      );
      if (reply === undefined) continue;
      if (reply.status === 200) acknowledged.add(version);
      else assertRefused(reply);
    }
    const { versions } = await callers.at(-1)!.list(artifact);
    assert.deepEqual(
      versions.map(({ version }) => version),
      [...acknowledged].sort(),
    );
    const last = await callers[0].open(artifact, versions.length === 0 ? "new" : "latest");
    assert.equal(last.epoch, Math.max(1, ...epochs) + 1);
  });

  test("the same note: every write is taken, and all nodes give one of them", async () => {
    const artifact = uniqueName("note");
    const query = { artifact, note: "n" };
    const headers = { "content-type": "application/octet-stream" };
    const replies = await atOnce((index) =>
      turn(callers, index).request("artifacts/note", query, {
        method: "PUT",
        body: `note ${index}`,
        headers,
      }),
    );
    assert.ok(replies.every(({ status }) => status === 204));
    const read = await Promise.all(
      callers.map(async (caller) => (await caller.request("artifacts/note", query)).text),
    );
    assert.match(read[0], /^note \d+$/);
    assert.equal(new Set(read).size, 1);
  });

  test("the same location: it is added once", async () => {
    const body = locationBody(store, { path: "same" });
    // A few: each is probed first, and a probe may take too long on a slow machine.
    const add = async (index: number): Promise<HttpReply> => {
      for (let tries = 1; ; tries++) {
        const reply = await turn(owners, index).tryAdd(body);
        const isLate = reply.status === 400 && reply.text.includes(": timeout.");
        if (!isLate || tries === 20) return reply;
      }
    };
    const replies = await Promise.all([0, 1, 2, 3, 4].map(add));
    const codes = replies.map(({ status }) => status);
    assert.ok(
      // Four are probed at once; who waits too long for a place gets 429.
      codes.every((status) => [201, 409, 429].includes(status)),
      codes.join(" "),
    );
    assert.equal(codes.filter((status) => status === 201).length, 1, codes.join(" "));
    const { locations } = await owners.at(-1)!.view();
    assert.equal(locations.filter(({ path }) => path === "same").length, 1);
  });

  test("retiring against becoming the fallback: there is always one, and it is active", async () => {
    const { locations } = await owners[0].view();
    const active = locations.filter(({ state }) => state === "active");
    assert.equal(active.length, 2);
    const requireOne = ({ locations: seen, ready }: { locations: Location[]; ready: boolean }) => {
      const fallbacks = seen.filter(({ fallback }) => fallback);
      assert.deepEqual([fallbacks.length, fallbacks[0]?.state, ready], [1, "active", true]);
    };
    const replies = await atOnce(async (index) => {
      const owner = turn(owners, index);
      if (index % 4 === 3) {
        requireOne(await owner.view());
        return undefined;
      }
      const { id } = active[(index >> 1) % 2];
      const retires = index > many / 2 && index % 3 === 0;
      return owner.tryChange(id, retires ? { state: "retired" } : { fallback: true });
    });
    for (const reply of replies) {
      if (reply === undefined || reply.status === 200) continue;
      assert.deepEqual(codeOf(reply), [409, "conflict"]);
    }
    for (const owner of owners) requireOne(await owner.view());
  });

  test("the same key: it is revoked once, and refused everywhere", async () => {
    const made = await owners[0].request("POST", "api-keys", {}, { name: "short-lived" });
    const { key, secret } = parseObject(made.text) as { key: { id: string }; secret: string };
    const replies = await atOnce((index) =>
      turn(owners, index).request("DELETE", "api-keys", { id: key.id }),
    );
    const codes = replies.map(({ status }) => status);
    assert.equal(codes.filter((status) => status === 204).length, 1);
    assert.equal(codes.filter((status) => status === 404).length, many - 1);
    for (const { target } of callers) {
      const reply = await new ArtifactCaller(target, secret).request("whoami", {});
      assert.equal(reply.status, 401);
    }
  });
}

/** Checks that a reply is one that a writer may get when others were faster. */
function assertRefused(reply: HttpReply): void {
  const [status, code] = codeOf(reply);
  assert.equal(status, 409, reply.text);
  assert.ok(code === "superseded" || code === "not_after_latest", reply.text);
}

function codeOf(reply: HttpReply): [number, unknown] {
  return [reply.status, parseObject(reply.text).error];
}

function startNode(
  shared: string,
  name: string,
  databaseUrl: string | undefined,
): Promise<Service> {
  const directory = join(shared, name);
  mkdirSync(directory);
  const keyFile = join(shared, "master.key");
  writeFileSync(keyFile, `${"7b".repeat(32)}\n`, { mode: 0o600 });
  const flags = ["--artifacts", join(shared, "artifacts"), "--master-key-file", keyFile];
  const allowPrivate = ["127.0.0.0/8"];
  return Service.start({ directory, databaseUrl, flags, people: true, allowPrivate });
}
