import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, connect } from "node:net";
import { after, before, suite, test } from "node:test";
import { oauthErrors, pageErrors, v1Errors, v2Errors } from "@lossless/protocol";
import { errorFormOf, targetIn } from "./error-form.ts";
import { testService } from "../storage.fixture.ts";

suite("the form of refusals", () => {
  const { app } = testService();
  before(() => app.listen({ host: "127.0.0.1", port: 0 }));
  after(() => app.close());

  /** Status and body of the last reply. */
  async function sent(text: string): Promise<[number, Record<string, unknown>]> {
    const { port } = app.server.address() as AddressInfo;
    const socket = connect(port, "127.0.0.1", () =>
      socket.write(text.replaceAll("PORT", `${port}`)),
    );
    let reply = "";
    socket.setEncoding("utf8").on("data", (chunk: string) => (reply += chunk));
    socket.on("error", () => {});
    await once(socket, "close");
    const last = reply.slice(reply.lastIndexOf("HTTP/1.1 "));
    const body = JSON.parse(last.slice(last.indexOf("\r\n\r\n"))) as Record<string, unknown>;
    return [Number(last.slice(9, 12)), body];
  }
  const head = (path: string, ...more: string[]) =>
    [`GET ${path} HTTP/1.1`, "Host: 127.0.0.1:PORT", ...more, "\r\n"].join("\r\n");

  test("addresses are told apart decoded", () => {
    for (const path of ["/api/v1", "/api/v1/", "/api/v1?x", "/%61pi/v1/whoami", "/api%2fv1/x"]) {
      assert.equal(errorFormOf(path), v1Errors, path);
    }
    assert.equal(errorFormOf("http://h:1/api/v1/x"), v1Errors);
    assert.equal(errorFormOf("/objects/x"), v1Errors);
    assert.equal(errorFormOf("/%6fauth/token?x"), oauthErrors);
    assert.equal(errorFormOf("/sign-in"), pageErrors);
    for (const path of ["", "/", "/api/v10", "/api/v2/events", "/api/v1%", "/x/api/v1/"]) {
      assert.equal(errorFormOf(path), v2Errors, path);
    }
  });

  test("what is not found, under an address of v1", async () => {
    for (const path of ["/%61pi/v1/nope", "/api/v1"]) {
      const [status, body] = await sent(head(path, "Connection: close"));
      assert.deepEqual([status, body["error"]], [404, "not_found"], path);
    }
  });

  test("what Node's parser refuses", async () => {
    const good = head("/healthz");
    for (const before of ["", good]) {
      const [malformed, first] = await sent(before + head("/api/v1/whoami", "Bad Header"));
      assert.deepEqual([malformed, first["error"]], [400, "bad_request"]);
      const large = head("/api/v1/whoami", `X: ${"a".repeat(20_000)}`);
      const [overflow, second] = await sent(before + large);
      assert.deepEqual([overflow, second["error"]], [431, "bad_request"]);
    }
    for (const line of ["FOO /api/v1/whoami HTTP/1.1", "get /api/v1/whoami HTTP/1.1"]) {
      const [malformed, reply] = await sent(`${line}\r\nHost: 127.0.0.1:PORT\r\n\r\n`);
      assert.deepEqual([malformed, reply["error"]], [405, "method_not_allowed"], line);
    }
    const long = await sent(head(`/api/v1/artifacts/list?under=${"a".repeat(20_000)}`));
    assert.deepEqual([long[0], long[1]["error"]], [431, "bad_request"]);
    const [status, body] = await sent(head("/api/v2/events", "Bad Header"));
    assert.deepEqual([status, body["data"]], [400, null]);
    assert.equal(targetIn(undefined), "");
    assert.equal(targetIn(Buffer.from("no request line")), "");
  });
});
