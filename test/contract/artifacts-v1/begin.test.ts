import assert from "node:assert/strict";
import { test } from "node:test";
import type { UploadReply } from "@lossless/protocol";
import { ok } from "../../http.ts";
import { organizations } from "../../service.ts";
import {
  ArtifactCaller,
  fails,
  type Files,
  place,
  sendPart,
  sendParts,
  sizes,
} from "../artifact-caller.ts";
import { uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

const mebibyte = 1_048_576;
const tebibyte = 1_024 ** 4;

topic("begin", (system) => {
  const acme = new ArtifactCaller(system, organizations.acme.key);
  const rival = new ArtifactCaller(system, organizations.rival.key);

  test("endpoint table, rule 2: 201 with the placement and one address per part", async () => {
    const writer = await Writer.open(acme);
    const files: Files = { a: Buffer.from("a"), "b/c d": Buffer.alloc(0) };
    const reply = await writer.begin("1", files);
    const keys = (value: object) => Object.keys(value).sort();
    assert.deepEqual(keys(reply), ["expires", "files", "placement", "upload", "warning"]);
    assert.deepEqual(keys(reply.placement), ["location", "match"]);
    assert.deepEqual(keys(reply.placement.location), ["cloud", "id", "region"]);
    assert.equal(reply.warning, null);
    assert.match(reply.expires, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, "A64");
    const lifetimeMs = Date.parse(reply.expires) - Date.now();
    assert.ok(Math.abs(lifetimeMs - 3_600_000) < 60_000, "limits: signed URLs live 60 minutes");
    assert.deepEqual(
      reply.files.map(({ name, size, parts }) => [name, size, parts.length]),
      [
        ["a", 1, 1],
        ["b/c d", 0, 1],
      ],
    );
    for (const { parts } of reply.files) {
      assert.deepEqual(keys(parts[0]), ["headers", "url"]);
      assert.ok(new URL(parts[0].url).origin.length > 0);
      assert.ok(Object.values(parts[0].headers).every((value) => typeof value === "string"));
    }
  });

  test("A2: which names a version can have", async () => {
    const writer = await Writer.open(acme);
    const good = ["0", "a", "Z", "v1.0_rc-1", "1".repeat(128), "Latest", "latest1", "a..b", "x-"];
    for (const version of good) {
      assert.equal((await writer.tryBegin(version)).status, 201, version);
    }
    const bad = [
      "",
      "latest",
      "v/1",
      "../1",
      ".1",
      "-1",
      "_1",
      "a b",
      "a%",
      "é",
      "x".repeat(129),
      "a\u0000",
      "a\n",
      " a",
      "a ",
      undefined,
    ];
    for (const version of bad) {
      await fails(writer.tryBegin(version), 400, "bad_request");
    }
  });

  test("A2, not_after_latest: versions are ordered by their ASCII bytes", async () => {
    const writer = await Writer.open(acme);
    const order = ["0", "0-", "0.", "00", "0A", "0_", "0a", "1", "10", "9", "A", "Z", "a", "a0"];
    for (const version of order) await writer.write(version);
    const { versions } = await acme.list(writer.artifact);
    assert.deepEqual(
      versions.map(({ version }) => version),
      order,
    );
    assert.equal((await acme.read(writer.artifact)).version, "a0");
    for (const version of [...order, "a-", "Z9", "0".repeat(128)]) {
      const message = await fails(writer.tryBegin(version), 409, "not_after_latest");
      assert.match(message, /\ba0\b.*zero-pad/s);
    }
    assert.equal((await writer.tryBegin("a00")).status, 201);
  });

  test("A9, T41: an epoch that is not the current one is superseded, of the wrong type bad_request", async () => {
    const writer = await Writer.open(acme);
    for (const epoch of [0, 2, 2 ** 53 - 1]) {
      await fails(writer.tryBegin("1", { epoch }), 409, "superseded", 1);
    }
    for (const epoch of ["1", 1.5, -1, null, true, [1], 2 ** 53]) {
      await fails(writer.tryBegin("1", { epoch }), 400, "bad_request");
    }
    await fails(writer.tryBegin("1", { epoch: undefined }), 400, "bad_request");
    const never = new Writer(acme, uniqueName("never"), 1);
    await fails(never.tryBegin("1"), 409, "superseded", 0);
    await fails(never.tryBegin("1", { epoch: 0 }), 409, "superseded", 0);
    assert.equal((await acme.open(never.artifact)).epoch, 1);
  });

  test("A10: superseded comes before not_after_latest", async () => {
    const writer = await Writer.open(acme);
    await writer.write("5");
    await acme.open(writer.artifact, "latest");
    await fails(writer.tryBegin("1"), 409, "superseded", 2);
  });

  test("A11: a version can be begun several times, and the first commit wins", async () => {
    const writer = await Writer.open(acme);
    const one = await writer.sent("1", { f: Buffer.from("one") });
    const two = await writer.sent("1", { f: Buffer.from("two") });
    assert.notEqual(one.id, two.id);
    assert.equal((await writer.commit(two.id, two.sent)).status, 200);
    await fails(writer.commit(one.id, one.sent), 409, "not_after_latest");
    const { files } = await acme.read(writer.artifact, "1", { urls: "1" });
    assert.equal(await (await fetch(files[0].url!)).text(), "two");
  });

  test("A11: the newest 16 pending uploads of an artifact live, an older one is gone", async () => {
    const writer = await Writer.open(acme);
    const uploads: UploadReply[] = [];
    for (let at = 0; at < 17; at++) uploads.push(await writer.begin(`${at + 10}`));
    const [oldest, ...rest] = uploads;
    await fails(writer.resign(oldest.upload), 404, "not_found");
    for (const { upload } of rest) assert.equal((await writer.resign(upload)).status, 200);
    const late = await sendPart(oldest.files[0].parts[0], oneFile["model.bin"]);
    assert.equal(late.status, 403);
    const last = rest.at(-1)!;
    assert.equal((await writer.commit(last.upload, await sendParts(last, oneFile))).status, 200);
  });

  test("A12: uploads at or below a committed version are over", async () => {
    const writer = await Writer.open(acme);
    const [below, same, above] = [
      await writer.begin("1"),
      await writer.begin("2"),
      await writer.begin("3"),
    ];
    const rest = await sendParts(above, oneFile);
    const sent = await sendParts(below, oneFile);
    await writer.write("2");
    await fails(writer.commit(below.upload, sent), 409, "not_after_latest");
    for (const { upload, files } of [below, same]) {
      const late = await sendPart(files[0].parts[0], oneFile["model.bin"]);
      assert.equal(late.status, 403, "T12: after the abort");
      const reply = await writer.resign(upload);
      assert.ok(reply.status === 404 || reply.status === 409, reply.text);
    }
    assert.equal((await writer.commit(above.upload, rest)).status, 200);
  });

  test("A13, T35: which names a file can have", async () => {
    const writer = await Writer.open(acme);
    const good = [
      "a",
      "a/b/c",
      "ü 日本",
      "%2e%2e/x",
      "...",
      "a b",
      "a#b?c&d",
      "latest",
      "\u{1f600}",
      "a/_manifest.json",
      "_manifest.json.bak",
      ".hidden",
      "x".repeat(255),
      "A",
      `${"abcdefg/".repeat(127)}12345678`,
    ];
    const files = good.map((name) => ({ name, size: 1 }));
    const reply = ok<UploadReply>(await writer.tryBegin("1", { files }), 201);
    assert.deepEqual(
      reply.files.map(({ name }) => name),
      good,
    );
    const sent = await Promise.all(
      reply.files.map(async ({ name, parts }) => {
        const answer = await sendPart(parts[0], Buffer.from("x"));
        assert.equal(answer.status, 200, `${name}: ${answer.text}`);
        return { name, etags: [String(answer.headers.etag)] };
      }),
    );
    ok(await writer.commit(reply.upload, sent), 200);
    const record = await acme.read(writer.artifact, "1", { urls: "1" });
    for (const { name, url } of record.files) {
      assert.equal(await (await fetch(url!)).text(), "x", name);
    }
    const bad = [
      "",
      ".",
      "..",
      "/etc/passwd",
      "../x",
      "a/..",
      "a//b",
      "a/./b",
      "a/",
      "/",
      "a\\b",
      "a\\..\\b",
      "C:\\x",
      "a\u0000b",
      "a\nb",
      "a\u007f",
      "_manifest.json",
      `${"abcdefg/".repeat(128)}x`,
      "x".repeat(256),
      "é".repeat(128),
      1,
      null,
      "\ud800",
    ];
    for (const name of bad) {
      const one = [
        { name: "fine", size: 1 },
        { name, size: 1 },
      ];
      await fails(writer.tryBegin("2", { files: one }), 400, "bad_request");
    }
    const twice = [
      { name: "a", size: 1 },
      { name: "b", size: 1 },
      { name: "a", size: 1 },
    ];
    await fails(writer.tryBegin("2", { files: twice }), 400, "bad_request");
  });

  test("A14, rule 3: the sizes of files and of their parts", async () => {
    const writer = await Writer.open(acme);
    const sizes = [
      0,
      1,
      8 * mebibyte - 1,
      8 * mebibyte,
      8 * mebibyte + 1,
      16 * mebibyte,
      100 * mebibyte + 7,
      64 * 1_024 * mebibyte,
      tebibyte + 1,
      5 * tebibyte,
    ];
    for (const size of sizes) {
      const reply = ok<UploadReply>(
        await writer.tryBegin("1", { files: [{ name: "f", size }] }),
        201,
      );
      const [{ partSize, parts }] = reply.files as [UploadReply["files"][number]];
      const expected = Math.max(1, Math.ceil(size / partSize));
      assert.equal(parts.length, expected, `${size} bytes`);
      assert.ok(partSize >= 8 * mebibyte && Number.isSafeInteger(partSize));
      assert.ok(parts.length <= 10_000, "no store takes more parts");
      assert.ok(partSize <= 5 * 1_024 * mebibyte, "no store takes larger parts");
      assert.equal(new Set(parts.map(({ url }) => url)).size, parts.length);
    }
    for (const size of [-1, 0.5, 5 * tebibyte + 1, 1e300, "1", null, undefined]) {
      await fails(writer.tryBegin("1", { files: [{ name: "f", size }] }), 400, "bad_request");
    }
    const huge = Array.from({ length: 11 }, (_, at) => ({ name: `${at}`, size: 5 * tebibyte }));
    await fails(writer.tryBegin("1", { files: huge }), 400, "bad_request");
  });

  test("A14: a version has 1 to 5,000 files", async () => {
    const writer = await Writer.open(acme);
    const many = (count: number) =>
      Array.from({ length: count }, (_, at) => ({ name: `${at}`, size: at }));
    const reply = ok<UploadReply>(await writer.tryBegin("1", { files: many(5_000) }), 201);
    assert.equal(reply.files.length, 5_000);
    await fails(writer.tryBegin("1", { files: many(5_001) }), 400, "bad_request");
    await fails(writer.tryBegin("1", { files: [] }), 400, "bad_request");
  });

  test("A15: meta is an object of at most 64 KiB, and comes back as it was", async () => {
    const writer = await Writer.open(acme);
    const metas: object[] = [
      {},
      { step: 1, nested: { list: [null, true, -0.5, 1e21, "\u{1f600}\u2028"], "": {} } },
      JSON.parse('{"__proto__":{"x":1},"constructor":{"prototype":{"y":1}},"toString":1}'),
      { text: "x".repeat(65_536 - '{"text":""}'.length) },
      { é: "é".repeat((65_536 - '{"é":""}'.length - 1) / 2) },
    ];
    for (const [at, meta] of metas.entries()) {
      const upload = await writer.begin(`${at}`, oneFile, { meta });
      ok(await writer.commit(upload.upload, await sendParts(upload, oneFile)), 200);
      const record = await acme.read(writer.artifact, `${at}`);
      assert.equal(JSON.stringify(record.meta), JSON.stringify(meta));
    }
    const wrong = [
      { text: "x".repeat(65_536 - '{"text":""}'.length + 1) },
      [],
      null,
      "x",
      1,
      undefined,
    ];
    for (const meta of wrong) await fails(writer.tryBegin("9", { meta }), 400, "bad_request");
  });

  test("A15: a meta comes back letter by letter, without the space between", async () => {
    const writer = await Writer.open(acme);
    const { artifact } = writer;
    const compact = '{"seed":12345678901234567890,"z":-0,"f":1.0,"e":1E+2,"t":"\\u00e9\\/ é, : "}';
    const spaced = compact.replace('"f":1.0,', ' \t"f" :\n1.0 , ');
    const start = `{"epoch":1,"place":${JSON.stringify(place)},"files":${JSON.stringify(sizes(oneFile))}`;
    const begin = async (version: string, meta: string) =>
      acme.post("versions/begin", { artifact, version }, `${start},"m\\u0065ta":${meta}}`);
    const { upload } = ok<{ upload: string }>(await begin("1", spaced), 201);
    const pending = ok<UploadReply>(await writer.resign(upload), 200);
    ok(await writer.commit(upload, await sendParts(pending, oneFile)), 200);
    for (const [path, query] of [
      ["versions/read", { artifact, version: "1" }],
      ["versions/list", { artifact }],
    ] as const) {
      const reply = await acme.request(path, query);
      assert.ok(reply.text.includes(`,"meta":${compact},"source":`), reply.text);
    }
    // 1e20 counts 4 bytes, as it was sent; the space before it counts none.
    const most = Math.floor((65_536 - '{"n":[]}'.length + 1) / "1e20,".length);
    const numbers = (count: number) => `{"n":[${Array(count).fill(" 1e20").join()}]}`;
    ok(await begin("2", numbers(most)), 201);
    await fails(begin("3", numbers(most + 1)), 400, "bad_request");
    const next = await acme.post("artifacts/open", { artifact }, { mode: "latest", place });
    assert.ok(next.text.includes(`,"meta":${compact},"source":`), next.text);
  });

  test("A15: exclude skips locations; unknown ids are ignored; nothing left is not_ready", async () => {
    const writer = await Writer.open(acme);
    const { placement } = await writer.begin("1");
    assert.equal((await writer.tryBegin("1", { exclude: [] })).status, 201);
    assert.equal((await writer.tryBegin("1", { exclude: ["unknown", "", "é"] })).status, 201);
    const all = { exclude: ["unknown", placement.location.id, placement.location.id] };
    await fails(writer.tryBegin("1", all), 409, "not_ready");
    for (const exclude of ["x", [1], [null], null, {}]) {
      await fails(writer.tryBegin("1", { exclude }), 400, "bad_request");
    }
  });

  test("A62: a body of another form is bad_request", async () => {
    const writer = await Writer.open(acme);
    const file = { name: "f", size: 1 };
    const wrong: object[] = [
      { excluded: [] },
      { extra: 1 },
      { files: [{ ...file, sha256: "" }] },
      { files: [null] },
      { files: [["f", 1]] },
      { files: { f: 1 } },
      { files: undefined },
      { place: undefined },
      { place: { ...place, extra: "" } },
      { place: { ...place, cloud: "x".repeat(129) } },
    ];
    for (const more of wrong) await fails(writer.tryBegin("1", more), 400, "bad_request");
    const { artifact } = writer;
    for (const body of ["", "{}", "[]", "null", "{", "\ufeff{}"]) {
      const reply = acme.post("versions/begin", { artifact, version: "1" }, body);
      await fails(reply, 400, "bad_request");
    }
  });

  test("T09, T10: another organization has an artifact of its own under the same path", async () => {
    const writer = await Writer.open(acme);
    const other = new Writer(rival, writer.artifact, writer.epoch);
    await fails(other.tryBegin("1"), 409, "superseded", 0);
    await rival.open(writer.artifact);
    await rival.open(writer.artifact);
    await fails(other.tryBegin("1"), 409, "superseded", 2);
    await writer.write("1");
  });
});
