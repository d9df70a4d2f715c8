import assert from "node:assert/strict";
import { test } from "node:test";
import { ok, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import {
  ArtifactCaller,
  fails,
  type Files,
  sendPart,
  sendParts,
  type SentFile,
} from "../artifact-caller.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

const partBytes = 8 * 1_048_576;
const mixed: Files = {
  large: Buffer.concat([
    Buffer.alloc(partBytes, "1"),
    Buffer.alloc(partBytes, "2"),
    Buffer.from("3"),
  ]),
  small: Buffer.from("s"),
  empty: Buffer.alloc(0),
};

topic(
  "commit",
  (system) => {
    const acme = new ArtifactCaller(system, organizations.acme.key);
    const rival = new ArtifactCaller(system, organizations.rival.key);

    async function bytesOf(writer: Writer, version: string): Promise<Record<string, Buffer>> {
      const { files } = await acme.read(writer.artifact, version, { urls: "1" });
      const found: Record<string, Buffer> = {};
      for (const { name, url } of files) {
        found[name] = Buffer.from(await (await fetch(url!)).arrayBuffer());
      }
      return found;
    }

    test("endpoint table, states, A64: 200 {version, committed}, and the version is the latest", async () => {
      const writer = await Writer.open(acme);
      const { id, sent } = await writer.sent("1");
      const beganMs = Date.now();
      const reply = parseObject((await writer.commit(id, sent)).text);
      assert.deepEqual(Object.keys(reply).sort(), ["committed", "version"]);
      assert.equal(reply.version, "1");
      assert.match(String(reply.committed), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      assert.ok(Math.abs(Date.parse(String(reply.committed)) - beganMs) < 60_000);
      const latest = await acme.read(writer.artifact);
      assert.deepEqual([latest.version, latest.committed], ["1", reply.committed]);
    });

    test("rule 5, A30: before the commit there is nothing to read", async () => {
      const writer = await Writer.open(acme);
      await writer.sent("1");
      const { artifact } = writer;
      for (const version of ["1", "latest"]) {
        await fails(acme.request("versions/read", { artifact, version }), 404, "not_found");
      }
      assert.deepEqual(await acme.list(artifact), { versions: [], next: null });
      assert.deepEqual((await acme.artifacts({ under: artifact })).artifacts, []);
    });

    test("A23, T40: what does not match is bad_request, and the upload stays pending", async () => {
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1", mixed);
      const sent = await sendParts(upload, mixed);
      const [large, small, empty] = sent as [SentFile, SentFile, SentFile];
      const wrong: [string, SentFile[]][] = [
        ["no file", []],
        ["a missing file", [large, small]],
        ["an extra file", [...sent, { name: "more", etags: ['"0"'] }]],
        ["another file", [large, small, { ...empty, name: "emptY" }]],
        ["a file twice", [large, small, empty, small]],
        ["a missing part", [{ ...large, etags: large.etags.slice(1) }, small, empty]],
        ["an extra part", [{ ...large, etags: [...large.etags, large.etags[2]] }, small, empty]],
        ["reordered parts", [{ ...large, etags: large.etags.toReversed() }, small, empty]],
        [
          "another part's",
          [{ ...large, etags: large.etags.with(0, large.etags[1]) }, small, empty],
        ],
        [
          "a wrong etag",
          [large, { ...small, etags: ['"0123456789abcdef0123456789abcdef"'] }, empty],
        ],
        ["no etags", [large, { ...small, etags: [] }, empty]],
        ["the etags of another file", [large, { ...small, etags: empty.etags }, empty]],
      ];
      for (const [what, files] of wrong) {
        const reply = await writer.commit(upload.upload, files);
        assert.equal(reply.status, 400, `${what}: ${reply.status} ${reply.text}`);
        await fails(reply, 400, "bad_request");
      }
      assert.equal((await writer.resign(upload.upload)).status, 200);
      ok(await writer.commit(upload.upload, sent), 200);
      assert.deepEqual(await bytesOf(writer, "1"), mixed);
    });

    test("A23, T40: a part that was never sent is bad_request, and can be sent then", async () => {
      const writer = await Writer.open(acme);
      const upload = await writer.begin("1", mixed);
      const [large, small, empty] = upload.files;
      const body = (at: number) => mixed.large.subarray(at * partBytes, (at + 1) * partBytes);
      const [one, three] = [
        await sendPart(large.parts[0], body(0)),
        await sendPart(large.parts[2], body(2)),
      ];
      const etag = async (at: typeof small, bytes: Buffer) =>
        String((await sendPart(at.parts[0], bytes)).headers.etag);
      const rest = [
        { name: "small", etags: [await etag(small, mixed.small)] },
        { name: "empty", etags: [await etag(empty, mixed.empty)] },
      ];
      const tags = [
        String(one.headers.etag),
        '"00000000000000000000000000000000"',
        String(three.headers.etag),
      ];
      const commit = () => writer.commit(upload.upload, [{ name: "large", etags: tags }, ...rest]);
      assert.match(await fails(commit(), 400, "bad_request"), /Part 2 of the file/);
      tags[1] = String((await sendPart(large.parts[1], body(1))).headers.etag);
      ok(await commit(), 200);
      assert.deepEqual(await bytesOf(writer, "1"), mixed);
    });

    test("rule 3: files are named in any order, etags with or without their quotes, or weak ones", async () => {
      const writer = await Writer.open(acme);
      const changed = (
        sent: { name: string; etags: string[] }[],
        change: (etag: string) => string,
      ) => sent.map(({ name, etags }) => ({ name, etags: etags.map(change) }));
      const first = await writer.sent("1", mixed);
      const bare = changed(first.sent, (etag) => etag.replaceAll('"', ""));
      ok(await writer.commit(first.id, bare.toReversed()), 200);
      const second = await writer.sent("2", mixed);
      const weak = changed(second.sent, (etag) => `W/"${etag.replaceAll('"', "")}"`);
      ok(await writer.commit(second.id, weak), 200);
      const names = (await acme.read(writer.artifact)).files.map(({ name }) => name);
      assert.deepEqual(names.sort(), Object.keys(mixed).sort());
    });

    test("A24: a repeated commit gets the same body, also after a takeover and a higher version", async () => {
      const writer = await Writer.open(acme);
      const { id, sent } = await writer.sent("1");
      const first = await writer.commit(id, sent);
      ok(first, 200);
      assert.equal((await writer.commit(id, sent)).text, first.text);
      await writer.write("2");
      assert.equal((await writer.commit(id, sent)).text, first.text);
      const next = await Writer.open(acme, writer.artifact, "latest");
      const again = await writer.commit(id, sent);
      assert.deepEqual([again.status, again.text], [200, first.text]);
      await next.write("3");
      await system.service.kill();
      await system.service.start();
      assert.equal((await writer.commit(id, sent)).text, first.text);
      const { versions } = await acme.list(writer.artifact);
      assert.deepEqual(
        versions.map(({ version }) => version),
        ["1", "2", "3"],
      );
    });

    test("states, A25, T10: after another open the commit is superseded, and nothing changes", async () => {
      const writer = await Writer.open(acme);
      const { id, sent } = await writer.sent("1");
      const next = await Writer.open(acme, writer.artifact);
      await fails(writer.commit(id, sent), 409, "superseded", 2);
      await fails(writer.commit(id, sent, { epoch: 2 }), 404, "not_found");
      assert.deepEqual(await acme.list(writer.artifact), { versions: [], next: null });
      await next.write("1", { other: Buffer.from("next") });
      assert.deepEqual(await bytesOf(writer, "1"), { other: Buffer.from("next") });
      await fails(writer.commit(id, sent), 409, "superseded", 2);
    });

    test("states: after a version at or above it the commit is not_after_latest", async () => {
      const writer = await Writer.open(acme);
      const [below, same] = [await writer.sent("1"), await writer.sent("2")];
      await writer.write("2", { winner: Buffer.from("w") });
      for (const { id, sent } of [below, same]) {
        const message = await fails(writer.commit(id, sent), 409, "not_after_latest");
        assert.match(message, /\b2\b/, "A2: names the latest");
      }
      assert.deepEqual(await bytesOf(writer, "latest"), { winner: Buffer.from("w") });
    });

    test("A10: not_found comes before superseded, superseded before not_after_latest", async () => {
      const writer = await Writer.open(acme);
      const { id, sent } = await writer.sent("1");
      await writer.write("2");
      await acme.open(writer.artifact, "latest");
      await fails(writer.commit("unknown", sent), 404, "not_found");
      await fails(writer.commit(id, sent), 409, "superseded", 2);
    });

    test("A9, T41: an epoch that is not the current one, and one of the wrong type", async () => {
      const writer = await Writer.open(acme);
      const { id, sent } = await writer.sent("1");
      const wrong = [0, 2, 2 ** 53 - 1].map((epoch) => writer.commit(id, sent, { epoch }));
      for (const reply of wrong) await fails(reply, 409, "superseded", 1);
      for (const epoch of ["1", 1.5, -1, null, undefined]) {
        await fails(writer.commit(id, sent, { epoch }), 400, "bad_request");
      }
      ok(await writer.commit(id, sent, { epoch: 1 }), 200);
    });

    test("T10, T11: an upload of another artifact or organization is not_found", async () => {
      const writer = await Writer.open(acme);
      const neighbour = await Writer.open(acme);
      await rival.open(writer.artifact);
      const { id, sent } = await writer.sent("1");
      await fails(neighbour.commit(id, sent), 404, "not_found");
      await fails(new Writer(rival, writer.artifact, 1).commit(id, sent), 404, "not_found");
      await fails(new Writer(acme, `${writer.artifact}/x`, 1).commit(id, sent), 404, "not_found");
      ok(await writer.commit(id, sent), 200);
      await fails(new Writer(rival, writer.artifact, 1).commit(id, sent), 404, "not_found");
    });

    test("A62: a body of another form is bad_request", async () => {
      const writer = await Writer.open(acme);
      const { id, sent } = await writer.sent("1");
      const wrong: object[] = [
        { files: undefined },
        { files: null },
        { files: {} },
        { files: [null] },
        { files: [{ name: "model.bin" }] },
        { files: [{ name: "model.bin", etags: "x" }] },
        { files: [{ name: "model.bin", etags: [1] }] },
        { files: [{ ...sent[0], size: 7 }] },
        { extra: 1 },
      ];
      for (const more of wrong) {
        await fails(writer.commit(id, sent, more), 400, "bad_request");
      }
      const { artifact } = writer;
      const body = { epoch: 1, files: sent };
      for (const query of [{ artifact }, { upload: id }, {}]) {
        await fails(acme.post("versions/commit", query, body), 400, "bad_request");
      }
      ok(await writer.commit(id, sent), 200);
    });

    test("a version may hold what the one before held; both stay as they were", async () => {
      const writer = await Writer.open(acme);
      await writer.write("1", oneFile);
      await writer.write("2", { "model.bin": Buffer.from("changed") });
      assert.deepEqual(await bytesOf(writer, "1"), oneFile);
      assert.deepEqual(await bytesOf(writer, "2"), { "model.bin": Buffer.from("changed") });
    });
  },
  { alone: true },
);
