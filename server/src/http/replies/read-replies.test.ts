import assert from "node:assert/strict";
import { type AddressInfo, connect } from "node:net";
import { suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { apiKey, testService, type TestService } from "../storage.fixture.ts";

const mebibyte = 1_048_576;
const otherKey = `ak_${"o".repeat(44)}`;

function withOther(options: Parameters<typeof testService>[0]): TestService {
  const service = testService(options);
  const organization = { id: "other", name: "other" };
  const key = { kind: "api_key", keyId: "other", organization, lastUsedAtMs: Date.now() };
  service.storage.credentials.set(otherKey, key);
  return service;
}

const read = { messageId: "m", event: "svc.v2.foldertree.read", data: {} };

async function ask(service: TestService, body: unknown, key = apiKey) {
  const port = (service.app.server.address() as AddressInfo | null)?.port ?? 80;
  const headers = {
    host: `localhost:${port}`,
    authorization: `Bearer ${key}`,
    "content-type": "application/json",
  };
  const payload = JSON.stringify(body);
  return service.app.inject({ method: "POST", url: "/api/v2/events", headers, payload });
}

suite("replies to reads", () => {
  test("what does not fit beside the others of its request is too large, the rest runs", async () => {
    const service = testService({ maxReplyBytes: "65536" });
    const sizes = [30_000, 30_000, 10_000, 5_000];
    service.storage.onRead = () => "x".repeat(sizes.shift()!);
    const reply = await ask(service, [read, read, read, read]);
    const results = reply
      .json<{ data: { code?: string; length?: number } }[]>()
      .map(({ data }) => data.code ?? data.length);
    assert.deepEqual(results, [30_000, 30_000, "result_too_large", 5_000]);
    assert.equal(service.context.replies.reads.usedBytes, 0);
  });

  test("unread ones count for their organization until the connection is closed", async () => {
    const service = withOther({
      maxReplyBytes: `${20 * mebibyte}`,
      maxReplyQueueBytes: `${64 * mebibyte}`,
    });
    const { reads: readReplies } = service.context.replies;
    const large = "x".repeat(20 * mebibyte - 2);
    service.storage.onRead = () => large;
    await service.app.listen({ host: "127.0.0.1", port: 0 });
    try {
      const { port } = service.app.server.address() as AddressInfo;
      const socket = connect(port, "127.0.0.1").on("error", () => {});
      const body = JSON.stringify(read);
      const head = `POST /api/v2/events HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${apiKey}\r\n`;
      const type = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
      socket.pause().write(head + type);
      while (readReplies.usedBytes === 0) await sleep(5);
      const refused = await ask(service, read);
      assert.deepEqual([refused.statusCode, refused.headers["retry-after"]], [503, "1"]);
      assert.equal(refused.json().error.details.split(";")[0], "code=overloaded");
      const inBatch = (await ask(service, [read, read])).json() as {
        data: { code: string; retryable: boolean };
      }[];
      assert.deepEqual(
        inBatch.map(({ data }) => [data.code, data.retryable]),
        [
          ["overloaded", true],
          ["overloaded", true],
        ],
      );
      assert.equal((await ask(service, read, otherKey)).statusCode, 200);
      socket.destroy();
      while (readReplies.usedBytes > 0) await sleep(5);
      assert.equal((await ask(service, read)).statusCode, 200);
    } finally {
      service.app.server.closeAllConnections();
      await service.app.close();
    }
  });

  test("one organization's long reads wait for each other, not for those that are short or of others", async () => {
    const service = withOther({ maxReads: "2" });
    const gate = Promise.withResolvers<void>();
    service.storage.onRead = async (name) => {
      if (name === "foldertree.read") await gate.promise;
      return { name };
    };
    const waiting = [ask(service, read), ask(service, read), ask(service, read, otherKey)];
    const { reads: readReplies } = service.context.replies;
    while (readReplies.waiting !== 1) await sleep(1);
    const asked = service.storage.reads.filter(({ name }) => name === "foldertree.read");
    assert.deepEqual(
      asked.map(({ input }) => (input as { organizationId: string }).organizationId).sort(),
      ["organization", "other"],
    );
    const short = { messageId: "s", event: "svc.v2.query.experiment", data: { experimentId: "e" } };
    assert.equal((await ask(service, short)).statusCode, 200);
    gate.resolve();
    for (const reply of waiting) assert.equal((await reply).statusCode, 200);
    assert.equal(readReplies.waiting, 0);
  });

  test("equal reads of pages are one within an organization, and only there", async () => {
    const service = withOther({ maxReads: "16" });
    const gate = Promise.withResolvers<void>();
    let answers = 0;
    service.storage.onRead = async (_name, { organizationId, body }) => {
      await gate.promise;
      return { organizationId, limit: (body as { limit: number }).limit, read: ++answers };
    };
    const table = (limit: number, key = apiKey) => askTable(service, { limit }, key);
    const tables = () => service.storage.reads.filter(({ name }) => name === "views.table");
    const first = table(1);
    while (tables().length < 1) await sleep(1);
    const [second, third] = [table(1), table(1)];
    const [others, larger] = [table(1, otherKey), table(2)];
    while (tables().length < 3) await sleep(1);
    gate.resolve();
    const replies = await Promise.all([first, second, third, others, larger]);
    assert.deepEqual(
      replies.map(({ organizationId, limit }) => [organizationId, limit]),
      [
        ["organization", 1],
        ["organization", 1],
        ["organization", 1],
        ["other", 1],
        ["organization", 2],
      ],
    );
    assert.equal(tables().length, 4);
    assert.equal(replies[1].read, replies[2].read);
    assert.equal(service.context.replies.reads.usedBytes, 0);
  });
});

async function askTable(service: TestService, body: object, key: string) {
  const headers = { host: "localhost:80", authorization: `Bearer ${key}` };
  const url = "/api/views/v1/experiments";
  const reply = await service.app.inject({ method: "POST", url, headers, payload: body });
  assert.equal(reply.statusCode, 200, reply.body);
  return reply.json<{ organizationId: string; limit: number; read: number }>();
}
