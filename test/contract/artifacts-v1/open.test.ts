import assert from "node:assert/strict";
import { test } from "node:test";
import type { VersionRecord } from "@lossless/protocol";
import { organizations } from "../../service.ts";
import { ArtifactCaller, fails, fetchBytes, type Files, place } from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { oneFile, opened, tryOpen, Writer } from "../writer.ts";

topic(
  "open",
  (system) => {
    const acme = new ArtifactCaller(system, organizations.acme.key);
    const rival = new ArtifactCaller(system, organizations.rival.key);

    test("endpoint table, A5: new gives an epoch, and no version and source", async () => {
      const reply = await opened(acme, uniqueName("new"), { mode: "new" });
      assert.deepEqual(reply, { epoch: 1, version: null, source: null });
    });

    test("A4, A8: latest of an artifact without versions is not_found and changes no epoch", async () => {
      const artifact = uniqueName("none");
      await fails(tryOpen(acme, artifact, { mode: "latest" }), 404, "not_found");
      const writer = await Writer.open(acme, artifact);
      assert.equal(writer.epoch, 1);
      const { id, sent } = await writer.sent("1");
      await fails(tryOpen(acme, artifact, { mode: "latest" }), 404, "not_found");
      assert.equal((await writer.commit(id, sent)).status, 200);
    });

    test("A5: latest gives the newest record, with the addresses of its files", async () => {
      const writer = await Writer.open(acme);
      const { artifact } = writer;
      await writer.write("1", { old: Buffer.from("old") });
      await writer.write("2", { a: Buffer.from("A"), "b/c": Buffer.alloc(0) });
      const reply = await opened(acme, artifact, { mode: "latest" });
      assert.deepEqual([reply.epoch, reply.source], [2, null]);
      const record = reply.version!;
      const read = await acme.read(artifact, "2");
      const unsigned = (one: VersionRecord) => ({
        ...one,
        expires: null,
        files: one.files.map((file) => ({ ...file, url: null })),
      });
      assert.deepEqual(unsigned(record), { ...read, transfer: record.transfer });
      assert.ok(Math.abs(Date.parse(record.expires!) - Date.now() - 3_600_000) < 60_000);
      assert.equal((await fetchBytes(record.files[0].url)).toString(), "A");
      assert.equal((await fetchBytes(record.files[1].url)).length, 0);
      const here = { ...place, cloud: read.location.cloud, region: read.location.region };
      const near = await opened(acme, artifact, { mode: "latest", place: here });
      assert.equal(near.version!.transfer, "local");
    });

    test("A5: at most 100 addresses are in the reply", async () => {
      const files: Files = {};
      for (let at = 0; at < 101; at++) files[`f${at}`] = Buffer.from(`${at}`);
      const writer = await Writer.open(acme);
      await writer.write("1", files);
      const { version } = await opened(acme, writer.artifact, { mode: "latest" });
      assert.equal(version!.files.length, 101);
      assert.equal(version!.files.filter(({ url }) => url !== null).length, 100);
    });

    test("A5: fork gives the newest record of the source, and the source's path", async () => {
      const source = await Writer.open(acme);
      await source.write("1");
      await source.write("2", { two: Buffer.from("2") });
      const artifact = uniqueName("fork");
      const reply = await opened(acme, artifact, { mode: "fork", source: source.artifact });
      assert.deepEqual([reply.epoch, reply.source], [1, source.artifact]);
      assert.deepEqual([reply.version!.artifact, reply.version!.version], [source.artifact, "2"]);
      assert.equal((await fetchBytes(reply.version!.files[0].url)).toString(), "2");
      // The fork itself has no version until one is committed, and its source goes on.
      await fails(acme.request("versions/read", { artifact, version: "latest" }), 404, "not_found");
      await source.write("3");
      await new Writer(acme, artifact, reply.epoch).write("0");
      assert.equal((await acme.read(artifact)).artifact, artifact);
    });

    test("A6, T09: a source that is missing, empty or another organization's is not_found", async () => {
      const empty = await Writer.open(acme);
      const foreign = await Writer.open(rival);
      await foreign.write("1");
      const artifact = uniqueName("fork");
      for (const source of [uniqueName("missing"), empty.artifact, foreign.artifact, artifact]) {
        await fails(tryOpen(acme, artifact, { mode: "fork", source }), 404, "not_found");
      }
      assert.equal((await acme.open(artifact)).epoch, 1, "A8");
    });

    test("A6: a fork without a source, and a source with another mode, are bad_request", async () => {
      const source = await Writer.open(acme);
      await source.write("1");
      const artifact = uniqueName("fork");
      await fails(tryOpen(acme, artifact, { mode: "fork" }), 400, "bad_request");
      const sources = [source.artifact, "", "../x", "a//b", 1];
      for (const wrong of sources.slice(1)) {
        await fails(tryOpen(acme, artifact, { mode: "fork", source: wrong }), 400, "bad_request");
      }
      for (const mode of ["new", "latest"]) {
        const body = { mode, source: source.artifact };
        await fails(tryOpen(acme, artifact, body), 400, "bad_request");
      }
    });

    test("rule 1, A8: new and fork of an artifact with versions are not_empty, its writer goes on", async () => {
      const source = await Writer.open(acme);
      await source.write("1");
      const writer = await Writer.open(acme);
      await writer.write("1");
      const { artifact } = writer;
      await fails(tryOpen(acme, artifact, { mode: "new" }), 409, "not_empty");
      const fork = { mode: "fork", source: source.artifact };
      await fails(tryOpen(acme, artifact, fork), 409, "not_empty");
      await fails(tryOpen(acme, artifact, { mode: "fork", source: artifact }), 409, "not_empty");
      await fails(tryOpen(acme, artifact, { mode: "fork", source: "absent" }), 409, "not_empty");
      await fails(tryOpen(acme, artifact, { mode: "none" }), 400, "bad_request");
      await writer.write("2");
    });

    test("rule 1, A30: an upload that is not committed is no version", async () => {
      const writer = await Writer.open(acme);
      await writer.begin("1");
      const again = await Writer.open(acme, writer.artifact, "new");
      assert.equal(again.epoch, 2);
    });

    test("states, artifact: each open gives a new epoch and supersedes the writers before", async () => {
      const first = await Writer.open(acme);
      const { artifact } = first;
      const second = await Writer.open(acme, artifact);
      const third = await Writer.open(acme, artifact);
      assert.deepEqual([first.epoch, second.epoch, third.epoch], [1, 2, 3]);
      for (const writer of [first, second]) {
        await fails(writer.tryBegin("1"), 409, "superseded", 3);
      }
      await third.write("1");
      assert.equal((await opened(acme, artifact, { mode: "latest" })).epoch, 4);
      await fails(third.tryBegin("2"), 409, "superseded", 4);
    });

    test("A7: epochs are per organization and path, and go on after a restart", async () => {
      const artifact = uniqueName("epochs");
      const open = async (caller: ArtifactCaller, path = artifact) =>
        (await caller.open(path)).epoch;
      assert.deepEqual([await open(acme), await open(acme), await open(rival)], [1, 2, 1]);
      assert.equal(await open(acme, artifact.toUpperCase()), 1, "A1: case-sensitive");
      assert.equal(await open(acme, `${artifact}/x`), 1);
      await system.service.kill();
      await system.service.start();
      assert.deepEqual([await open(acme), await open(rival)], [3, 2]);
    });

    test("A1: which paths an artifact can have", async () => {
      const unique = uniqueName("p");
      const longest = `${unique}/`.padEnd(255, "x");
      const good = [
        `${unique}/ü 日本/%2e%2e/…/...`,
        `${unique}/.hidden/-/~`,
        `${unique}/${"s".repeat(255)}`,
        [longest.slice(0, 255), "y".repeat(255), "z".repeat(255), "w".repeat(256 - 1)].join("/"),
        `${unique}/${"é".repeat(127)}`,
        `${unique}/latest`,
        `${unique}/_manifest.json`,
        `${unique}/a#b?c&d=e+f;g`,
      ];
      for (const path of good) {
        assert.equal((await opened(acme, path, { mode: "new" })).epoch, 1, path);
        const entry = new Writer(acme, path, 1);
        await entry.write("1");
        assert.equal((await acme.read(path)).artifact, path);
      }
      const bad = [
        "",
        "/",
        ".",
        "..",
        "/a",
        "a/",
        "a//b",
        "a/./b",
        "a/../b",
        "../x",
        "a/..",
        "a\\b",
        "..\\x",
        "C:\\x",
        "a\u0000b",
        "a\u001fb",
        "a\nb",
        "a\u007fb",
        "x".repeat(256),
        `a/${"é".repeat(128)}`,
        `${"abcdefg/".repeat(128)}x`,
      ];
      for (const path of bad) {
        await fails(tryOpen(acme, path, { mode: "new" }), 400, "bad_request");
        await fails(acme.request("versions/list", { artifact: path }), 400, "bad_request");
      }
      await fails(tryOpen(acme, undefined, { mode: "new" }), 400, "bad_request");
    });

    test("A19: the words of a place have 0 to 128 characters", async () => {
      const artifact = uniqueName("place");
      const words = ["", " ", "x".repeat(128), "\u{1f600}".repeat(128), "<b>é\n"];
      for (const word of words) {
        const body = { mode: "new", place: { cloud: word, region: word, source: word } };
        assert.equal((await tryOpen(acme, artifact, body)).status, 200, JSON.stringify(word));
      }
      for (const field of ["cloud", "region", "source"]) {
        for (const wrong of ["x".repeat(129), 1, null, ["x"]]) {
          const body = { mode: "new", place: { ...place, [field]: wrong } };
          await fails(tryOpen(acme, artifact, body), 400, "bad_request");
        }
        const { [field as "cloud"]: _, ...rest } = place;
        await fails(tryOpen(acme, artifact, { mode: "new", place: rest }), 400, "bad_request");
      }
    });

    test("A62: a body of another form is bad_request, and opens nothing", async () => {
      const artifact = uniqueName("form");
      const wrong: unknown[] = [
        {},
        { mode: "new" },
        { place },
        { mode: "New", place },
        { mode: null, place },
        { mode: "new", place: null },
        { mode: "new", place: { ...place, zone: "x" } },
        { mode: "new", place, extra: 1 },
        [{ mode: "new", place }],
        "new",
        null,
        "",
        "{",
        '{"mode":"new","mode":"new","place":{"cloud":"","region":"","source":""}}',
      ];
      for (const body of wrong) {
        await fails(acme.post("artifacts/open", { artifact }, body), 400, "bad_request");
      }
      assert.equal((await acme.open(artifact)).epoch, 1);
    });

    test("A30, A36: an open without a commit is no artifact of the list", async () => {
      const writer = await Writer.open(acme);
      await writer.sent("1", oneFile);
      assert.deepEqual((await acme.artifacts({ under: writer.artifact })).artifacts, []);
    });
  },
  { alone: true },
);
