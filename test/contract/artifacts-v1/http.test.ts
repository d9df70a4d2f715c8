import assert from "node:assert/strict";
import { tmpdir } from "node:os";
import { test } from "node:test";
import { gzipSync } from "node:zlib";
import { call, type HttpReply, ok, parseObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { address, ArtifactCaller, fails, place, sizes } from "../artifact-caller.ts";
import { observed, uniqueName } from "../callers.ts";
import { RawConnection, rawRequest } from "../raw-request.ts";
import { topic } from "../topic.ts";
import { oneFile, Writer } from "../writer.ts";

const routes: [string, string][] = [
  ["POST", "artifacts/open"],
  ["POST", "versions/begin"],
  ["POST", "versions/resign"],
  ["POST", "versions/commit"],
  ["GET", "versions/read"],
  ["GET", "versions/list"],
  ["GET", "artifacts/list"],
  ["GET", "org"],
  ["GET", "usage"],
  ["GET", "whoami"],
];

topic("HTTP of v1", (system) => {
  const { key } = organizations.acme;
  const acme = new ArtifactCaller(system, key);

  /** An open that works, in other clothes. */
  const open = (
    body: string | Uint8Array,
    headers: Record<string, string>,
    artifact = uniqueName("http"),
  ): Promise<HttpReply> =>
    acme.request("artifacts/open", { artifact }, { method: "POST", body, headers });

  const good = JSON.stringify({ mode: "new", place });

  test("A63: another method is 405 with Allow, an unknown path 404, both in the form of v1", async () => {
    for (const [method, path] of routes) {
      for (const other of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        if (other === method) continue;
        const reply = await observed(system, {
          method: other,
          path: `/api/v1/${path}`,
          credential: key,
        });
        await fails(reply, 405, "method_not_allowed");
        assert.ok(String(reply.headers.allow).split(/, */).includes(method), path);
      }
    }
    for (const path of [
      "",
      "x",
      "artifacts",
      "artifacts/open/x",
      "Versions/read",
      "versions/read/",
    ]) {
      const reply = call(system.baseUrl, { path: `/api/v1/${path}`, credential: key });
      await fails(reply, 404, "not_found");
    }
  });

  test("A63, T51: a media type that is not JSON in UTF-8 is 415 bad_request", async () => {
    for (const type of [
      "text/plain",
      "application/json; charset=utf-16",
      "application/x-www-form-urlencoded",
      "application/json, text/plain",
      "multipart/form-data; boundary=x",
      "",
    ]) {
      await fails(open(good, { "content-type": type }), 415, "bad_request");
    }
    for (const type of ["application/json", "application/json; charset=UTF-8"]) {
      assert.equal((await open(good, { "content-type": type })).status, 200, type);
    }
  });

  test("T52: gzip is inflated up to the limit; other encodings are 415", async () => {
    assert.equal((await open(gzipSync(good), { "content-encoding": "gzip" })).status, 200);
    for (const encoding of ["br", "zstd", "deflate", "gzip, gzip", "x"]) {
      await fails(open(good, { "content-encoding": encoding }), 415, "bad_request");
    }
    const bomb = gzipSync(Buffer.alloc(64 * 1_048_576, " "));
    await fails(open(bomb, { "content-encoding": "gzip" }), 413, "bad_request");
    await fails(
      open(gzipSync(good).subarray(0, 20), { "content-encoding": "gzip" }),
      400,
      "bad_request",
    );
    await fails(open(good, { "content-encoding": "gzip" }), 400, "bad_request");
  });

  test("T53: a body far too large is 413, with a length and in chunks", async () => {
    const head = (more: string): string =>
      [
        `POST ${address("artifacts/open", { artifact: "large" })} HTTP/1.1`,
        "Host: HOST",
        `Authorization: Bearer ${key}`,
        "Content-Type: application/json",
        more,
        "\r\n",
      ].join("\r\n");
    const declared = await rawRequest(
      system.baseUrl,
      head(`Content-Length: ${32 * 1_048_576 + 1}`),
    );
    await fails(declared, 413, "bad_request");
    assert.equal(declared.headers.connection, "close");
    const chunked = new RawConnection(system.baseUrl);
    chunked.send(head("Transfer-Encoding: chunked"));
    const mebibyte = " ".repeat(1_048_576);
    for (let at = 0; at < 33; at++) chunked.send(`100000\r\n${mebibyte}\r\n`);
    await fails(chunked.reply, 413, "bad_request");
  });

  test("T25, T26, T28, T30: bodies that are not one JSON document are bad_request", async () => {
    const artifact = uniqueName("json");
    const inPlace = (cloud: string) =>
      `{"mode":"new","place":{"cloud":${cloud},"region":"","source":""}}`;
    const bodies: (string | Uint8Array)[] = [
      "",
      " ",
      "{",
      `${good},`,
      `\ufeff${good}`,
      `${good}${good}`,
      `${good}x`,
      `/**/${good}`,
      inPlace("NaN"),
      inPlace("'a'"),
      inPlace('"\\ud800"'),
      inPlace('"a\\u0000b"'),
      inPlace('"a","cloud":"b"'),
      Buffer.concat([
        Buffer.from('{"mode":"new","place":{"cloud":"'),
        Buffer.from([0xff]),
        Buffer.from('","region":"","source":""}}'),
      ]),
      "[".repeat(200_000),
      `{"mode":${"[".repeat(33)}${"]".repeat(33)},"place":{}}`,
    ];
    for (const body of bodies) {
      await fails(open(body, {}, artifact), 400, "bad_request");
    }
    assert.equal((await acme.open(artifact)).epoch, 1, "nothing was executed");
    const writer = await Writer.open(acme);
    for (const meta of [
      '{"a":1e400}',
      '{"a":1,"a":2}',
      '{"a":"\\ud800"}',
      '{"a":"\\u0000"}',
      '{"\\u0000":1}',
    ]) {
      const body = `{"epoch":1,"place":${JSON.stringify(place)},"files":${JSON.stringify(sizes(oneFile))},"meta":${meta}}`;
      const { artifact: path } = writer;
      const reply = acme.post("versions/begin", { artifact: path, version: "1" }, body);
      await fails(reply, 400, "bad_request");
    }
  });

  test("errors: every reply is {error, message} in JSON, and a page of another origin reads none (T22)", async () => {
    const replies = [
      await acme.request("versions/read", { artifact: "none", version: "1" }),
      await acme.request("versions/read", {}),
      await call(system.baseUrl, { path: "/api/v1/org" }),
    ];
    for (const reply of replies) {
      assert.match(String(reply.headers["content-type"]), /^application\/json(; charset=utf-8)?$/);
      assert.deepEqual(Object.keys(parseObject(reply.text)).sort(), ["error", "message"]);
    }
    const origin = { origin: "https://evil.example" };
    const asked = await acme.request("org", {}, { headers: origin });
    assert.equal(asked.headers["access-control-allow-origin"], undefined);
    const preflight = await call(system.baseUrl, {
      method: "OPTIONS",
      path: "/api/v1/org",
      headers: { ...origin, "access-control-request-method": "GET" },
    });
    assert.equal(preflight.headers["access-control-allow-origin"], undefined);
  });

  test("T48, T60: what a request says is in no header, and an error has no stack, path or SQL", async () => {
    const { artifact } = await Writer.open(acme);
    const replies = [
      await acme.request(
        "versions/read",
        { artifact, version: "1" },
        {
          headers: { "x-request-id": "a [31m", "user-agent": "x".repeat(8_000) },
        },
      ),
      await acme.request("artifacts/list", { under: "x\r\nset-cookie: a=b" }),
      await acme.request("artifacts/note", { artifact, note: "<img src=x onerror=alert(1)>" }),
      await acme.post("versions/begin", { artifact, version: "'; DROP TABLE version; --" }, {}),
    ];
    for (const { status, headers, text } of replies) {
      assert.ok(status < 500, text);
      assert.equal(headers["set-cookie"], undefined);
      assert.doesNotMatch(text, /\bat .*\.ts:\d+|node_modules|SELECT|INSERT|\/tmp\//);
      assert.ok(!text.includes(tmpdir()));
    }
    ok(await acme.request("artifacts/list", {}), 200);
  });
});
