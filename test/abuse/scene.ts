import { randomUUID } from "node:crypto";
import { event, type RequestEvent } from "../contract/callers.ts";
import { call, type HttpReply, type JsonObject, parseObject } from "../http.ts";
import { organizations, type Service } from "../service.ts";
import type { Acme } from "./acme.ts";

/** short is `npm run test:systems`, small limits; whole has audit amounts and the usual ones. */
export type Size = "short" | "whole";

/** The limits of the service under attack; what an attack takes is reckoned from them. */
export interface Limits {
  queueBytes: number;
  streams: number;
  connections: number;
  streamIdleMs: number;
  requestTimeoutMs: number;
}

export const limitsOf: Record<Size, Limits> = {
  short: {
    queueBytes: 64 * 1024 * 1024,
    streams: 8,
    connections: 2_400,
    streamIdleMs: 2_000,
    requestTimeoutMs: 8_000,
  },
  whole: {
    queueBytes: 256 * 1024 * 1024,
    streams: 256,
    connections: 10_000,
    streamIdleMs: 60_000,
    requestTimeoutMs: 120_000,
  },
};

/** Where strangers and attackers come from: the neighbour has 127.0.0.1 for itself. */
export const attackerAddress = "127.0.0.3";

/** One running service, and the attacker in it. */
export class Scene {
  readonly service: Service;
  readonly size: Size;
  readonly violations: string[] = [];
  readonly notes: string[] = [];

  /** The attacker's organization, filled once per service. */
  readonly acme: () => Promise<Acme>;

  /** Undefined: SQLite. */
  readonly databaseUrl: string | undefined;

  constructor(
    service: Service,
    size: Size,
    { acme, databaseUrl }: Pick<Scene, "acme" | "databaseUrl">,
  ) {
    this.service = service;
    this.size = size;
    this.acme = acme;
    this.databaseUrl = databaseUrl;
  }

  get limits(): Limits {
    return limitsOf[this.size];
  }

  get key(): string {
    return organizations.acme.key;
  }

  /** The amount for this size. */
  amount(short: number, whole: number): number {
    return this.size === "short" ? short : whole;
  }

  expect(holds: boolean, otherwise: string): void {
    if (!holds) this.violations.push(otherwise);
  }

  post(path: string, body: unknown, credential = this.key, headers = {}): Promise<HttpReply> {
    return call(this.service.baseUrl, { method: "POST", path, credential, body, headers });
  }

  async open(meta: JsonObject = {}): Promise<{ id: string; token: string }> {
    const data = { slug: `attack-${randomUUID()}`, description: "", meta };
    const reply = await this.post("/api/v2/events", event("experiment.open", data));
    const { experimentId, experimentToken } = parseObject(reply.text).data as Record<
      string,
      string
    >;
    return { id: experimentId, token: experimentToken };
  }

  async send(id: string, token: string, events: RequestEvent[]): Promise<void> {
    const { status, text } = await this.post(`/api/v2/experiments/${id}/events`, events, token);
    if (status !== 200)
      throw new Error(`the attack could not be prepared: ${status} ${text.slice(0, 300)}`);
  }

  /** An experiment with so many annotations of this meta. */
  async annotated(count: number, meta: JsonObject): Promise<string> {
    const { id, token } = await this.open();
    for (let sent = 0; sent < count; sent += 10) {
      const events = Array.from({ length: Math.min(10, count - sent) }, () =>
        event("experiment.annotate", { experimentId: id, annotation: "x", meta }),
      );
      await this.send(id, token, events);
    }
    return id;
  }

  /** An experiment with so many points that compress badly, and behind them those of some steps. */
  async recorded(points: number, more: readonly number[] = []): Promise<string> {
    const { id, token } = await this.open();
    const pointAt = (step: number, index: number) =>
      event("experiment.metric", {
        experimentId: id,
        timestampMs: 1e12 + index,
        step,
        metricName: "a",
        metricValue: Math.random(),
        meta: {},
      });
    for (let step = 0; step < points; step += 1_000) {
      const events = Array.from({ length: 1_000 }, (_, index) => pointAt(step + index, index));
      await this.send(id, token, events);
    }
    if (more.length > 0) await this.send(id, token, more.map(pointAt));
    return id;
  }
}
