import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { call, parseObject } from "../http.ts";
import type { JsonObject } from "../http.ts";
import { organizations, Service } from "../service.ts";
import type { ServiceOptions } from "../service.ts";
import type { Experiment } from "./workload.ts";

/** A service under measurement, with its figures. */
export class Subject implements AsyncDisposable {
  readonly service: Service;
  readonly #adminPort: number;

  private constructor(service: Service, adminPort: number) {
    this.service = service;
    this.#adminPort = adminPort;
  }

  static async start(options: ServiceOptions = {}): Promise<Subject> {
    const adminPort = await freePort();
    const flags = [
      "--admin-port",
      String(adminPort),
      "--log-level",
      "error",
      ...(options.flags ?? []),
    ];
    return new Subject(await Service.start({ ...options, flags }), adminPort);
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

  async finish({ experimentId, token }: Experiment): Promise<void> {
    await call(this.service.baseUrl, {
      path: `/api/v2/experiments/${experimentId}/events`,
      credential: token,
      body: { messageId: "done", event: "svc.v2.experiment.done", data: { experimentId } },
    });
  }

  /** One number of the operator's page. */
  async figure(name: string): Promise<number> {
    const { text } = await call(`http://127.0.0.1:${this.#adminPort}`, { path: "/metrics" });
    const line = new RegExp(`^${name} (.*)$`, "m").exec(text);
    if (line === null) throw new Error(`there is no figure ${name}`);
    return Number(line[1]);
  }

  /** Waits until the background work has sealed so many points in all. */
  async sealed(points: number): Promise<void> {
    while ((await this.figure("lossless_storage_background_sealed_points")) < points)
      await sleep(100);
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

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
