import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../http.ts";

/** What a process of viewers is told: a page for each key, on one of the experiments. */
export interface Viewing {
  baseUrl: string;
  experiments: string[];
  /** One a person, since the service keeps a pace for each. */
  keys: string[];
}

/** A page has so many charts on screen, each this wide. */
const charts = 6;
const columns = 600;
/** So many a browser has. */
const connections = 6;
/** A page rests so long after an answer, or so many times as long as that took. */
const restMs = 500;
const restShare = 20;

process.on("message", ({ baseUrl, experiments, keys }: Viewing) => {
  for (const [page, key] of keys.entries()) {
    void look(baseUrl, key, experiments[page % experiments.length]);
  }
});
process.on("disconnect", () => process.exit());

/** What the page of an experiment does: it waits for a change, and reads its charts again. */
async function look(baseUrl: string, key: string, experimentId: string): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask = async (path: string, body: object): Promise<unknown> => {
    const request = { path: `/api/views/v1/${path}`, credential: key, body, agent };
    const reply = await call(baseUrl, request);
    if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
    return JSON.parse(reply.text);
  };
  for (let revision = 0; ;) {
    const seen = { experiments: [{ experimentId, revision }], waitMs: 25_000 };
    const changes = (await ask("changes", seen)) as { experiments: { revision: number }[] };
    revision = changes?.experiments[0]?.revision ?? revision;
    const startedMs = performance.now();
    const drawn = Array.from({ length: charts }, (_, number) => {
      const series = [{ experimentId, seriesName: `train/metric_${number}` }];
      return ask("overview", { series, xAxis: "step", columns, align: true });
    });
    await Promise.all(drawn);
    await sleep(Math.max(restMs, restShare * (performance.now() - startedMs)));
  }
}
