import { Agent } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { restAfter } from "../../web/src/chart/overview/rest.ts";
import { call } from "../http.ts";

/** A page has so many charts on screen, each this wide. */
export const chartsOnScreen = 6;
const columns = 600;
/** Connections of a browser to one host. */
const connections = 6;
const rowsOnScreen = 50;
const columnsOfTable = ["points", "metric.train/metric_0.last", "metric.train/metric_1.min"];

interface Viewer {
  baseUrl: string;
  key: string;
  /** A read was answered with 503, or not at all: the page asks again when it was told to. */
  onAgain?: () => void;
}

/** Acts like the page of an experiment: waits for a change, and reads its charts again. */
export function followCharts(
  { experimentId, ...viewer }: Viewer & { experimentId: string },
  onDrawn: (tookMs: number) => void,
): Promise<never> {
  return follow(viewer, [experimentId], onDrawn, async (ask) => {
    const drawn = Array.from({ length: chartsOnScreen }, (_, number) => {
      const series = [{ experimentId, seriesName: `train/metric_${number}` }];
      return ask("overview", { series, xAxis: "step", columns, align: true });
    });
    await Promise.all(drawn);
  });
}

/** Acts like the table of experiments: waits for a change of its rows, and reads them again. */
export function followTable(
  { experiments, ...viewer }: Viewer & { experiments: readonly string[] },
  onDrawn: (tookMs: number) => void,
): Promise<never> {
  return follow(viewer, experiments.slice(0, rowsOnScreen), onDrawn, async (ask) => {
    await ask("experiments", { query: "", limit: rowsOnScreen, columns: columnsOfTable });
  });
}

type Ask = (path: string, body: object) => Promise<unknown>;

async function follow(
  { baseUrl, key, onAgain = () => undefined }: Viewer,
  experiments: readonly string[],
  onDrawn: (tookMs: number) => void,
  draw: (ask: Ask) => Promise<void>,
): Promise<never> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const ask: Ask = async (path, body) => {
    const request = { path: `/api/views/v1/${path}`, credential: key, body, agent };
    const reply = await call(baseUrl, request).catch(() => undefined);
    if (reply === undefined || reply.status === 503) {
      onAgain();
      await sleep(1_000 * Number(reply?.headers["retry-after"] ?? 1));
      return ask(path, body);
    }
    if (reply.status !== 200) throw new Error(`${reply.status}: ${reply.text}`);
    return JSON.parse(reply.text);
  };
  const revisions = new Map(experiments.map((experimentId) => [experimentId, 0]));
  for (;;) {
    const seen = [...revisions].map(([experimentId, revision]) => ({ experimentId, revision }));
    const changes = (await ask("changes", { experiments: seen, waitMs: 25_000 })) as {
      experiments: { experimentId: string; revision: number }[];
    };
    for (const { experimentId, revision } of changes.experiments) {
      revisions.set(experimentId, revision);
    }
    const startedMs = performance.now();
    await draw(ask);
    onDrawn(performance.now() - startedMs);
    await sleep(restAfter(performance.now() - startedMs));
  }
}
