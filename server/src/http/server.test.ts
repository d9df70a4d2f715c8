import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { suite, test } from "node:test";
import { type EndpointDefinition, endpoints } from "@lossless/protocol";
import { ServiceError } from "../ground/errors.ts";
import { newSecret } from "../ground/secrets.ts";
import {
  apiKey,
  listeningService as listening,
  testService,
  type TestService,
} from "./storage.fixture.ts";

const json = { "content-type": "application/json", authorization: `Bearer ${apiKey}` };
const tree = '{"messageId":"t","event":"svc.v2.foldertree.read","data":{}}';
const open =
  '{"messageId":"o","event":"svc.v2.experiment.open","data":{"slug":"s","description":"","meta":{}}}';

function post(
  service: TestService,
  payload: string | Buffer,
  headers: Record<string, string> = {},
) {
  return service.app.inject({
    method: "POST",
    url: "/api/v2/events",
    headers: { ...json, ...headers },
    payload,
  });
}

function codeOf(reply: { body: string; headers: Record<string, unknown> }): string {
  const { data, error } = JSON.parse(reply.body) as {
    data: null;
    error: { message: string; details: string };
  };
  assert.equal(data, null);
  const match = /^code=(\w+); request_id=(\S+)$/.exec(error.details);
  assert.equal(match?.[2], reply.headers["x-request-id"]);
  return match?.[1] ?? "";
}

/** Sends these bytes to a listening service and reads until it closes. */
async function raw(service: TestService, ...parts: (string | Buffer)[]): Promise<string> {
  const { port } = service.app.server.address() as AddressInfo;
  const socket = connect(port, "127.0.0.1");
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
  socket.on("error", () => {});
  for (const part of parts) socket.write(part);
  await once(socket, "close");
  return text;
}

suite("routes", () => {
  test("T02: every route is a row of the endpoints table with its credential", async () => {
    const service = testService();
    const rows = new Map(
      Object.values<EndpointDefinition>(endpoints).map((row) => {
        const path = row.takesRest === true ? row.path.replace(/\{\w+\}$/, "*") : row.path;
        return [`${row.method} ${path.replace(/\{(\w+)\}/g, ":$1")}`, row];
      }),
    );
    const printed = service.app.printRoutes();
    const methods = [...printed.matchAll(/ \(([A-Z, ]+)\)$/gm)].flatMap((line) =>
      line[1].split(", ").filter((method) => method !== "HEAD"),
    );
    const missing = [...rows.keys()].filter((row) => {
      const [method, url] = row.split(" ") as ["GET", string];
      return !service.app.hasRoute({ method, url });
    });
    assert.deepEqual(missing, []);
    assert.equal(methods.length, rows.size, printed);
    for (const [name, row] of rows) {
      const [method, path] = name.split(" ") as ["GET" | "POST", string];
      const reply = await service.app.inject({ method, url: path.replace(":experimentId", "e") });
      const [kind] = row.credentials;
      if (kind === "signature") assert.equal(reply.statusCode, 403, name);
      else assert.equal(reply.statusCode === 401, kind !== undefined, name);
    }
  });
});

suite("bodies", () => {
  test("a refused small body leaves the connection alive", async () => {
    await listening({}, async (service) => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 });
      const { port } = service.app.server.address() as AddressInfo;
      const ports = new Set<number | undefined>();
      for (let turn = 0; turn < 3; turn += 1) {
        const sent = httpRequest({ agent, port, method: "POST", path: "/api/v2/events" });
        sent.end(" ".repeat(100_000));
        const [reply] = (await once(sent, "response")) as [IncomingMessage];
        assert.equal(reply.statusCode, 401);
        ports.add(reply.socket.localPort);
        reply.resume();
        await once(reply, "end");
      }
      agent.destroy();
      assert.equal(ports.size, 1);
    });
  });

  test("a client that goes away in the middle of its body leaves nothing behind", async () => {
    await listening({}, async ({ app, context }) => {
      const { port } = app.server.address() as AddressInfo;
      const socket = connect(port, "127.0.0.1");
      socket.write(
        `POST /api/v2/events HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${apiKey}\r\n` +
          "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      );
      while (context.limits.budget.requests === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      socket.destroy();
      while (context.limits.budget.requests > 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      assert.equal(context.limits.budget.usedBytes, 0);
    });
  });
});

suite("connections", () => {
  const get = (service: TestService, target: string, more = ""): Promise<string> => {
    const { port } = service.app.server.address() as AddressInfo;
    return raw(
      service,
      `${target} HTTP/1.1\r\nHost: localhost:${port}\r\n${more}Connection: close\r\n\r\n`,
    );
  };

  test("what is expected besides 100-continue is ignored", async () => {
    await listening({}, async (service) => {
      const reply = await get(service, "GET /healthz", "Expect: bananas\r\n");
      assert.match(reply, /^HTTP\/1\.1 200 [^]*x-request-id/);
    });
  });

  test("slow headers and slow bodies are cut with 408 (T54)", async () => {
    await listening({ headersTimeoutMs: "200", requestTimeoutMs: "300" }, async (service) => {
      const { port } = service.app.server.address() as AddressInfo;
      const headers = await raw(service, "GET /healthz HTTP/1.1\r\n");
      assert.match(headers, /^HTTP\/1\.1 408 [^]*code=request_timeout/);
      const body = await raw(
        service,
        `POST /api/v2/events HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${apiKey}\r\n` +
          "Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{",
      );
      assert.match(body, /^HTTP\/1\.1 408 [^]*code=request_timeout/);
      assert.equal(service.context.limits.budget.requests, 0);
      assert.deepEqual(service.storage.writes, []);
    });
  });

  test("garbage on the connection of a running stream is not answered into the stream", async () => {
    await listening({}, async (service) => {
      // The stream runs until the connection is closed: at its end, garbage may be answered.
      const closed = Promise.withResolvers<void>();
      service.storage.lines = async function* () {
        yield Buffer.from('"first"\n');
        await closed.promise;
      };
      const { port } = service.app.server.address() as AddressInfo;
      const query =
        '{"messageId":"q","event":"svc.v2.query.series","data":{"experimentId":"e","seriesName":"n","filter":[],"xAxis":"step"}}';
      const socket = connect(port, "127.0.0.1");
      let reply = "";
      socket.setEncoding("utf8").on("error", () => {});
      socket.write(
        `POST /api/v2/query/series HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${apiKey}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${query.length}\r\n\r\n${query}`,
      );
      socket.on("data", (text: string) => {
        reply += text;
        if (text.includes("first")) socket.write("garbage\r\n\r\n");
      });
      await once(socket, "close").finally(closed.resolve);
      assert.match(reply, /"first"/);
      assert.ok(!reply.includes("invalid_headers"), reply);
      while (service.context.limits.streams.taken > 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
    });
  });
});

suite("states of the service", () => {
  test("starting: health answers, everything else is 503 after 404", async () => {
    const service = testService();
    service.state.status = "starting";
    const { ServiceState } = await import("./service-state.ts");
    Object.assign(service.context, { state: new ServiceState() });
    assert.equal((await service.app.inject("/healthz")).statusCode, 200);
    const ready = await service.app.inject("/readyz");
    assert.deepEqual([ready.statusCode, ready.body], [503, '{"status":"starting"}']);
    const reply = await post(service, tree);
    assert.deepEqual(
      [reply.statusCode, codeOf(reply), reply.headers["retry-after"]],
      [503, "storage_unavailable", "1"],
    );
    assert.equal((await service.app.inject("/none")).statusCode, 404);
  });

  test("a full disk: not ready for writes, ready for reads; nothing else can be asked for", async () => {
    const service = testService();
    const ready = async (path: string) => (await service.app.inject(path)).statusCode;
    Object.assign(service.context, { probe: async () => ({ reads: true, writes: false }) });
    assert.deepEqual(
      [await ready("/readyz"), await ready("/readyz?for=write"), await ready("/readyz?for=read")],
      [503, 503, 200],
    );
    assert.equal(await ready("/readyz?for=reading"), 400);
    Object.assign(service.context, { probe: async () => ({ reads: false, writes: false }) });
    assert.equal(await ready("/readyz?for=read"), 503);
    assert.equal((await service.app.inject("/readyz")).body, '{"status":"unavailable"}');
    service.state.drain();
    assert.equal(await ready("/readyz?for=read"), 503);
  });

  test("draining: serves, says so, and closes connections; stopping: refuses", async () => {
    const service = testService();
    service.state.drain();
    assert.equal((await service.app.inject("/readyz")).body, '{"status":"stopping"}');
    const reply = await post(service, tree);
    assert.deepEqual([reply.statusCode, reply.headers["connection"]], [200, "close"]);
    service.state.stop();
    const refused = await post(service, tree);
    assert.deepEqual([refused.statusCode, codeOf(refused)], [503, "shutting_down"]);
    assert.equal((await service.app.inject("/healthz")).statusCode, 200);
  });

  test("a request that was let in is finished after the stop", async () => {
    await listening({}, async (service) => {
      const { port } = service.app.server.address() as AddressInfo;
      const socket = connect(port, "127.0.0.1");
      let reply = "";
      socket.setEncoding("utf8").on("data", (text: string) => (reply += text));
      socket.write(
        `POST /api/v2/events HTTP/1.1\r\nHost: localhost:${port}\r\nAuthorization: Bearer ${apiKey}\r\n` +
          `Content-Type: application/json\r\nContent-Length: ${tree.length}\r\n\r\n${tree.slice(0, 9)}`,
      );
      while (service.context.limits.budget.requests === 0)
        await new Promise((resolve) => setTimeout(resolve, 5));
      service.state.stop();
      const closed = service.app.close();
      socket.write(tree.slice(9));
      await once(socket, "close");
      assert.match(reply, /^HTTP\/1\.1 200 [^]*foldertree\.read\.result/);
      await closed;
    });
  });
});

suite("failures and limits", () => {
  test("T60: what nobody expected is a 500 without a word, and stands in the log", async () => {
    const service = testService();
    service.storage.onRead = () => {
      throw new Error("SELECT secret FROM /var/lib");
    };
    const reply = await post(service, tree);
    assert.deepEqual([reply.statusCode, codeOf(reply)], [500, "internal"]);
    assert.ok(!reply.body.includes("SELECT"));
    const logged = service.logged.find((line) => line.includes("SELECT secret")) ?? "";
    assert.match(logged, new RegExp(String(reply.headers["x-request-id"])));
  });

  test("a request's own id is kept in the reply and the log, if it is short and plain", async () => {
    const service = testService();
    service.storage.onRead = () => {
      throw new Error("planted");
    };
    const idFor = async (given: string) => {
      const reply = await post(service, tree, { "x-request-id": given });
      return String(reply.headers["x-request-id"]);
    };
    for (const given of ["7f3a:b2_c.d-1", "a".repeat(128)]) {
      assert.equal(await idFor(given), given);
      assert.ok(service.logged.some((line) => line.includes(`"${given}"`)));
    }
    for (const given of ["a".repeat(129), "a b", "<b>", "a;b", ""]) {
      assert.match(await idFor(given), /^[0-9a-f-]{36}$/);
    }
  });

  test("errors of the storage keep their status", async () => {
    const service = testService();
    for (const [code, status] of [
      ["storage_unavailable", 503],
      ["storage_full", 507],
      ["overloaded", 503],
    ] as const) {
      service.storage.onWrite = () => {
        throw new ServiceError(code, "sentence");
      };
      const reply = await post(service, open);
      assert.deepEqual([reply.statusCode, codeOf(reply)], [status, code]);
      assert.equal(reply.headers["retry-after"], status === 503 ? "1" : undefined);
    }
  });

  test("no secret is logged", async () => {
    const service = testService();
    const secret = newSecret("ik_");
    service.storage.onCall = () => {
      throw new Error(`token ${secret} of postgres://user:hunter22@host/db`);
    };
    await post(service, open);
    const text = service.logged.join("");
    assert.match(text, /of postgres:\/\/user:\[secret\]@host/);
    for (const word of [secret, apiKey, "hunter22"]) assert.ok(!text.includes(word));
  });
});

suite("experiment endpoint", () => {
  function experiment(): {
    service: TestService;
    secret: string;
    send: (payload: string) => ReturnType<typeof post>;
  } {
    const service = testService({ seriesLimit: "3" });
    const secret = newSecret("ik_");
    service.storage.credentials.set(secret, {
      kind: "experiment_token",
      experimentId: "e",
      organizationId: "o",
      expiresAtMs: Date.now() + 60_000,
    });
    const headers = { ...json, authorization: `Bearer ${secret}` };
    const send = (payload: string) =>
      service.app.inject({ method: "POST", url: "/api/v2/experiments/e/events", headers, payload });
    return { service, secret, send };
  }

  const metric = (messageId: string, name = "loss") =>
    `{"messageId":"${messageId}","event":"svc.v2.experiment.metric","data":{"experimentId":"e","timestampMs":1,"step":2,"metricName":"${name}","metricValue":0.25,"meta":{"rank":"0"}}}`;

  test("the fast path and the general path give the same points, replies and figures", async () => {
    const results = [0, 1, 2, 3];
    const ids = ["a-1", "b", "c-2", "d"];
    const bodies: unknown[] = [];
    const written: unknown[] = [];
    const figures: string[] = [];
    // An escape in one name sends the second body down the general path.
    for (const name of ["loss", "l\\u006fss"]) {
      const { service, send } = experiment();
      service.storage.pointResults = [...results];
      const reply = await send(`[${ids.map((id) => metric(id, name)).join(",")}]`);
      assert.equal(reply.headers["content-type"], "application/json; charset=utf-8");
      const replies = JSON.parse(reply.body) as { messageId?: string }[];
      assert.equal(new Set(replies.map(({ messageId }) => messageId)).size, 4);
      for (const one of replies) delete one.messageId;
      bodies.push(replies);
      written.push(service.storage.writes);
      figures.push(service.context.figures.registry.text().replace(/^lossless_http.*\n/gm, ""));
    }
    assert.deepEqual(bodies[0], bodies[1]);
    assert.deepEqual(written[0], written[1]);
    assert.equal(figures[0], figures[1]);
    assert.match(
      figures[0],
      /lossless_points_acknowledged_total 2\nlossless|acknowledged_total 2\n/,
    );
  });
});

suite("series", () => {
  const query = (more = "") =>
    `{"messageId":"q","event":"svc.v2.query.series","data":{"experimentId":"e","seriesName":"loss","filter":[],"xAxis":"step"${more}}}`;
  const send = (service: TestService, payload: string) =>
    service.app.inject({ method: "POST", url: "/api/v2/query/series", headers: json, payload });

  test("failures before the stream are plain JSON (M66)", async () => {
    const service = testService();
    assert.equal(codeOf(await send(service, query(',"x":1'))), "validation_failed");
    assert.equal(codeOf(await send(service, `[${query()}]`)), "validation_failed");
    service.storage.stream = async () => {
      throw new ServiceError("storage_unavailable", "gone");
    };
    assert.equal((await send(service, query())).statusCode, 503);
    assert.equal(service.context.limits.streams.taken, 0);
  });

  test("one organization gets no more than half of them", async () => {
    const service = testService({ maxStreams: "4" });
    const other = `ak_${"o".repeat(44)}`;
    const organization = { id: "other", name: "other" };
    const key = { kind: "api_key", keyId: "other", organization, lastUsedAtMs: Date.now() };
    service.storage.credentials.set(other, key);
    const gate = Promise.withResolvers<undefined>();
    service.storage.lines = async function* () {
      await gate.promise;
      yield Buffer.from("{}\n");
    };
    const running = [send(service, query()), send(service, query())];
    while (service.context.limits.streams.taken < 2)
      await new Promise((resolve) => setImmediate(resolve));
    const refused = await send(service, query());
    assert.deepEqual(
      [refused.statusCode, codeOf(refused), refused.headers["retry-after"]],
      [503, "overloaded", "1"],
    );
    const theirs = service.app.inject({
      method: "POST",
      url: "/api/v2/query/series",
      headers: { ...json, authorization: `Bearer ${other}` },
      payload: query(),
    });
    while (service.storage.streams.length < 3) {
      await new Promise((resolve) => setImmediate(resolve));
    }
    gate.resolve(undefined);
    for (const reply of [...running, theirs]) assert.equal((await reply).statusCode, 200);
  });
});
