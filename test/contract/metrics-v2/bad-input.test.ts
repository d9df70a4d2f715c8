import assert from "node:assert/strict";
import { test } from "node:test";
import { gzipSync, brotliCompressSync, deflateSync, zstdCompressSync } from "node:zlib";
import { event, observed, refused, uniqueName } from "../callers.ts";
import { topic } from "../topic.ts";

const bodyBytesMax = 32 * 1_048_576;

topic("bad input", (system) => {
  const read = JSON.stringify(event("foldertree.read", {}));

  test("T25: what is not exactly one JSON document is malformed_json", async () => {
    const bodies: (string | Buffer)[] = [
      "",
      " ",
      "{",
      "[",
      "nothing",
      "undefined",
      "'a'",
      `${read},`,
      `${read}${read}`,
      `[${read},]`,
      `\ufeff${read}`,
      `// comment\n${read}`,
      `/* */${read}`,
      read.replace("{}", "{a:1}"),
      read.replace("{}", "{'a':1}"),
      read.replace("{}", "NaN"),
      read.replace("{}", "Infinity"),
      read.replace("{}", "-"),
      read.replace("{}", "01"),
      read.replace("{}", ".5"),
      read.replace("{}", "+1"),
      read.replace("{}", "1."),
      read.replace("{}", "0x1"),
      read.replace("{}", `{"a":"\t"}`),
      read.replace("{}", String.raw`{"a":"\x41"}`),
      `${read}\u0000`,
      read.replace("{}", `{"a":"\n"}`),
      read.replace("{}", String.raw`{"a":"\u12"}`),
      `${read}\u00a0`,
      "\u2028",
      Buffer.from([0xff, 0xfe]),
      Buffer.from(read, "utf16le"),
    ];
    for (const body of bodies) await refused(system.acme.post(body), 400, "malformed_json");
  });

  test("T25: JSON that is no envelope is validation_failed", async () => {
    for (const body of [
      "null",
      "1",
      `"x"`,
      "true",
      "{}",
      "[[]]",
      "[null]",
      `[${read},1]`,
      `[[${read}]]`,
    ]) {
      await refused(system.acme.post(body), 400, "validation_failed");
    }
  });

  test("white space around the document is JSON", async () => {
    assert.equal((await system.acme.post(`\r\n\t ${read} \n`)).status, 200);
  });

  test("T26: a repeated key is refused at every depth, however it is written", async () => {
    const slug = uniqueName("slug");
    const open = (data: string): string =>
      `{"messageId":"m","event":"svc.v2.experiment.open","data":${data}}`;
    const bodies = [
      open(`{"slug":"a","slug":"${slug}","description":"","meta":{}}`),
      open(`{"slug":"${slug}","description":"","meta":{"a":1,"a":1}}`),
      open(`{"slug":"${slug}","description":"","meta":{"x":[{"a":{"b":1,"c":2,"b":3}}]}}`),
      open(String.raw`{"slug":"${slug}","description":"","meta":{"a":1,"\u0061":2}}`),
      open(`{"slug":"${slug}","description":"","meta":{"__proto__":1,"__proto__":2}}`),
      open(`{"slug":"${slug}","description":"","meta":{"":1,"":2}}`),
      `{"messageId":"m","messageId":"n","event":"svc.v2.foldertree.read","data":{}}`,
      `[${read},{"messageId":"m","event":"x","event":"svc.v2.foldertree.read","data":{}}]`,
    ];
    for (const body of bodies) await refused(system.acme.post(body), 400, "malformed_json");
    await system.acme.fails(
      "query.experiment",
      { experimentSlug: slug },
      404,
      "experiment_not_found",
    );
    const fine = open(
      `{"slug":"${slug}","description":"","meta":{"a":{"a":1},"b":[{"a":1},{"a":1}],"é":1,"e\u0301":2}}`,
    );
    assert.equal((await system.acme.post(fine)).status, 200);
  });

  test("T27: numbers that are no finite double are refused, in free meta too", async () => {
    const experiment = await system.acme.open();
    const point = JSON.stringify(experiment.metric());
    for (const number of ["1e400", "-1e400", "1e309", "1".repeat(400)]) {
      const reply = await experiment.post(
        point.replace('"metricValue":1', `"metricValue":${number}`),
      );
      assert.equal(reply.status, 400, reply.text);
      const note = JSON.stringify(experiment.event("annotate", { annotation: "x", meta: {} }));
      const second = await experiment.post(note.replace('"meta":{}', `"meta":{"x":${number}}`));
      assert.equal(second.status, 400, second.text);
    }
  });

  test("T28: invalid UTF-8, lone surrogates and NUL are refused everywhere", async () => {
    const experiment = await system.acme.open();
    const valid = JSON.stringify(experiment.metric({ meta: { key: "value" } }, "identifier"));
    const badBytes = [
      [0xff],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf4, 0x90, 0x80, 0x80],
      [0xe2, 0x82],
    ];
    for (const bytes of badBytes) {
      const [before, after] = valid.split("value");
      const body = Buffer.concat([Buffer.from(before), Buffer.from(bytes), Buffer.from(after)]);
      await refused(experiment.post(body), 400, "malformed_json");
    }
    const escapes = [
      "\\ud800",
      "\\udc00",
      "\\ud800\\ud800",
      "\\udc00\\ud800",
      "\\ud83dx",
      "\\u0000",
    ];
    for (const escape of escapes) {
      for (const word of ["identifier", "loss", "key", "value"]) {
        const reply = await experiment.post(valid.replace(`"${word}"`, `"${escape}"`));
        assert.equal(reply.status, 400, `${word} ${escape}`);
      }
      const data = String.raw`{"slug":"S","description":"D","meta":{"K":["V"]}}`;
      for (const letter of ["S", "D", "K", "V"]) {
        const body = `{"messageId":"m","event":"svc.v2.experiment.open","data":${data.replace(letter, escape)}}`;
        const reply = await system.acme.post(body);
        assert.equal(reply.status, 400, `${letter} ${escape}`);
      }
    }
    const pair = valid.replace("value", "\\ud83d\\ude00").replace("identifier", "i\\ud83d\\ude00");
    assert.equal((await experiment.post(pair)).status, 200);
    const { partitions } = await system.acme.series(experiment.experimentId);
    assert.deepEqual(partitions[0].metadata, { key: "😀" });
  });

  test("T30: deep nesting, long numbers and very many keys are answered quickly and harm nobody", async () => {
    const open = (meta: string): string =>
      `{"messageId":"m","event":"svc.v2.experiment.open","data":{"slug":"deep","description":"","meta":${meta}}}`;
    // The envelope is level 1, data 2, meta 3: 29 more make 32.
    const nested = (depth: number): string => `{"x":${"[".repeat(depth)}${"]".repeat(depth)}}`;
    assert.equal((await system.acme.post(open(nested(29)))).status, 200);
    for (const deep of [open(nested(30)), "[".repeat(1_000_000), '{"a":'.repeat(1_000_000)]) {
      await refused(system.acme.post(deep), 400, "malformed_json");
    }
    const number = await system.acme.post(open(`{"x":${"1".repeat(10_000_000)}}`));
    assert.equal(number.status, 400);
    const keys = Array.from({ length: 1_000_000 }, (_, key) => `"${key}":1`).join(",");
    assert.equal((await system.acme.post(open(`{${keys}}`))).status, 400);
  });

  test("T51: other media types are refused, JSON in UTF-8 is taken", async () => {
    for (const type of [
      "application/json",
      "application/json; charset=utf-8",
      "Application/JSON;charset=UTF-8",
    ]) {
      assert.equal((await system.acme.post(read, { "content-type": type })).status, 200, type);
    }
    const wrong = [
      "text/plain",
      "application/json; charset=utf-16",
      "application/x-www-form-urlencoded",
      "multipart/form-data; boundary=x",
      "application/x-ndjson",
      "application/jsonp",
      "json",
      "",
    ];
    for (const type of wrong) {
      await refused(
        system.acme.post(read, { "content-type": type }),
        415,
        "unsupported_media_type",
      );
    }
  });

  test("T52: gzip is taken, other encodings are not, bombs are cut off", async () => {
    const experiment = await system.acme.open();
    const events = Array.from({ length: 100 }, (_, step) => experiment.metric({ step }));
    const gzip = { "content-encoding": "gzip" };
    const reply = await experiment.post(gzipSync(JSON.stringify(events)), gzip);
    assert.equal(reply.status, 200, reply.text);
    assert.equal((await system.acme.series(experiment.experimentId)).done.points, 100);
    for (const [encoding, body] of [
      ["br", brotliCompressSync(read)],
      ["zstd", zstdCompressSync(read)],
      ["deflate", deflateSync(read)],
      ["gzip, gzip", gzipSync(gzipSync(read))],
      ["compress", Buffer.from(read)],
      ["nothing", Buffer.from(read)],
    ] as const) {
      await refused(
        system.acme.post(body, { "content-encoding": encoding }),
        415,
        "unsupported_media_type",
      );
    }
    const bomb = gzipSync(Buffer.alloc(200 * 1_048_576));
    await refused(system.acme.post(bomb, gzip), 413, "payload_too_large");
    await refused(system.acme.post(read, gzip), 400, "malformed_json");
    await refused(system.acme.post(gzipSync(read).subarray(0, 20), gzip), 400, "malformed_json");
  });

  test("T53: 32 MiB are taken, one byte more is not", async () => {
    const padded = (sizeBytes: number): string => read.padEnd(sizeBytes, " ");
    assert.equal((await system.acme.post(padded(bodyBytesMax))).status, 200);
    await refused(system.acme.post(padded(bodyBytesMax + 1)), 413, "payload_too_large");
    assert.equal((await system.acme.post(read)).status, 200);
  });

  test("the order of checks: address, credential, size, media type, JSON, form", async () => {
    const post = (
      path: string,
      credential: string | undefined,
      body: unknown,
      type = "application/json",
    ) =>
      observed(system, {
        path,
        credential,
        body,
        method: "POST",
        headers: { "content-type": type },
      });
    const key = system.acme.credential;
    await refused(post("/api/v2/nothing", undefined, "{"), 404, "not_found");
    await refused(post("/api/v2/events", undefined, "{", "text/plain"), 401, "unauthorized");
    await refused(post("/api/v2/events", key, "{", "text/plain"), 415, "unsupported_media_type");
    await refused(post("/api/v2/events", key, "{"), 400, "malformed_json");
    await refused(post("/api/v2/events", key, "{}"), 400, "validation_failed");
    const experiment = await system.acme.open();
    const twice = [experiment.metric({}, "m"), experiment.metric({ step: -1 }, "m")];
    await refused(experiment.post(twice), 400, "validation_failed");
  });

  test("T49: characters with a meaning in SQL match literally", async () => {
    const slug = `${uniqueName("sql")}'; DROP TABLE experiment; --%_\\`;
    const experiment = await system.acme.open(slug, slug, { [slug]: slug });
    const record = await system.acme.ask("query.experiment", { experimentSlug: slug });
    assert.deepEqual(record.meta, { [slug]: slug });
    await experiment.send(experiment.metric({ metricName: "'%_\"\\--", meta: { "'": "%" } }));
    const all = await system.acme.oneSeries(experiment.experimentId, "'%_\"\\--");
    assert.equal(all.done.points, 1);
    for (const name of ["%", "_", "'%_\"\\-_"]) {
      assert.equal((await system.acme.oneSeries(experiment.experimentId, name)).done.points, 0);
    }
  });
});
