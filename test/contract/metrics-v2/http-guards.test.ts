import assert from "node:assert/strict";
import { test } from "node:test";
import { call, type HttpReply, parseObject } from "../../http.ts";
import { event, observed, refused } from "../callers.ts";
import { rawRequest } from "../raw-request.ts";
import { topic } from "../topic.ts";

const routes = [
  ["POST", "/api/v2/events"],
  ["POST", "/api/v2/query/series"],
  ["POST", "/api/v2/experiments/some-experiment/events"],
  ["GET", "/api/v2/auth/status"],
] as const;

topic("HTTP guards", (system) => {
  const bearer = (): string => `Bearer ${system.acme.credential}`;
  const body = JSON.stringify(event("foldertree.read", {}));

  for (const [method, path] of routes) {
    test(`T01: ${method} ${path} wants a credential in the right form`, async () => {
      const headers: Record<string, string>[] = [
        {},
        { authorization: "" },
        { authorization: "Bearer" },
        { authorization: "Bearer " },
        { authorization: system.acme.credential },
        { authorization: `Basic ${btoa(`x:${system.acme.credential}`)}` },
        { authorization: `Token ${system.acme.credential}` },
        { authorization: `Bearer ak_${"x".repeat(44)}` },
        { authorization: `${bearer()} x` },
        { authorization: `${bearer()}x` },
        { authorization: `Bearer ${"x".repeat(5_000)}` },
        { cookie: `token=${system.acme.credential}` },
        { "x-api-key": system.acme.credential },
      ];
      for (const one of headers) {
        const request = method === "POST" ? { body } : {};
        const reply = await observed(system, { method, path, headers: one, ...request });
        await refused(reply, 401, "unauthorized");
        assert.match(String(reply.headers["www-authenticate"]), /^Bearer/);
      }
      const query = `${path}?access_token=${system.acme.credential}&token=${system.acme.credential}`;
      await refused(
        observed(system, { method, path: query, body: method === "POST" ? body : undefined }),
        401,
        "unauthorized",
      );
    });

    test(`${path} answers other methods with 405 and Allow`, async () => {
      for (const other of ["GET", "POST", "PUT", "PATCH", "DELETE"]) {
        if (other === method) continue;
        const reply = await observed(system, {
          method: other,
          path,
          credential: system.acme.credential,
        });
        await refused(reply, 405, "method_not_allowed");
        assert.ok(String(reply.headers.allow).split(/, */).includes(method));
      }
    });
  }

  test("the scheme's name is not case-sensitive", async () => {
    for (const scheme of ["bearer", "BEARER"]) {
      const headers = { authorization: `${scheme} ${system.acme.credential}` };
      const reply = await observed(system, { path: "/api/v2/auth/status", headers });
      assert.equal(reply.status, 200);
    }
  });

  test("T34: unknown addresses are not found, with and without a credential", async () => {
    const paths = [
      "/",
      "/api",
      "/api/v2",
      "/api/v2/event",
      "/api/v2/events/",
      "/api/v2//events",
      "/API/v2/events",
      "/api/v1/events",
      "/metrics",
      "/.git/config",
      "/api/v2/events%2f",
      "/api/v2/%65vents%00",
      "/api/v2/../v2/none",
      "/api/v2/experiments//events",
      "/api/v2/experiments/x/y/events",
      "/api/openapi.json/x",
    ];
    for (const path of paths) {
      for (const credential of [undefined, system.acme.credential]) {
        const reply = await observed(system, { path, credential });
        assert.ok([404, 400].includes(reply.status), `${path}: ${reply.status}`);
      }
    }
  });

  test("health and the API description are open", async () => {
    for (const path of ["/healthz", "/readyz"]) {
      assert.equal((await call(system.baseUrl, { path })).status, 200);
    }
    const reply = await observed(system, { path: "/api/openapi.json" });
    assert.equal(parseObject(reply.text).openapi, "3.1.0");
  });

  test("T22: no reply invites other origins, all have an id and say nosniff and no-store", async () => {
    const headers = { origin: "https://evil.example", "access-control-request-method": "POST" };
    for (const method of ["OPTIONS", "POST", "GET"]) {
      for (const path of ["/api/v2/events", "/api/openapi.json", "/none"]) {
        const reply = await call(system.baseUrl, { method, path, headers });
        assert.ok(!Object.keys(reply.headers).some((name) => name.startsWith("access-control-")));
        assert.equal(reply.headers["x-content-type-options"], "nosniff");
        assert.equal(reply.headers["cache-control"], "no-store");
        assert.match(String(reply.headers["x-request-id"]), /^[0-9a-f-]{36}$/);
      }
    }
  });

  test("T07: two Authorization lines are refused", async () => {
    const lines = [`Authorization: ${bearer()}`, "Authorization: Bearer x"];
    for (const pair of [lines, lines.toReversed()]) {
      const reply = await rawRequest(
        system.baseUrl,
        `GET /api/v2/auth/status HTTP/1.1\r\nHost: HOST\r\n${pair.join("\r\n")}\r\n\r\n`,
      );
      assert.equal(reply.status, 400, reply.text);
    }
  });

  test("T23: Host must be ours and stand once", async () => {
    const host = new URL(system.baseUrl).host;
    const get = (lines: string): Promise<HttpReply> =>
      rawRequest(
        system.baseUrl,
        `GET /api/v2/auth/status HTTP/1.1\r\n${lines}Authorization: ${bearer()}\r\n\r\n`,
      );
    assert.equal((await get("Host: HOST\r\n")).status, 200);
    assert.equal((await get("Host: HOST\r\nX-Forwarded-Host: evil.example\r\n")).status, 200);
    for (const lines of [
      "Host: evil.example\r\n",
      `Host: evil.example:${host.split(":")[1]}\r\n`,
      "Host: \r\n",
    ]) {
      const reply = await get(lines);
      assert.ok([421, 400].includes(reply.status), `${lines}${reply.text}`);
      assert.ok(!shown(reply).includes("evil"), "never reflected");
    }
    for (const lines of [
      "",
      "Host: HOST\r\nHost: evil.example\r\n",
      "Host: HOST\r\nHost: HOST\r\n",
    ]) {
      assert.equal((await get(lines)).status, 400, lines);
    }
  });

  test("T50: requests that two parsers could read differently are refused", async () => {
    const post = (head: string, content = body): Promise<HttpReply> =>
      rawRequest(
        system.baseUrl,
        `POST /api/v2/events HTTP/1.1\r\nHost: HOST\r\nAuthorization: ${bearer()}\r\n` +
          `Content-Type: application/json\r\n${head}\r\n\r\n${content}`,
      );
    const size = body.length;
    const chunked = `${size.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    assert.equal((await post(`Content-Length: ${size}`)).status, 200);
    assert.equal((await post("Transfer-Encoding: chunked", chunked)).status, 200);
    const wrong: [string, string?][] = [
      [`Content-Length: ${size}\r\nTransfer-Encoding: chunked`, chunked],
      [`Transfer-Encoding: chunked\r\nContent-Length: ${size}`, chunked],
      [`Content-Length: ${size}\r\nContent-Length: ${size + 1}`],
      [`Content-Length: ${size}\r\nContent-Length: ${size}`],
      [`Content-Length: +${size}`],
      [`Content-Length: ${size}\r\n folded: x`],
      [`Content-Length: ${size}\nX-Bare: x`],
      ["Transfer-Encoding: gzip, chunked, x", chunked],
      ["Transfer-Encoding: chunked, chunked", chunked],
      [`Content-Length: ${size}\r\nContent-Type: text/plain`],
      [`Content-Length: ${size}\r\nContent-Encoding: gzip\r\nContent-Encoding: gzip`],
      [`Content-Length: ${size}\r\nBad Header: x`],
    ];
    for (const [head, content] of wrong) {
      const reply = await post(head, content);
      assert.ok([400, 415].includes(reply.status), `${head}: ${reply.text}`);
    }
  });

  test("T50: other request targets and methods are refused", async () => {
    const { host } = new URL(system.baseUrl);
    const exact: [string, number][] = [
      [`GET http://${host}/healthz`, 200],
      ["GET http://evil.example/healthz", 421],
      ["GET //evil.example/healthz", 400],
      ["GET /%zz", 400],
      ["GET /healthz?%zz", 400],
      ["OPTIONS *", 400],
      ["TRACE /healthz", 405],
      ["PROPFIND /healthz", 405],
      ["CONNECT evil.example:443", 405],
      ["GET /metrics", 404],
      ["BREW /healthz", 405],
      ["POST /api/v2/%65vents", 401],
      ["GET /api/v2/%65vents", 405],
    ];
    for (const [line, status] of exact) {
      const reply = await rawRequest(system.baseUrl, `${line} HTTP/1.1\r\nHost: HOST\r\n\r\n`);
      assert.equal(reply.status, status, `${line}: ${reply.text}`);
      assert.match(
        shown(reply),
        /"x-request-id":"[0-9a-f-]{36}"[^]*(?:code=\w+; request_id=|"status\\?":)/,
        line,
      );
      assert.equal(reply.headers["x-content-type-options"], "nosniff");
      assert.ok(!shown(reply).includes("evil"));
    }
    const lines = [
      "GET http://evil.example/api/v2/auth/status",
      "GET //evil.example/api/v2/auth/status",
      "GET *",
      "TRACE /api/v2/auth/status",
      "CONNECT /api/v2/auth/status",
      "CONNECT evil.example:443",
      "GET api/v2/auth/status",
      "OPTIONS *",
      "PROPFIND /api/v2/auth/status",
      "get /api/v2/auth/status",
    ];
    for (const line of lines) {
      const reply = await rawRequest(
        system.baseUrl,
        `${line} HTTP/1.1\r\nHost: HOST\r\nAuthorization: ${bearer()}\r\n\r\n`,
      );
      assert.ok([400, 404, 405, 421].includes(reply.status), `${line}: ${reply.text}`);
      assert.ok(!shown(reply).includes("evil"));
    }
    const older = await rawRequest(
      system.baseUrl,
      `GET /api/v2/auth/status HTTP/3.7\r\nHost: HOST\r\n\r\n`,
    );
    assert.ok([400, 505].includes(older.status), older.text);
  });

  test("headers that are too large are refused", async () => {
    const reply = await rawRequest(
      system.baseUrl,
      `GET /healthz HTTP/1.1\r\nHost: HOST\r\nX-Large: ${"x".repeat(70_000)}\r\n\r\n`,
    );
    assert.equal(reply.status, 431, reply.text.slice(0, 200));
  });

  test("T48: line breaks and escape sequences do not reach headers or the log", async () => {
    const reply = await rawRequest(
      system.baseUrl,
      "GET /api/v2/none%1b%0d%0aX-Evil:1 HTTP/1.1\r\nHost: HOST\r\nUser-Agent: \u001b[31mred\r\n" +
        `X-Request-Id: ${"a".repeat(10_000)}\r\n\r\n`,
    );
    assert.ok([400, 404].includes(reply.status), reply.text);
    assert.equal(reply.headers["x-evil"], undefined);
    assert.ok(!shown(reply).includes("a".repeat(200)));
    assert.ok(!system.service.errors.includes("\u001b"));
    assert.ok(!system.service.output.includes("\u001b"));
  });

  test("nothing is said of TLS by a service whose address is plain", async () => {
    const reply = await call(system.baseUrl, { path: "/healthz" });
    assert.equal(reply.headers["strict-transport-security"], undefined);
  });

  test("no secret reaches the output", async () => {
    const experiment = await system.acme.open();
    await experiment.send(experiment.metric());
    await experiment.post("{");
    const printed = system.service.output + system.service.errors;
    for (const secret of [experiment.token, system.acme.credential])
      assert.ok(!printed.includes(secret));
  });
});

topic(
  "a service whose address is https",
  (system) => {
    const headers = { host: "lossless.example" };

    test("tells browsers to come by TLS alone", async () => {
      for (const path of ["/healthz", "/sign-in", "/experiments", "/api/v1/whoami", "/none"]) {
        const reply = await call(system.baseUrl, { path, headers });
        assert.equal(reply.headers["strict-transport-security"], "max-age=31536000", path);
      }
    });
  },
  { flags: ["--base-url", "https://lossless.example"] },
);

function shown({ headers, text }: HttpReply): string {
  return JSON.stringify(headers) + text;
}
