import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { Figures } from "../figures.ts";
import { call, type JsonObject, parseObject } from "../http.ts";
import { organizations, Service, type ServiceOptions } from "../service.ts";
import type { Experiment } from "./workload.ts";

/** A service under measurement, with its figures. */
export class Subject implements AsyncDisposable {
  readonly service: Service;
  readonly figures: Figures;

  private constructor(service: Service, figures: Figures) {
    this.service = service;
    this.figures = figures;
  }

  static async start(options: ServiceOptions = {}): Promise<Subject> {
    const figures = await Figures.onFreePort();
    const flags = [...figures.flags, "--log-level", "error", ...(options.flags ?? [])];
    return new Subject(await Service.start({ ...options, flags }), figures);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.service[Symbol.asyncDispose]();
  }

  async open(count: number, word: string): Promise<Experiment[]> {
    const events = Array.from({ length: count }, (_, number) => ({
      messageId: `open ${number}`,
      event: "svc.v2.experiment.open",
      data: { slug: `${word} ${number}`, description: "", meta: {} },
    }));
    const reply = await call(this.service.baseUrl, {
      path: "/api/v2/events",
      credential: organizations.acme.key,
      body: events,
    });
    return (JSON.parse(reply.text) as { data: JsonObject }[]).map(({ data }) => ({
      experimentId: String(data.experimentId),
      token: String(data.experimentToken),
    }));
  }

  /** Opens a page and waits as long as a browser takes until it asks for the first curve. */
  async openPage(): Promise<void> {
    await (await fetch(this.service.baseUrl, { headers: { accept: "text/html" } })).text();
    await sleep(200);
  }

  async finish({ experimentId, token }: Experiment): Promise<void> {
    await call(this.service.baseUrl, {
      path: `/api/v2/experiments/${experimentId}/events`,
      credential: token,
      body: { messageId: "done", event: "svc.v2.experiment.done", data: { experimentId } },
    });
  }

  /** Streams every series of an experiment and throws the bytes away; gives points per second. */
  async readRate(
    experimentId: string,
  ): Promise<{ points: number; pointsPerSecond: number; bytes: number }> {
    const event = "svc.v2.query.experimentseries";
    const body = JSON.stringify({
      messageId: "read",
      event,
      data: { experimentId, filter: [], xAxis: "step" },
    });
    const startedMs = performance.now();
    const { bytes, tail } = await this.#download(body);
    const seconds = (performance.now() - startedMs) / 1_000;
    const done = parseObject(tail.slice(tail.lastIndexOf("\n", tail.length - 2) + 1))
      .data as JsonObject;
    return { points: Number(done.points), pointsPerSecond: Number(done.points) / seconds, bytes };
  }

  #download(body: string): Promise<{ bytes: number; tail: string }> {
    const { hostname, port } = new URL(this.service.baseUrl);
    const headers = {
      authorization: `Bearer ${organizations.acme.key}`,
      "content-type": "application/json",
    };
    return new Promise((resolve, reject) => {
      const sent = request({
        hostname,
        port,
        path: "/api/v2/query/series",
        method: "POST",
        headers,
        agent: false,
      });
      sent.on("error", reject).on("response", (response) => {
        let bytes = 0;
        let tail = "";
        response.on("data", (chunk: Buffer) => {
          bytes += chunk.length;
          tail = (tail + chunk.toString("latin1", Math.max(0, chunk.length - 1_000))).slice(-1_000);
        });
        response.on("error", reject).on("end", () => resolve({ bytes, tail }));
      });
      sent.end(body);
    });
  }
}
