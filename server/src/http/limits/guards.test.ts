import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { suite, test } from "node:test";
import { ServiceError } from "../../ground/errors.ts";
import { Guards, type ServedAddresses } from "./guards.ts";

const local: ServedAddresses = {
  baseUrl: undefined,
  altBaseUrl: undefined,
  host: "127.0.0.1",
  port: 7070,
};

function outcome(
  addresses: ServedAddresses,
  host: string | undefined,
  url = "/api/v2/events",
  method = "POST",
) {
  const rawHeaders = host === undefined ? [] : ["Host", host];
  const request = {
    method,
    url,
    httpVersion: "1.1",
    rawHeaders,
    headers: { host },
  } as unknown as IncomingMessage;
  try {
    new Guards(() => addresses).check(request);
    return "passed";
  } catch (error) {
    assert.ok(error instanceof ServiceError, String(error));
    return error.code;
  }
}

suite("guards", () => {
  test("the listen address and the loopback names with the right port", () => {
    for (const host of ["127.0.0.1:7070", "localhost:7070", "LOCALHOST:7070", "[::1]:7070"]) {
      assert.equal(outcome(local, host), "passed", host);
    }
    for (const host of [
      "localhost",
      "localhost:7071",
      "evil.example:7070",
      "127.0.0.1:7070.evil",
      "10.0.0.1:7070",
    ]) {
      assert.equal(outcome(local, host), "misdirected_request", host);
    }
    assert.equal(outcome(local, undefined), "invalid_headers");
    assert.equal(outcome(local, ""), "invalid_headers");
  });

  test("base addresses, with and without their default port", () => {
    const addresses = {
      ...local,
      baseUrl: "https://lossless.example",
      altBaseUrl: "http://inner.example:8080",
    };
    for (const host of ["lossless.example", "lossless.example:443", "inner.example:8080"]) {
      assert.equal(outcome(addresses, host), "passed", host);
    }
    for (const host of ["lossless.example:80", "inner.example", "evil.lossless.example"]) {
      assert.equal(outcome(addresses, host), "misdirected_request", host);
    }
  });

  test("listening everywhere takes any literal address, but no unknown name", () => {
    const addresses = { ...local, host: "0.0.0.0" };
    for (const host of ["10.1.2.3:7070", "[fe80::1]:7070", "localhost:7070"]) {
      assert.equal(outcome(addresses, host), "passed", host);
    }
    for (const host of ["10.1.2.3", "10.1.2.3:80", "rebound.example:7070", "1.2.3.4.5:7070"]) {
      assert.equal(outcome(addresses, host), "misdirected_request", host);
    }
  });

  test("health pages answer probes under any name", () => {
    assert.equal(outcome(local, "10.0.0.1:7070", "/readyz", "GET"), "passed");
    assert.equal(outcome(local, "pod", "/healthz?x=1", "GET"), "passed");
    assert.equal(outcome(local, "pod", "/healthz/x", "GET"), "misdirected_request");
  });

  test("request targets", () => {
    for (const url of ["//evil/x", "*", "x", "/a%zz", "/a%", "/%c0%ae", "/%ff", "/x?%f", "/x#y"]) {
      assert.equal(outcome(local, "localhost:7070", url), "invalid_headers", url);
    }
    for (const url of ["/", "/a%2fb", "/%e2%82%ac?x=%20", "/a//b"]) {
      assert.equal(outcome(local, "localhost:7070", url), "passed", url);
    }
    assert.equal(outcome(local, "localhost:7070", "http://evil.example/x"), "misdirected_request");
    assert.equal(outcome(local, "localhost:7070", "/", "TRACE"), "method_not_allowed");
  });

  test("an absolute-form target becomes a path only when it names us", () => {
    const guards = new Guards(() => local);
    assert.equal(guards.path("http://localhost:7070/healthz?x"), "/healthz?x");
    assert.equal(guards.path("HTTP://LOCALHOST:7070"), "/");
    assert.equal(guards.path("http://evil.example/healthz"), "http://evil.example/healthz");
    assert.equal(guards.path("http://localhost:7070@evil/x"), "http://localhost:7070@evil/x");
    assert.equal(guards.path("/x"), "/x");
  });

  test("headers that may stand once", () => {
    const check = (...rawHeaders: string[]) =>
      new Guards(() => local).check({
        method: "GET",
        url: "/",
        httpVersion: "1.1",
        rawHeaders: ["Host", "localhost:7070", ...rawHeaders],
        headers: { host: "localhost:7070" },
      } as unknown as IncomingMessage);
    check("X-A", "1", "x-a", "2");
    for (const name of ["HOST", "Content-Type", "content-encoding"]) {
      assert.throws(() => check(name, "a", name.toLowerCase(), "b"), { code: "invalid_headers" });
    }
    assert.throws(() => check("Authorization", "a", "authorization", "a"), {
      code: "invalid_headers",
    });
  });
});
