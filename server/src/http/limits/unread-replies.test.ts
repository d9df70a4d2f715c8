import assert from "node:assert/strict";
import { EventEmitter, once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { mock, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { apiKey, testService, type TestService } from "../storage.fixture.ts";
import { UnreadReplies } from "./unread-replies.ts";

const idleMs = 60_000;

/** A connection to which more is written than is read: so many bytes every `everySeconds`. */
function readEvery(everySeconds: number, bytes: number): [reason: string | undefined, atS: number] {
  mock.timers.enable({ apis: ["setInterval"] });
  let second = 0;
  const clock = mock.method(performance, "now", () => second * 1_000);
  try {
    const cut: string[] = [];
    const server = new EventEmitter();
    const unread = new UnreadReplies(idleMs, (reason) => cut.push(reason));
    unread.watch(server as Server);
    const socket = Object.assign(new EventEmitter(), {
      writableLength: 2 ** 40,
      bytesWritten: 2 ** 40,
      resetAndDestroy: () => socket.emit("close"),
    });
    server.emit("connection", socket);
    while (cut.length === 0 && second < 3_600) {
      second += 1;
      if (second % everySeconds === 0) socket.writableLength -= bytes;
      mock.timers.tick(1_000);
    }
    assert.equal(unread.reasonOf(socket as unknown as Socket), cut[0]);
    return [cut[0], second];
  } finally {
    clock.mock.restore();
    mock.timers.reset();
  }
}

suite("how slow a reader may be", () => {
  test("one that takes nothing is cut after the idle time", () => {
    const [reason, second] = readEvery(7_200, 0);
    assert.equal(reason, "idle");
    assert.ok(second >= 60 && second <= 68, `${second}`);
  });

  test("one that trickles is cut", () => {
    assert.deepEqual(readEvery(10, 1)[0], "slow");
    assert.deepEqual(readEvery(15, 200_000)[0], "slow");
  });

  test("a slow line passes, also in lumps", () => {
    assert.deepEqual(readEvery(1, 17_000), [undefined, 3_600]);
    assert.deepEqual(readEvery(30, 30 * 17_000), [undefined, 3_600]);
  });
});

suite("replies that nobody reads", () => {
  /** Asks and reads nothing until the service has let go of the connection. */
  async function leaveUnread(service: TestService, requests: string): Promise<void> {
    await service.app.listen({ host: "127.0.0.1", port: 0 });
    try {
      const { port } = service.app.server.address() as AddressInfo;
      const socket = connect(port, "127.0.0.1");
      socket.pause().write(requests.replaceAll("HOST", `localhost:${port}`));
      const [connection] = (await once(service.app.server, "connection")) as [Socket];
      if (!connection.closed) await once(connection, "close");
      while (service.context.limits.activeRequests > 0) await sleep(5);
      // Unread bytes are not left in the system's buffers either.
      const [error] = (await once(socket.resume(), "error")) as [NodeJS.ErrnoException];
      assert.equal(error.code, "ECONNRESET");
    } finally {
      service.app.server.closeAllConnections();
      await service.app.close();
    }
  }
  const cutOf = ({ context }: TestService) =>
    /lossless_replies_cut_total\{reason="idle"\} (\d+)/.exec(context.figures.registry.text())?.[1];

  test("a hundred in a row, of anybody, end with their connection and are counted", async () => {
    const service = testService({ streamIdleMs: "200" });
    const one = "GET /api/openapi.json HTTP/1.1\r\nHost: HOST\r\n\r\n";
    await leaveUnread(service, one.repeat(100));
    assert.equal(cutOf(service), "1");
  });

  test("a large one too", async () => {
    const service = testService({ streamIdleMs: "200" });
    service.storage.onRead = () => ({ artifacts: ["x".repeat(64 * 1_048_576)], next: null });
    const head = `Host: HOST\r\nAuthorization: Bearer ${apiKey}\r\n\r\n`;
    await leaveUnread(service, `GET /api/v1/artifacts/list HTTP/1.1\r\n${head}`);
    assert.equal(cutOf(service), "1");
  });

  test("a large one is the same bytes as ever, with its length", async () => {
    const service = testService();
    const page = { artifacts: ["é\u2028".repeat(1_000_000)], next: null };
    service.storage.onRead = () => page;
    const headers = { authorization: `Bearer ${apiKey}` };
    for (const method of ["GET", "HEAD"] as const) {
      const reply = await service.app.inject({ method, url: "/api/v1/artifacts/list", headers });
      assert.equal(reply.statusCode, 200);
      assert.equal(reply.headers["content-length"], `${Buffer.byteLength(JSON.stringify(page))}`);
      assert.equal(reply.headers["transfer-encoding"], undefined);
      assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
      assert.equal(reply.payload, method === "GET" ? JSON.stringify(page) : "");
    }
  });
});
