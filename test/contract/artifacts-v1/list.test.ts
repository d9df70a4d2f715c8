import assert from "node:assert/strict";
import { test } from "node:test";
import type { VersionRecord } from "@lossless/protocol";
import { inParallel } from "@lossless/client/in-parallel";
import { organizations } from "../../service.ts";
import { ArtifactCaller, fails, fetchBytes, type Files } from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

const versionsOf = ({ versions }: { versions: VersionRecord[] }) =>
  versions.map(({ version }) => version);
const signedIn = ({ files }: VersionRecord) => files.filter(({ url }) => url !== null).length;

topic("lists", (system) => {
  const acme = new ArtifactCaller(system, organizations.acme.key);
  const rival = new ArtifactCaller(system, organizations.rival.key);

  test("A33: versions of an unknown artifact are an empty page", async () => {
    assert.deepEqual(await acme.list(uniqueName("none")), { versions: [], next: null });
  });

  test("rule 7: committed versions in name order, as read gives them", async () => {
    const writer = await Writer.open(acme);
    const order = ["1", "10", "2", "A", "a", "a.b"];
    for (const version of order) await writer.write(version, { [version]: Buffer.from(version) });
    await writer.sent("z");
    const page = await acme.list(writer.artifact);
    assert.deepEqual(versionsOf(page), order, "A30: without the pending one");
    assert.equal(page.next, null);
    for (const record of page.versions) {
      assert.deepEqual(record, await acme.read(writer.artifact, record.version));
    }
    assert.deepEqual(await rival.list(writer.artifact), { versions: [], next: null }, "T09");
  });

  test("A34: after is exclusive, and any name will do", async () => {
    const writer = await Writer.open(acme);
    for (const version of ["1", "3", "5"]) await writer.write(version);
    const after = async (name: string) =>
      versionsOf(await acme.list(writer.artifact, { after: name }));
    assert.deepEqual(await after("1"), ["3", "5"]);
    assert.deepEqual(await after("2"), ["3", "5"]);
    assert.deepEqual(await after("0"), ["1", "3", "5"]);
    assert.deepEqual(await after("5"), []);
    assert.deepEqual(await after("zzz"), []);
    assert.deepEqual(await after(""), ["1", "3", "5"]);
    for (const wrong of ["a/b", "a b", "x".repeat(129), "é"]) {
      const reply = acme.request("versions/list", { artifact: writer.artifact, after: wrong });
      await fails(reply, 400, "bad_request");
    }
    for (const urls of ["2", ""]) {
      const reply = acme.request("versions/list", { artifact: writer.artifact, urls });
      await fails(reply, 400, "bad_request");
    }
    await fails(acme.request("versions/list", {}), 400, "bad_request");
  });

  test("A35, limits: with urls=1 the newest versions are signed, whole files, up to 100", async () => {
    const writer = await Writer.open(acme);
    const files = (count: number): Files =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`f${at}`, Buffer.from("z")]));
    for (const [version, count] of [
      ["1", 5],
      ["2", 70],
      ["3", 20],
      ["4", 25],
    ] as const) {
      await writer.write(version, files(count));
    }
    const none = await acme.list(writer.artifact);
    assert.ok(none.versions.every((one) => signedIn(one) === 0 && one.expires === null));
    const page = await acme.list(writer.artifact, { urls: "1", cloud: "x" });
    assert.deepEqual(page.versions.map(signedIn), [0, 55, 20, 25]);
    assert.ok(page.versions.every(({ transfer }) => transfer === "cross-cloud"));
    assert.deepEqual(
      page.versions.map(({ expires }) => expires !== null),
      [false, true, true, true],
      "expires is null when none are signed",
    );
    assert.equal((await fetchBytes(page.versions[3].files[24].url)).toString(), "z");
    const whole = await acme.read(writer.artifact, "1", { urls: "1" });
    assert.equal(signedIn(whole), 5, "rule 7: read signs any single version");
  });

  test("A36, rule 8: under is a prefix of the path, bytewise and literal", async () => {
    const root = uniqueName("list");
    const names = ["a", "a%c", "a/b", "a_c", "abc", "B", "é", "\u{1f600}", "\uffee", "x/y/z"];
    await inParallel(4, names, async (name) => {
      await (await Writer.open(acme, `${root}/${name}`)).write("1");
    });
    await Writer.open(acme, `${root}/empty`);
    const list = async (under: string, after?: string) =>
      (await acme.artifacts({ under: `${root}/${under}`, after })).artifacts.map(({ artifact }) =>
        artifact.slice(root.length + 1),
      );
    const inByteOrder = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(await list(""), inByteOrder);
    assert.deepEqual(await list("a"), ["a", "a%c", "a/b", "a_c", "abc"], "starts with");
    assert.deepEqual(await list("a/"), ["a/b"]);
    assert.deepEqual(await list("a%"), ["a%c"], "T49");
    assert.deepEqual(await list("a_"), ["a_c"], "T49");
    assert.deepEqual(await list("A"), []);
    assert.deepEqual(await list("b"), [], "case-sensitive");
    assert.deepEqual(await list("x/y/z"), ["x/y/z"]);
    for (const literal of ["*", "?", "a'", "a\\", "[a]", "' OR 1=1 --", "a\u0001"]) {
      const reply = await acme.request("artifacts/list", { under: `${root}/${literal}` });
      assert.ok(reply.status === 400 || JSON.parse(reply.text).artifacts.length === 0, literal);
    }
    assert.deepEqual(
      await list("", `${root}/a/b`),
      inByteOrder.slice(inByteOrder.indexOf("a/b") + 1),
    );
    assert.deepEqual(
      await list("", `${root}/a0`),
      inByteOrder.filter((name) => Buffer.compare(Buffer.from(name), Buffer.from("a0")) > 0),
    );
    assert.deepEqual((await rival.artifacts({ under: root })).artifacts, [], "T09");
    const all = await acme.artifacts();
    assert.ok(
      all.artifacts.some(({ artifact }) => artifact === `${root}/a`),
      "A36: absent = all",
    );
    assert.deepEqual(await acme.artifacts({ under: "" }), all);
  });

  test("artifact index entry: counts, bytes, the latest version and its source", async () => {
    const writer = await Writer.open(acme);
    await writer.write("1", { a: Buffer.from("12345") });
    await writer.write("2", oneFile);
    await writer.begin("3");
    const { artifact } = writer;
    const { committed } = await acme.read(artifact);
    const { artifacts, next } = await acme.artifacts({ under: artifact });
    assert.deepEqual(artifacts, [
      { artifact, versions: 2, bytes: 12, latest: "2", lastCommit: committed, source: "test" },
    ]);
    assert.equal(next, null);
  });

  test("A37, rule 8: a commit is in the index within a second, and in latest at once", async () => {
    const writer = await Writer.open(acme);
    await writer.write("1");
    assert.equal((await acme.read(writer.artifact)).version, "1");
    const endMs = Date.now() + 1_000;
    const found = async () => (await acme.artifacts({ under: writer.artifact })).artifacts.length;
    let count = await found();
    while (count === 0 && Date.now() < endMs) count = await found();
    assert.equal(count, 1);
  });

  test("limits: a page of versions holds 200, and next leads to the rest", async () => {
    const writer = await Writer.open(acme);
    const names = Array.from({ length: 201 }, (_, at) => `v${String(at).padStart(3, "0")}`);
    for (const version of names) await writer.write(version, { f: Buffer.alloc(0) });
    const first = await acme.list(writer.artifact, { urls: "1" });
    assert.deepEqual(versionsOf(first), names.slice(0, 200));
    assert.equal(first.next, "v199", "A34: the last name of the page");
    const signed = first.versions.filter((one) => signedIn(one) === 1);
    assert.deepEqual(versionsOf({ versions: signed }), names.slice(100, 200), "A35");
    const rest = await acme.list(writer.artifact, { after: first.next });
    assert.deepEqual([versionsOf(rest), rest.next], [["v200"], null]);
    const exact = await acme.list(writer.artifact, { after: "v000" });
    assert.deepEqual([exact.versions.length, exact.next], [200, null]);
  });
});
