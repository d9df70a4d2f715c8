import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../http.ts";
import { organizations } from "../service.ts";

/** What a process of viewers is told: so many pages, each on one of the experiments. */
export interface Viewing {
  baseUrl: string;
  experiments: string[];
  pages: number;
}

/** A page has so many charts on screen, each this wide. */
const charts = 6;
const columns = 600;
/** A page rests so long after an answer, or four times as long as that took. */
const restMs = 500;
const restShare = 4;

process.on("message", ({ baseUrl, experiments, pages }: Viewing) => {
  for (let page = 0; page < pages; page++) {
    void look(baseUrl, experiments[page % experiments.length]);
  }
});
process.on("disconnect", () => process.exit());

/** What the page of an experiment does: it waits for a change, and reads its charts again. */
async function look(baseUrl: string, experimentId: string): Promise<never> {
  const ask = async (path: string, body: object): Promise<unknown> => {
    const { key } = organizations.acme;
    const reply = await call(baseUrl, { path: `/api/views/v1/${path}`, credential: key, body });
    return reply.status === 200 ? JSON.parse(reply.text) : undefined;
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
