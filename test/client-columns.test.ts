import assert from "node:assert/strict";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import { after, before, suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { listening, LoopbackServer } from "./loopback.ts";
import { organizations, Service } from "./service.ts";

/** How a proxy treats a binary body, and the header that says that one may be sent. */
type Manner = "passes" | "refuses" | "cuts" | "hides";

/** A proxy in front of a service; it counts the requests of points by their kind. */
class Proxy extends LoopbackServer {
  readonly seen = { columns: 0, events: 0 };

  static async start(target: string, manner: Manner): Promise<Proxy> {
    const server = await listening(createServer());
    const proxy = new Proxy(server);
    server.on("request", (asked, reply) => proxy.#pass(target, manner, asked, reply));
    return proxy;
  }

  #pass(target: string, manner: Manner, asked: IncomingMessage, reply: ServerResponse): void {
    const isBinary = asked.headers["content-type"] === "application/octet-stream";
    if (isBinary) this.seen.columns++;
    else if (/experiments\/.*\/events$/.test(asked.url ?? "")) this.seen.events++;
    if (isBinary && manner === "cuts") return void asked.socket.destroy();
    if (isBinary && manner === "refuses") {
      asked.resume();
      return void reply.writeHead(403, { "content-type": "text/html" }).end("<h1>Blocked</h1>");
    }
    const { hostname, port, host } = new URL(target);
    const { method, url: path } = asked;
    const headers = { ...asked.headers, host };
    const passed = request({ hostname, port, method, path, headers, agent: false }, (answer) => {
      if (manner === "hides") delete answer.headers["lossless-columns"];
      reply.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(reply);
    });
    passed.on("error", () => reply.destroy());
    asked.pipe(passed);
  }
}

suite("a recording of many points, by the TypeScript client", () => {
  const points = 12_000;
  let service: Service;
  before(async () => (service = await Service.start()));
  after(() => service?.[Symbol.asyncDispose]());

  /** Records through a proxy, and reads all of it back past it. Requests by their kind. */
  async function recorded(manner: Manner): Promise<Proxy["seen"]> {
    await using proxy = await Proxy.start(service.baseUrl, manner);
    const apiKey = organizations.acme.key;
    const client = new LosslessClient({ baseUrl: proxy.origin, apiKey });
    const recorder = await client.record({ slug: `points/${manner}` });
    for (let step = 0; step < points; step++) {
      recorder.record(`metric_${step % 3}`, step / 7, step, {
        meta: step % 2 === 0 ? {} : { k: "ü" },
      });
    }
    const { stored, deduplicated, rejected } = await recorder.finish();
    assert.deepEqual([stored, deduplicated, rejected], [points, 0, 0]);
    const direct = new LosslessClient({ baseUrl: service.baseUrl, apiKey });
    const partitions = await direct.collectSeries({ experimentId: recorder.experimentId });
    const read = partitions.flatMap(({ seriesName, metadata, step, value }) =>
      step.map((one, at) => [Number(one), seriesName, metadata, value[at]] as const),
    );
    read.sort(([left], [right]) => left - right);
    const expected = Array.from({ length: points }, (_, step) => {
      return [step, `metric_${step % 3}`, step % 2 === 0 ? {} : { k: "ü" }, step / 7];
    });
    assert.deepEqual(read, expected);
    return proxy.seen;
  }

  test("goes as columns", async () => {
    const { columns, events } = await recorded("passes");
    assert.ok(columns >= 2 && events <= 3, `${columns} of columns, ${events} of events`);
  });

  test("goes as events after a proxy has refused the first body, or cut three connections", async () => {
    assert.equal((await recorded("refuses")).columns, 1);
    const { columns } = await recorded("cuts");
    assert.ok(columns >= 1 && columns <= 3, `${columns} of columns`);
  });

  test("goes as events behind a proxy that hides what the service says", async () => {
    assert.equal((await recorded("hides")).columns, 0);
  });
});
