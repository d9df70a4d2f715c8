/**
 * The second organization, in a thread of its own, so that what the attacker does in this process
 * holds none of its clocks up. It goes on asking until it is told to stop, and tells what it has
 * seen since it was last asked.
 */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { parentPort, workerData } from "node:worker_threads";
import { event } from "../contract/callers.ts";
import { call, type HttpRequest, parseLines, parseObject } from "../http.ts";
import type { NeighbourSetup, Seen } from "./neighbour.ts";

const { baseUrl, key, pauseMs } = workerData as NeighbourSetup;
let seen: Seen = {};
let isRunning = true;

/** It throws for all but success: an attacker's neighbour is not told to come again later. */
async function ask(request: HttpRequest): Promise<string> {
  const { status, text } = await call(baseUrl, request);
  if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
  if (text.includes("svc.v2.error")) throw new Error(text.slice(0, 300));
  return text;
}

const postEvent = (name: string, data: Parameters<typeof event>[1]) =>
  ask({ path: "/api/v2/events", credential: key, body: event(name, data) });

const opened = await postEvent("experiment.open", {
  slug: `neighbour-${randomUUID()}`,
  description: "",
  meta: { seed: 1 },
});
const { experimentId, experimentToken } = parseObject(opened).data as Record<string, string>;
let step = 0;
/** Longer nobody waits for a page: what is slower has failed. */
const patienceMs = 10_000;

async function write(): Promise<void> {
  const body = Array.from({ length: 10 }, () =>
    event("experiment.metric", {
      experimentId,
      timestampMs: 1_700_000_000_000,
      step: (step += 1),
      metricName: "loss",
      metricValue: step / 7,
      meta: {},
    }),
  );
  const path = `/api/v2/experiments/${experimentId}/events`;
  await ask({ path, credential: experimentToken, body });
}

async function stream(): Promise<void> {
  const data = { experimentId, seriesName: "loss", filter: [], xAxis: "step" };
  const body = event("query.series", data);
  const lines = parseLines(await ask({ path: "/api/v2/query/series", credential: key, body }));
  if (lines.at(-1)?.event !== "svc.v2.query.series.done")
    throw new Error("a stream without its end");
}

const view = (name: string, body: object) =>
  ask({ path: `/api/views/v1/${name}`, credential: key, body });

const kinds: Record<string, () => Promise<unknown>> = {
  read: () => postEvent("query.experiment", { experimentId }),
  write,
  stream,
  table: () => view("experiments", { query: "status = running slug ~ neighbour", limit: 10 }),
  chart: () =>
    view("overview", {
      series: [{ experimentId, seriesName: "loss" }],
      xAxis: "step",
      columns: 100,
    }),
  list: () => ask({ path: "/api/views/v1/saved", credential: key }),
  search: () =>
    ask({
      path: "/api/2.0/mlflow/runs/search",
      credential: key,
      body: { experiment_ids: ["0"], max_results: 10 },
    }),
  health: () => ask({ path: "/healthz" }),
};

async function goOnWith(kind: string, work: () => Promise<unknown>): Promise<void> {
  while (isRunning) {
    const startedMs = performance.now();
    let failure: string | undefined;
    try {
      await work();
    } catch (error) {
      failure = String(error);
    }
    const now = (seen[kind] ??= { latenciesMs: [], failures: [] });
    const latencyMs = performance.now() - startedMs;
    now.latenciesMs.push(latencyMs);
    if (latencyMs > patienceMs) failure ??= `it took ${Math.round(latencyMs)} ms`;
    if (failure !== undefined && isRunning) now.failures.push(failure);
    await sleep(pauseMs);
  }
}

await write();
const loops = Object.entries(kinds).map(([kind, work]) => goOnWith(kind, work));
parentPort!.on("message", (message: "take" | "stop") => {
  if (message === "take") {
    parentPort!.postMessage(seen);
    seen = {};
    return;
  }
  isRunning = false;
  void Promise.all(loops).then(() => parentPort!.close());
});
parentPort!.postMessage("ready");
