import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { run } from "./command-line.ts";

/** A service that refuses on purpose, as the real one does only now and then. */
const answers = new Map<string, () => [number, unknown]>();
const service = createServer((request, reply) => {
  request.resume();
  const path = new URL(request.url ?? "/", "http://service").pathname;
  const [status, body] = answers.get(`${request.method} ${path}`)?.() ?? [
    404,
    failure("not_found", ""),
  ];
  reply.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
});
const failure = (code: string, message: string) => ({ error: code, message });
const connection = { id: "01k9zzzzzz0123456789abcdef", name: "account", cloud: "aws", error: "" };
let url = "";
before(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
after(() => {
  service.close();
  service.closeAllConnections();
});

test("complete --wait ends with what the cloud said last, not with that it was asked too often", async () => {
  const refusal = "AWS refused: AccessDenied. Run the setup script.";
  let tries = 0;
  answers.set("GET /api/v1/org", () => [200, { connections: [{ ...connection, error: refusal }] }]);
  answers.set("PUT /api/v1/connections", () =>
    (tries += 1) === 1
      ? [400, failure("bad_request", refusal)]
      : [429, failure("rate_limited", "Ten a minute.")],
  );
  const words = ["connections", "complete", "account", "--role-arn", "arn", "--wait", "8"];
  const { code, stderr } = await run(url, ...words);
  assert.equal(code, 1);
  assert.ok(tries > 1, stderr);
  assert.match(stderr.trimEnd().split("\n").at(-1)!, /AccessDenied/);
});

test("locations add --fallback: when the second request fails, it is said that the location exists", async () => {
  const location = {
    id: "01k9xxxxxx0123456789abcdef",
    name: "home",
    bucket: "lossless-b",
    cloud: "aws",
  };
  answers.set("GET /api/v1/org", () => [200, { connections: [connection], locations: [] }]);
  answers.set("POST /api/v1/locations", () => [201, location]);
  answers.set("PATCH /api/v1/locations", () => [409, failure("conflict", "It is retired.")]);
  const words = ["locations", "add", "--connection", "account", "--region", "r", "--fallback"];
  const { code, stdout, stderr } = await run(url, ...words);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /home \(01k9xxxxxx\w+\) is added.*lossless locations fallback 01k9/);
  assert.match(stderr, /It is retired/);
});
