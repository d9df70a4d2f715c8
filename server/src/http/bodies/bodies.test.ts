import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { type AddressInfo, connect, type Socket } from "node:net";
import { suite, test } from "node:test";
import { gzipSync } from "node:zlib";
import { apiKey, listeningService, testService, type TestService } from "../storage.fixture.ts";

const otherKey = `ak_${"o".repeat(44)}`;
const tree = '{"messageId":"t","event":"svc.v2.foldertree.read","data":{}}';

/** A listening service that knows the keys of two organizations. */
function listening(
  options: Parameters<typeof listeningService>[0],
  work: (service: TestService) => Promise<void>,
): Promise<void> {
  return listeningService(options, async (service) => {
    service.storage.credentials.set(otherKey, {
      kind: "api_key",
      keyId: "other",
      organization: { id: "other", name: "rival" },
      lastUsedAtMs: Date.now(),
    });
    await work(service);
  });
}

function open(service: TestService, localAddress = "127.0.0.1"): Socket {
  const { port } = service.app.server.address() as AddressInfo;
  const socket = connect({ port, host: "127.0.0.1", localAddress });
  return socket.setEncoding("latin1").on("error", () => {});
}

function head(path: string, announcedBytes: number, more: readonly string[] = []): string {
  const lines = ["Host: localhost", `Content-Length: ${announcedBytes}`, ...more];
  return `POST ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`;
}

/** The host as the service knows itself: its port is part of it. */
function sent(service: TestService, text: string): string {
  const { port } = service.app.server.address() as AddressInfo;
  return text.replace("Host: localhost", `Host: localhost:${port}`);
}

const events = (announcedBytes: number, key = apiKey): string =>
  head("/api/v2/events", announcedBytes, [
    `Authorization: Bearer ${key}`,
    "Content-Type: application/json",
  ]);

const form = (announcedBytes: number): string =>
  head("/oauth/token", announcedBytes, ["Content-Type: application/x-www-form-urlencoded"]);

/** Sends one request over its own connection; the status, or 0 when it is closed unanswered. */
async function statusOf(service: TestService, text: string, localAddress?: string) {
  const socket = open(service, localAddress);
  socket.write(sent(service, text));
  return answered(socket);
}

async function answered(socket: Socket): Promise<number> {
  const reply = await Promise.race([once(socket, "data"), once(socket, "close")]);
  socket.destroy();
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(reply[0]))?.[1] ?? 0);
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

suite("bodies", () => {
  test("what is announced and does not come takes nothing from anybody", async () => {
    const options = { maxBodyBytes: "1048576", maxQueueBytes: "2097152" };
    await listening(options, async (service) => {
      const { budget } = service.context.limits;
      for (let held = 0; held < 12; held++) {
        open(service).write(sent(service, `${events(1_048_576)}[`));
      }
      await until(() => budget.requests === 12 && budget.usedBytes === 12);
      for (const key of [apiKey, otherKey]) {
        assert.equal(await statusOf(service, events(tree.length, key) + tree), 200);
      }
    });
  });

  test("one organization takes half, whatever it sends", async () => {
    const options = { maxBodyBytes: "65536", maxQueueBytes: "1048576" };
    await listening(options, async (service) => {
      const { budget } = service.context.limits;
      const most = " ".repeat(65_000);
      for (let held = 0; held < 8; held++) {
        open(service).write(sent(service, events(65_536) + most));
      }
      await until(() => budget.usedBytes === 8 * 65_000);
      const large = tree.padEnd(10_000);
      assert.equal(await statusOf(service, events(large.length) + large), 503);
      assert.equal(await statusOf(service, events(large.length, otherKey) + large), 200);
      assert.equal(await statusOf(service, events(tree.length) + tree), 200);
    });
  });

  test("a body that stands still is given up, and its connection closed", async () => {
    await listening({ requestTimeoutMs: "1200" }, async (service) => {
      const { budget } = service.context.limits;
      const socket = open(service);
      let reply = "";
      socket.on("data", (text: string) => (reply += text));
      socket.write(sent(service, `${events(1_000)}[`));
      await once(socket, "close");
      assert.match(reply, /^HTTP\/1\.1 408 [^]*connection: close[^]*code=request_timeout/i);
      // Node's own time-out for whole requests comes later, and is no request of a route.
      assert.ok(service.logged.some((line) => line.includes('"code":"request_timeout"')));
      assert.deepEqual([budget.usedBytes, budget.requests], [0, 0]);
    });
  });

  test("strangers have a budget of their own, and one address has half of it", async () => {
    await listening({}, async (service) => {
      const { budget, openBudget } = service.context.limits;
      const most = "x".repeat(65_535);
      for (let held = 0; held < 128; held++) {
        open(service).write(sent(service, form(65_536) + most));
      }
      await until(() => openBudget.usedBytes === 128 * 65_535);
      assert.deepEqual([budget.usedBytes, budget.requests], [0, 0]);
      assert.equal(await statusOf(service, form(65_536) + most), 503);
      assert.equal(await statusOf(service, form(1_000) + "x".repeat(1_000), "127.0.0.2"), 400);
      assert.equal(await statusOf(service, events(tree.length) + tree), 200);
    });
  });

  test("notes are counted as other bodies are", async () => {
    await listening({}, async (service) => {
      const { budget } = service.context.limits;
      const request = head("/api/v1/artifacts/note?artifact=a&note=n", 1_000, [
        `Authorization: Bearer ${apiKey}`,
      ]);
      const socket = open(service);
      socket.write(sent(service, request.replace("POST", "PUT")) + "x".repeat(999));
      await until(() => budget.usedBytes === 999);
      socket.write("x");
      assert.equal(await answered(socket), 204);
      assert.deepEqual([budget.usedBytes, budget.requests], [0, 0]);
    });
  });
});

suite("bodies that are sent as gzip", () => {
  test("what comes out is bounded by what was sent, above 8 MiB", async () => {
    const service = testService();
    const code = async (text: string): Promise<string | undefined> => {
      const { body } = await service.app.inject({
        method: "POST",
        url: "/api/v2/events",
        headers: {
          authorization: `Bearer ${apiKey}`,
          "content-type": "application/json",
          "content-encoding": "gzip",
        },
        payload: gzipSync(text),
      });
      return /code=(\w+)/.exec(body)?.[1];
    };
    assert.equal(await code(tree.padEnd(8_388_608)), undefined);
    assert.equal(await code(tree.padEnd(8_388_609)), "payload_too_large");
    // Data that hardly compresses may be as large as any other body.
    const random = randomBytes(10_000_000).toString("base64");
    assert.equal(await code(JSON.stringify(random)), "validation_failed");
    assert.equal(service.context.limits.budget.usedBytes, 0);
  });
});

suite("connections without a credential", () => {
  /** Returns whether a new connection of this address is admitted. */
  const isAdmitted = async (service: TestService, localAddress?: string): Promise<boolean> =>
    (await statusOf(service, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", localAddress)) ===
    200;

  test("one address has half of them, others go on", async () => {
    await listening({ maxConnections: "20" }, async (service) => {
      const { limits, figures } = service.context;
      const { connections: shares } = limits;
      const held = Array.from({ length: 10 }, () => open(service));
      await until(() => shares.strangers === 10);
      assert.equal(await isAdmitted(service), false);
      assert.equal(await isAdmitted(service, "127.0.0.2"), true);
      assert.match(
        figures.registry.text(),
        /lossless_connections_refused_total\{bound="address"\} 1\b/,
      );
      held[0].destroy();
      await until(() => shares.strangers === 9);
      assert.equal(await isAdmitted(service), true);
    });
  });

  test("a connection that has carried a valid credential is no stranger's, another one stays it", async () => {
    await listening({ maxConnections: "4" }, async (service) => {
      const { connections: shares } = service.context.limits;
      const [first, second] = [open(service), open(service)];
      const status = (key: string): string =>
        sent(service, "GET /api/v2/auth/status HTTP/1.1\r\nHost: localhost\r\n").concat(
          `Authorization: Bearer ${key}\r\n\r\n`,
        );
      first.write(status(`ak_${"w".repeat(44)}`));
      assert.match(String(await once(first, "data")), /^HTTP\/1\.1 401/);
      assert.equal(shares.strangers, 2);
      assert.equal(await isAdmitted(service), false);
      second.write(status(apiKey));
      assert.match(String(await once(second, "data")), /^HTTP\/1\.1 200/);
      assert.equal(shares.strangers, 1);
      assert.equal(await isAdmitted(service), true);
      second.destroy();
      first.destroy();
      await until(() => shares.strangers === 0);
    });
  });

  test("one organization has half of them, others go on", async () => {
    await listening({ maxConnections: "8" }, async (service) => {
      const { limits, figures } = service.context;
      const { connections: shares } = limits;
      const request = (key: string): string =>
        `GET /api/v2/auth/status HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\n\r\n`;
      const ask = async (socket: Socket, key = apiKey): Promise<string> => {
        socket.write(sent(service, request(key)));
        return String(await once(socket, "data"));
      };
      const held: Socket[] = [];
      for (let turn = 0; turn < 4; turn++) {
        held.push(open(service));
        assert.match(await ask(held[turn]), /^HTTP\/1\.1 200/);
      }
      assert.match(await ask(held[0]), /^HTTP\/1\.1 200/);
      assert.equal(shares.strangers, 0);
      const fifth = open(service);
      const refusal = await ask(fifth);
      assert.match(refusal, /^HTTP\/1\.1 503 [^]*retry-after: 1[^]*code=overloaded/i);
      if (!fifth.closed) await once(fifth, "close");
      assert.match(
        figures.registry.text(),
        /lossless_connections_refused_total\{bound="organization"\} 1\b/,
      );
      assert.match(await ask(open(service), otherKey), /^HTTP\/1\.1 200/);
      // A proxy's open connection moves from one organization to another.
      assert.match(await ask(held[1], otherKey), /^HTTP\/1\.1 200/);
      held[2].destroy();
      held[3].destroy();
      while ((await statusOf(service, request(apiKey))) !== 200);
    });
  });

  test("those of a trusted proxy are the proxy's to bound", async () => {
    await listening({ maxConnections: "4", trustedProxies: "127.0.0.1/32" }, async (service) => {
      for (let turn = 0; turn < 3; turn++) open(service);
      assert.equal(await isAdmitted(service), true);
      assert.equal(service.context.limits.connections.strangers, 0);
    });
  });

  test("HTTP/0.9 is not answered, nor is a version that there is not", async () => {
    await listening({}, async (service) => {
      for (const [line, status] of [
        ["GET /healthz", 400],
        ["GET /healthz HTTP/2.0", 400],
        ["GET /healthz HTTP/1.0", 200],
      ] as const) {
        assert.equal(await statusOf(service, `${line}\r\n\r\n`), status, line);
      }
    });
  });
});
