import type { Bar } from "./bar.ts";

/** What MLflow's client waits for: ours as it must be, and at most so many times its server's. */
const waits: readonly [scenario: string, mustMs: number, ofServer: number][] = [
  ["log_metric", 10, 0.5],
  ["log_batch of 1,000", 40, 0.5],
  ["the same batch again", 40, 0.1],
  ["get_run of 40,000 points", 6, 0.75],
  ["get_metric_history of 4,000 points", 60, 0.75],
  ["search_runs, all of 400", 500, 0.75],
  ["search_runs, 20 of 400", 20, 0.5],
  // Theirs is not synced.
  ["log_text of 1 kB", 10, 2.5],
];

export const mlflowBars: Bar[] = [
  ...waits.flatMap(([scenario, mustMs, ofServer]): Bar[] => [
    {
      name: `${scenario}, by MLflow's client`,
      figure: `${scenario} ms`,
      share: `${scenario}, client alone ms`,
      must: mustMs,
      good: mustMs / 2,
      unit: "ms",
      isUpperBound: true,
    },
    {
      name: `${scenario} / the same at MLflow's server`,
      figure: `${scenario} ms`,
      floor: `${scenario}, MLflow's server ms`,
      must: ofServer,
      good: ofServer / 2,
      isUpperBound: true,
    },
  ]),
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
    name: "get-history, a page of 25,000 / printing it",
    figure: "get-history rate",
    floor: "printing messages rate",
    must: 0.05,
    good: 0.15,
  },
  {
    name: "get-history-bulk, 250 of each of 100 runs / printing them",
    figure: "get-history-bulk rate",
    floor: "printing messages rate",
    must: 0.03,
    good: 0.1,
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
  more: Pick<Bar, "floor" | "unit">,
): Bar {
  return { name, figure, must, good, isUpperBound: true, ...more };
}
