import assert from "node:assert/strict";
import type { IncomingMessage, Server } from "node:http";
import { json } from "node:stream/consumers";
import { suite, test } from "node:test";
import { LosslessClient } from "@lossless/client";
import { listening, LoopbackServer } from "../loopback.ts";
import { signIn } from "../contract/people.ts";
import { Figures } from "../figures.ts";
import { call } from "../http.ts";
import { organizations, Service } from "../service.ts";
import { HostileProvider } from "../sign-on/hostile-provider.ts";
import { setSignOn, signOnBody } from "../sign-on/sign-on-calls.ts";

const { key } = organizations.acme;
const serverKind = 2;
const clientKind = 3;

suite("traces", () => {
  test("a request, what it asked the storage for, and the caller's trace above it", async () => {
    await using collector = await Collector.start();
    await using service = await Service.start({
      flags: ["--traces", collector.url, "--log-level", "debug"],
    });
    const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: key });
    const opened = await client.openExperiment({ slug: "secret-name", description: "", meta: {} });
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
    const reply = await call(service.baseUrl, {
      path: "/api/v2/events",
      credential: key,
      headers: { traceparent: `00-${traceId}-00f067aa0ba902b7-01` },
      body: {
        event: "svc.v2.query.experiment",
        messageId: "one",
        data: { experimentId: opened.experimentId },
      },
    });
    assert.equal(reply.status, 200, reply.text);
    await call(service.baseUrl, { path: "/api/v2/events", credential: "ak_wrong", body: {} });
    await service.stop();

    const queried = collector.spans.filter((span) => span.traceId === traceId);
    const request = queried.find(({ kind }) => kind === serverKind)!;
    assert.equal(request.name, "POST /api/v2/events");
    assert.equal(request.parentSpanId, "00f067aa0ba902b7");
    assert.equal(attribute(request, "http.response.status_code"), 200);
    assert.equal(attribute(request, "http.route"), "/api/v2/events");
    assert.equal(attribute(request, "lossless.request_id"), reply.headers["x-request-id"]);
    assert.match(String(attribute(request, "lossless.organization")), /^[0-9a-z]{26}$/);
    const reads = queried.filter(({ name }) => name === "storage.read");
    const operations = reads.map((span) => attribute(span, "lossless.operation"));
    assert.ok(operations.includes("query.experiment"), operations.join());
    for (const read of reads) assert.equal(read.parentSpanId, request.spanId);
    const inThreads = queried.filter(({ name }) => name.startsWith("storage.thread."));
    const idsOf = (spans: readonly SentSpan[]) => spans.map(({ spanId }) => spanId);
    assert.deepEqual(inThreads.map((span) => span.parentSpanId).sort(), idsOf(reads).sort());

    const writes = collector.spans.filter(({ name }) => name === "storage.write");
    assert.ok(
      writes.some((span) => attribute(span, "lossless.operation") === "experiment.open"),
      writes.map((span) => attribute(span, "lossless.operation")).join(),
    );
    const writing = collector.spans.filter(({ name }) => name === "storage.thread.write");
    assert.ok(writing.length > 0);
    for (const { parentSpanId } of writing) assert.ok(idsOf(writes).includes(parentSpanId ?? ""));
    const refused = collector.spans.find((span) => attribute(span, "error.type") !== undefined)!;
    assert.equal(attribute(refused, "http.response.status_code"), 401);
    assert.match(service.errors, new RegExp(`"trace_id":"${traceId}"`));
    const sent = JSON.stringify(collector.spans);
    for (const word of [key, "secret-name", "ak_wrong"]) assert.ok(!sent.includes(word), word);
  });

  test("calls to other services lie below the request that waits for them, background work apart", async () => {
    await using collector = await Collector.start();
    await using provider = await HostileProvider.start();
    const figures = await Figures.onFreePort();
    const seals = ["--seal-points", "10", "--seal-idle-ms", "10"];
    await using service = await Service.start({
      flags: ["--traces", collector.url, ...figures.flags, ...seals],
      people: true,
      allowPrivate: ["127.0.0.0/8"],
    });
    const target = { baseUrl: service.baseUrl, observe() {} };
    await setSignOn(target, await signIn(target, "ada"), signOnBody(provider.issuer));
    const client = new LosslessClient({ baseUrl: service.baseUrl, apiKey: key });
    const recorder = await client.record({ slug: "sealed-while-traced" });
    for (let step = 0; step < 20; step++) recorder.record("loss", step, step);
    await recorder.finish();
    await figures.sealed(20);
    await service.stop();

    const { spans } = collector;
    const request = spans.find(({ name }) => name === "PUT /api/sign-on/v1/provider")!;
    const called = spans.filter((span) => attribute(span, "server.address") !== undefined);
    assert.ok(called.length > 0);
    for (const span of called) {
      assert.equal(span.kind, clientKind);
      assert.deepEqual([span.name, span.parentSpanId], ["GET", request.spanId]);
      assert.equal(attribute(span, "http.response.status_code"), 200);
    }
    const seal = spans.find(({ name }) => name === "background seal")!;
    assert.ok(Number(attribute(seal, "lossless.sealed_points")) > 0);
    assert.equal(seal.parentSpanId ?? "", "");
    const databases = spans.map((span) => attribute(span, "db.system.name"));
    assert.deepEqual(
      [...new Set(databases)].filter((one) => one !== undefined),
      ["sqlite"],
    );
  });

  test("a share of 0 traces what a caller's trace asks for alone", async () => {
    await using collector = await Collector.start();
    await using service = await Service.start({
      flags: ["--traces", collector.url, "--trace-share", "0"],
    });
    await call(service.baseUrl, { path: "/api/v1/whoami", credential: key });
    const traceparent = `00-${"ab".repeat(16)}-${"cd".repeat(8)}-01`;
    await call(service.baseUrl, {
      path: "/api/v1/whoami",
      credential: key,
      headers: { traceparent },
    });
    await service.stop();
    assert.deepEqual(
      [...new Set(collector.spans.map(({ traceId }) => traceId))],
      ["ab".repeat(16)],
    );
  });

  test("a collector that is away costs no request, and the log says so", async () => {
    const collector = await Collector.start();
    const { url } = collector;
    await collector[Symbol.asyncDispose]();
    await using service = await Service.start({ flags: ["--traces", url] });
    const reply = await call(service.baseUrl, { path: "/api/v1/whoami", credential: key });
    assert.equal(reply.status, 200);
    assert.equal(await service.stop(), 0);
    assert.match(service.errors, /traces could not be sent/);
  });

  test("without the packages of OpenTelemetry it says how to get them", async () => {
    const absent = `
      import { registerHooks } from "node:module";
      registerHooks({
        resolve: (name, context, next) => next(name.startsWith("@opentelemetry/") ? "absent" : name, context),
      });`;
    const nodeFlags = [`--import=data:text/javascript,${encodeURIComponent(absent)}`];
    await using plain = await Service.start({ nodeFlags });
    assert.equal(await plain.stop(), 0);
    await assert.rejects(
      Service.start({ nodeFlags, flags: ["--traces", "http://127.0.0.1:1"] }),
      /ended with 2 [^]*--traces needs OpenTelemetry[^]*npm install --no-save @opentelemetry\/api@\d/,
    );
  });

  test("an address that is none, and a share beyond 1, are wrong options", async () => {
    for (const flags of [
      ["--traces", "collector:4318"],
      ["--traces", "http://127.0.0.1:1", "--trace-share", "2"],
    ])
      await assert.rejects(Service.start({ flags }), /--trace(s|-share) must be/);
  });
});

interface SentSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
}

function attribute(span: SentSpan, name: string): string | number | undefined {
  const value = span.attributes.find(({ key: one }) => one === name)?.value;
  return value?.stringValue ?? value?.intValue;
}

/** It takes spans as a collector of OpenTelemetry does, and keeps them. */
class Collector extends LoopbackServer {
  readonly spans: SentSpan[] = [];
  readonly url = `${this.origin}/v1/traces`;

  private constructor(server: Server) {
    super(server);
    server.on("request", (request, response) => {
      void this.#take(request).then(() =>
        response.writeHead(200, { "content-type": "application/json" }).end("{}"),
      );
    });
  }

  static async start(): Promise<Collector> {
    return new Collector(await listening());
  }

  async #take(request: IncomingMessage): Promise<void> {
    const { resourceSpans } = (await json(request)) as {
      resourceSpans: { scopeSpans: { spans: SentSpan[] }[] }[];
    };
    for (const { scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans) this.spans.push(...spans);
  }
}
