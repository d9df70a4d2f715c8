import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { call, type JsonObject } from "../http.ts";
import { startPostgres } from "../postgres.ts";
import { organizations, type ServiceOptions } from "../service.ts";
import { fill } from "./experiments-table.ts";
import { percentile } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { ViewsOptions } from "./views-options.ts";
import type { Experiment } from "./workload.ts";

/** Openings a second: with what each has below, some 4,000 rows of summaries a second. */
const perSecond = 240;
const openings = 14_400;
const perRequest = 10;
/** Where a service takes less, the sweep is slower: that many requests wait for their answer. */
const atOnce = 16;
const leaves = 12;
const metrics = ["train/loss", "train/accuracy", "val/loss", "val/accuracy", "lr"];

/** One opening of so many is looked for until a query finds it. */
const lookedForEach = 5 * perSecond;
const lookEveryMs = 250;
const askedWithinMs = 600_000;

/**
 * How far the table of many experiments is behind while a sweep opens more, with metas and metrics:
 * from the acknowledgement until a query of its meta, or of its metric, finds one; and from the
 * last acknowledgement until nothing is behind.
 */
export async function measureSweeps(
  { experiments, postgres, progress }: ViewsOptions,
  set: (name: string, value: number) => void,
): Promise<void> {
  const measure = async (database: string, options: ServiceOptions): Promise<void> => {
    await using subject = await Subject.start(options);
    const { service } = subject;
    await service.stop();
    await fill(service, { experiments, metrics: 20, keys: 30 });
    await service.start();
    const { metas, summaries, ackMs, tookMs, untilNothingMs } = await sweep(service.baseUrl);
    const rate = ((1_000 * openings) / tookMs).toFixed(0);
    const ack = percentile(ackMs, 99).toFixed(0);
    progress(`  ${database}: ${rate} openings a second, p99 of an acknowledgement ${ack} ms`);
    set(`sweep, a meta is found, p50, ${database} s`, percentile(metas, 50) / 1_000);
    set(`sweep, a meta is found, last, ${database} s`, Math.max(...metas) / 1_000);
    set(`sweep, a metric is found, last, ${database} s`, Math.max(...summaries) / 1_000);
    set(`sweep, until nothing is behind, ${database} s`, untilNothingMs / 1_000);
  };
  await measure("SQLite", {});
  if (!postgres) return;
  await using server = await startPostgres({ settings: { shared_buffers: "128MB" } });
  await measure("PostgreSQL", { databaseUrl: await server.createDatabase() });
}

async function sweep(baseUrl: string) {
  using agent = new SweepAgent(baseUrl);
  using viewer = new SweepAgent(baseUrl);
  const [metas, summaries, ackMs]: number[][] = [[], [], []];
  const looks: Promise<void>[] = [];
  const startedMs = performance.now();
  const write = async (first: number): Promise<void> => {
    const dueMs = startedMs + (1_000 * first) / perSecond;
    await sleep(Math.max(0, dueMs - performance.now()));
    const sentMs = performance.now();
    const opened = await agent.open(first);
    const openedMs = performance.now();
    await Promise.all(opened.map((one) => agent.log(one)));
    ackMs.push(openedMs - sentMs, performance.now() - openedMs);
    if (first % lookedForEach !== 0) return;
    const loggedMs = performance.now();
    const found = async (query: string, sinceMs: number, into: number[]) => {
      await viewer.until(query, ({ total }) => total > 0);
      into.push(performance.now() - sinceMs);
    };
    looks.push(found(`meta.number = ${first}`, openedMs, metas));
    looks.push(found(`metric.lr.last = ${first}`, loggedMs, summaries));
  };
  let next = 0;
  const writer = async (): Promise<void> => {
    while (next < openings) await write((next += perRequest) - perRequest);
  };
  await Promise.all(Array.from({ length: atOnce }, writer));
  const endedMs = performance.now();
  await viewer.until("", ({ behind }) => behind === 0);
  const untilNothingMs = performance.now() - endedMs;
  await Promise.all(looks);
  return { metas, summaries, ackMs, tookMs: endedMs - startedMs, untilNothingMs };
}

interface Opened extends Experiment {
  number: number;
}

class SweepAgent implements Disposable {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 8 * atOnce });
  readonly #baseUrl: string;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  async open(first: number): Promise<Opened[]> {
    const events = Array.from({ length: perRequest }, (_, at) => ({
      messageId: `open ${first + at}`,
      event: "svc.v2.experiment.open",
      data: { slug: `sweep ${first + at}`, description: "", meta: metaOf(first + at) },
    }));
    const opened = await this.#ask<{ data: JsonObject }[]>("/api/v2/events", events);
    return opened.map(({ data }, at) => ({
      experimentId: String(data.experimentId),
      token: String(data.experimentToken),
      number: first + at,
    }));
  }

  async log({ experimentId, token, number }: Opened): Promise<void> {
    const events = metrics.map((metricName) => {
      const point = { step: 1, metricName, metricValue: number, meta: {} };
      const data = { experimentId, timestampMs: Date.now(), ...point };
      return { messageId: metricName, event: "svc.v2.experiment.metric", data };
    });
    await this.#ask(`/api/v2/experiments/${experimentId}/events`, events, token);
  }

  /** Asks for the table until it is as it should be. */
  async until(
    query: string,
    isSo: (reply: { total: number; behind: number }) => boolean,
  ): Promise<void> {
    const giveUpAtMs = performance.now() + askedWithinMs;
    while (performance.now() < giveUpAtMs) {
      const body = { query, limit: 1 };
      if (isSo(await this.#ask("/api/views/v1/experiments", body))) return;
      await sleep(lookEveryMs);
    }
    throw new Error(`"${query}" is not so after ten minutes`);
  }

  [Symbol.dispose](): void {
    this.#agent.destroy();
  }

  async #ask<Reply>(
    path: string,
    body: object,
    credential: string = organizations.acme.key,
  ): Promise<Reply> {
    const agent = this.#agent;
    const { status, text } = await call(this.#baseUrl, { path, credential, body, agent });
    if (status !== 200 || text.includes("svc.v2.error"))
      throw new Error(`${status}: ${text.slice(0, 500)}`);
    return JSON.parse(text) as Reply;
  }
}

function metaOf(number: number): object {
  const inner = Array.from({ length: leaves - 2 }, (_, at) => [
    `leaf_${at}`,
    at % 3 === 0 ? `word-${(number * at) % 100}` : (number * (at + 1)) % 997,
  ]);
  return { number, tag: "sweep", model: Object.fromEntries(inner) as object };
}
