import type { Bar } from "./bar.ts";

/**
 * Times that MLflow's client may wait here, and those that it waited for its own server on that
 * machine.
 */
const waits: readonly [scenario: string, mustMs: number, serverMs: number][] = [
  ["log_metric", 10, 21],
  ["log_batch of 1,000", 40, 162],
  ["the same batch again", 40, 1_260],
  ["get_run of 40,000 points", 6, 12],
  ["get_metric_history of 4,000 points", 60, 160],
  ["search_runs, all of 400", 500, 950],
  ["search_runs, 20 of 400", 20, 45],
  // Theirs is not synced.
  ["log_text of 1 kB", 10, 4],
];

/** Points a second of a history: what the client may wait for here, and what it waits for there. */
const [historyRate, serverHistoryRate] = [60, 160].map((ms) => Math.round(4_000 / (ms / 1_000)));

export const mlflowBars: Bar[] = [
  ...waits.flatMap(([scenario, mustMs, serverMs]): Bar[] => {
    const share = `${scenario}, client alone ms`;
    return [
      upTo(`${scenario}, by MLflow's client`, `${scenario} ms`, mustMs, mustMs / 2, {
        share,
        unit: "ms",
      }),
      upTo(
        `${scenario} / the same at MLflow's server`,
        `${scenario} ms`,
        Number((mustMs / serverMs).toPrecision(2)),
        Number((mustMs / serverMs / 2).toPrecision(2)),
        { share, floor: `${scenario}, MLflow's server ms` },
      ),
    ];
  }),
  upTo("acknowledgement of log-metric / of a native event", "log-metric ack ms", 2, 1.3, {
    floor: "native event ack ms",
  }),
  upTo(
    "acknowledgement of log-batch of 1,000 / of 1,000 native events",
    "log-batch ack ms",
    3,
    1.5,
    { floor: "native batch ack ms" },
  ),
  {
    name: "get-history, points a second of a page of 25,000",
    figure: "get-history rate",
    must: historyRate,
    good: 2 * historyRate,
  },
  {
    name: "get-history-bulk, points a second, 250 of each of 100 runs",
    figure: "get-history-bulk rate",
    must: serverHistoryRate,
    good: historyRate,
  },
  upTo("runs/get of a long run / of one with 40,000 points", "runs/get, long run ms", 1.5, 1.1, {
    floor: "runs/get ms",
  }),
  upTo("runs/search, 20 of many runs by metric and param", "runs/search, many runs ms", 100, 50, {
    unit: "ms",
  }),
  upTo("bytes of a sealed point of log-batch", "MLflow bytes a point", 8.5, 8.1, { unit: "B" }),
  upTo("bytes of its id, which is a hash", "MLflow bytes an id", 16, 12, { unit: "B" }),
  upTo("resident memory after all of it", "MLflow RSS MiB", 400, 250, { unit: "MiB" }),
];

function upTo(
  name: string,
  figure: string,
  must: number,
  good: number,
  more: Pick<Bar, "floor" | "unit" | "share">,
): Bar {
  return { name, figure, must, good, isUpperBound: true, ...more };
}
