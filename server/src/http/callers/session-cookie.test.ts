import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { newSecret } from "../../ground/secrets.ts";
import { csrfTokenOf, isCsrfTokenOf, isSameOrigin, requireOwnPage } from "./csrf.ts";
import { Guards } from "../limits/guards.ts";
import { presentedCredential } from "./presented-secret.ts";
import { clearSessionCookie, makeSessionCookie, readSessionCookie } from "./session-cookie.ts";

const plain = { baseUrl: () => "http://127.0.0.1:7070" };
const secure = { baseUrl: () => "https://lossless.example" };
const secret = newSecret("as_");

suite("the session cookie", () => {
  test("is the host's own, and secure where the service is", () => {
    assert.equal(
      makeSessionCookie(secure, secret, 5_999),
      `__Host-lossless=${secret}; Path=/; Max-Age=5; HttpOnly; SameSite=Lax; Secure`,
    );
    assert.equal(
      makeSessionCookie(plain, secret, 5_000),
      `lossless_session=${secret}; Path=/; Max-Age=5; HttpOnly; SameSite=Lax`,
    );
    assert.match(clearSessionCookie(secure), /^__Host-lossless=; Path=\/; Max-Age=0;.* Secure$/);
  });

  test("goes below the path of the service alone, under a name of its own", () => {
    const below = { baseUrl: () => "https://host.example/tools/lossless" };
    const plainBelow = { baseUrl: () => "http://127.0.0.1:7070/lossless" };
    assert.equal(
      makeSessionCookie(below, secret, 5_000),
      `__Secure-lossless-tools-lossless=${secret}; Path=/tools/lossless; Max-Age=5; HttpOnly; SameSite=Lax; Secure`,
    );
    assert.equal(
      makeSessionCookie(plainBelow, secret, 5_000),
      `lossless_session-lossless=${secret}; Path=/lossless; Max-Age=5; HttpOnly; SameSite=Lax`,
    );
    // A browser sends what an installation above the path keeps, too.
    const other = newSecret("as_");
    const cookie = `lossless_session=${other}; lossless_session-lossless=${secret}`;
    assert.equal(readSessionCookie(plainBelow, { headers: { cookie } }), secret);
    assert.equal(readSessionCookie(plain, { headers: { cookie } }), other);
  });

  test("is read under its own name, once, and only when a session can be in it", () => {
    const read = (cookie: string | undefined, context = plain) =>
      readSessionCookie(context, { headers: { cookie } });
    assert.equal(read(`a=b; lossless_session=${secret}; c=d`), secret);
    assert.equal(read(`__Host-lossless=${secret}`, secure), secret);
    for (const cookie of [
      undefined,
      "",
      "lossless_session",
      "lossless_session=",
      `__Host-lossless=${secret}`,
      `xlossless_session=${secret}`,
      `lossless_session=${secret}; lossless_session=${secret}`,
      `lossless_session=${newSecret("ak_")}`,
      `lossless_session=${secret}x`,
    ]) {
      assert.equal(read(cookie), undefined, String(cookie));
    }
  });

  test("counts only where there is no Authorization header at all", () => {
    const cookie = `lossless_session=${secret}`;
    const presented = (authorization?: string) =>
      presentedCredential(plain, { headers: { cookie, authorization } });
    assert.deepEqual(presented(), { secret, isCookie: true });
    assert.deepEqual(presented("Bearer x"), { secret: "x", isCookie: false });
    assert.deepEqual(presented("Basic x"), { secret: undefined, isCookie: false });
    assert.deepEqual(presented(""), { secret: undefined, isCookie: false });
  });
});

suite("requests that a browser makes by itself", () => {
  const guards = new Guards(() => ({
    baseUrl: "https://lossless.example",
    altBaseUrl: "https://alt.example:8443",
    host: "127.0.0.1",
    port: 7070,
  }));
  const isOurs = (headers: Record<string, string>): boolean =>
    isSameOrigin({ guards }, { headers });

  test("are ours when the browser says so, and no browser says nothing", () => {
    for (const headers of [
      {},
      { origin: "https://lossless.example" },
      { origin: "https://alt.example:8443" },
      { origin: "http://127.0.0.1:7070", host: "127.0.0.1:7070" },
      { origin: "http://LOCALHOST:7070", host: "localhost:7070" },
      { origin: "http://localhost:7070", host: "localhost:7070", "sec-fetch-site": "same-origin" },
      { origin: "null", "sec-fetch-site": "same-origin" },
      { "sec-fetch-site": "none" },
    ]) {
      assert.ok(isOurs(headers), JSON.stringify(headers));
    }
    for (const headers of [
      { origin: "null" },
      { origin: "" },
      { origin: "http://lossless.example" },
      { origin: "https://lossless.example.evil.example" },
      { origin: "https://lossless.example:8443" },
      { origin: "http://lossless.example", host: "lossless.example" },
      { origin: "http://127.0.0.1:7070", host: "localhost:7070" },
      { origin: "http://127.0.0.1:7070" },
      { origin: "http://127.0.0.1:7071", host: "127.0.0.1:7071" },
      { origin: "http://127.0.0.1:7070/" },
      { origin: "https://127.0.0.1:7070" },
      { origin: "https://lossless.example", "sec-fetch-site": "cross-site" },
      { "sec-fetch-site": "same-site" },
    ]) {
      assert.ok(!isOurs(headers), JSON.stringify(headers));
    }
  });

  test("of a service that listens everywhere: the address that was asked, and no other literal one", () => {
    const everywhere = new Guards(() => ({
      baseUrl: "https://lossless.example",
      altBaseUrl: undefined,
      host: "0.0.0.0",
      port: 7070,
    }));
    const isOwn = (origin: string, host: string): boolean =>
      isSameOrigin({ guards: everywhere }, { headers: { origin, host } });
    for (const host of ["192.0.2.1:7070", "[2001:db8::1]:7070", "localhost:7070"]) {
      assert.ok(isOwn(`http://${host}`, host), host);
      assert.ok(isOwn("https://lossless.example", host), host);
      for (const other of [
        "http://203.0.113.9:7070",
        "http://[2001:db8::2]:7070",
        "http://127.0.0.1:7070",
      ]) {
        assert.ok(!isOwn(other, host), other);
      }
    }
    assert.ok(!isOwn("http://rebound.example:7070", "rebound.example:7070"));
  });

  test("the token belongs to one session, and does not give it away", () => {
    const token = csrfTokenOf(secret);
    assert.ok(isCsrfTokenOf(secret, token));
    assert.ok(!token.includes(secret.slice(3)));
    for (const other of [csrfTokenOf(newSecret("as_")), `${token}x`, "", undefined, [token]]) {
      assert.ok(!isCsrfTokenOf(secret, other));
    }
  });

  test("reading needs no token; anything else is 403, in v2 401", () => {
    const attempt = (
      method: string,
      headers = {},
      name: "createApiKey" | "authStatus" = "createApiKey",
    ) => requireOwnPage({ guards }, name, { method, headers }, secret);
    attempt("GET");
    attempt("HEAD");
    attempt("POST", { "x-csrf-token": csrfTokenOf(secret) });
    for (const method of ["POST", "PUT", "PATCH", "DELETE"]) {
      assert.throws(() => attempt(method), { code: "forbidden" });
      assert.throws(() => attempt(method, {}, "authStatus"), { code: "unauthorized" });
    }
  });
});
