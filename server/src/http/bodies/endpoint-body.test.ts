import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import { limits } from "@lossless/protocol";
import { apiKey, testService } from "../storage.fixture.ts";

const json = { "content-type": "application/json" };
const form = { "content-type": "application/x-www-form-urlencoded" };
const gzip = { "content-encoding": "gzip" };

async function send(url: string, headers: Record<string, string>, payload: string | Buffer) {
  const reply = await testService().app.inject({ method: "POST", url, headers, payload });
  const { error } = JSON.parse(reply.body) as { error: string };
  return [reply.statusCode, error];
}

suite("sizes of v1 bodies", () => {
  const padded = (bytes: number) => "{}".padEnd(bytes);

  test("what anybody may send is small, and not compressed", async () => {
    for (const url of ["/api/v1/sessions", "/api/v1/invitations/accept"]) {
      const most = limits.openBodyBytesMax;
      assert.deepEqual(await send(url, json, padded(most)), [400, "bad_request"]);
      assert.deepEqual(await send(url, json, padded(most + 1)), [413, "bad_request"]);
      const packed = gzipSync(padded(100));
      assert.deepEqual(await send(url, { ...json, ...gzip }, packed), [415, "bad_request"]);
    }
    const packed = gzipSync("token=x");
    const refused = await send("/oauth/revoke", { ...form, ...gzip }, packed);
    assert.deepEqual(refused, [400, "invalid_request"]);
  });

  test("what is set up may be a little larger; unpacking stops there too", async () => {
    const headers = { ...json, authorization: `Bearer ${apiKey}` };
    const url = "/api/v1/artifacts/open?artifact=a";
    const most = limits.setupBodyBytesMax;
    assert.deepEqual(await send(url, headers, padded(most)), [400, "bad_request"]);
    assert.deepEqual(await send(url, headers, padded(most + 1)), [413, "bad_request"]);
    const packed = { ...headers, ...gzip };
    assert.deepEqual(await send(url, packed, gzipSync(padded(most))), [400, "bad_request"]);
    assert.deepEqual(await send(url, packed, gzipSync(padded(most + 1))), [413, "bad_request"]);
  });
});
