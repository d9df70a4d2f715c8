import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { restAfter } from "../../web/src/chart/rest.ts";
import { call } from "../http.ts";

/** What a process of viewers is told: a page for each key, on one of the experiments. */
export interface Viewing {
  baseUrl: string;
  experiments: string[];
  /** One a person, since the service keeps a pace for each. */
  keys: string[];
}

/** What all pages had in a second since they were open, and what that cost this process. */
export interface PagesDone {
  overviews: number;
  cores: number;
}

/** A page has so many charts on screen, each this wide. */
const charts = 6;
const columns = 600;
/** So many a browser has. */
const connections = 6;

let overviews = 0;
let opened = { atMs: 0, overviews: 0, cpu: process.cpuUsage() };

process.on("message", (message: Viewing | "stop") => {
  if (message !== "stop") return void openAll(message);
  const seconds = (performance.now() - opened.atMs) / 1_000;
  const { user, system } = process.cpuUsage(opened.cpu);
  process.send!({
    overviews: (overviews - opened.overviews) / seconds,
    cores: (user + system) / 1e6 / seconds,
  } satisfies PagesDone);
});
process.on("disconnect", () => process.exit());

async function openAll({ baseUrl, experiments, keys }: Viewing): Promise<void> {
  // One after the other: pages that are all opened at once wait for each other, and rest long then.
  for (const [page, key] of keys.entries()) {
    await new Promise<void>((onDrawn) => {
      void look(baseUrl, key, experiments[page % experiments.length], onDrawn);
    });
  }
  opened = { atMs: performance.now(), overviews, cpu: process.cpuUsage() };
  process.send!("open");
}

/** What the page of an experiment does: it waits for a change, and reads its charts again. */
async function look(
  baseUrl: string,
  key: string,
  experimentId: string,
  onDrawn: () => void,
): Promise<never> {
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
    overviews += charts;
    onDrawn();
    await sleep(restAfter(performance.now() - startedMs));
  }
}
