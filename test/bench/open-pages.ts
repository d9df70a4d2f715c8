import { chartsOnScreen, followCharts } from "./followed.ts";

/** The order to a process of viewers: a page for each key, on one of the experiments. */
export interface Viewing {
  baseUrl: string;
  experiments: string[];
  /** One a person, since the service keeps a pace for each. */
  keys: string[];
}

/** Replies of all pages a second since they were opened, and their cost in this process. */
export interface PagesDone {
  overviews: number;
  cores: number;
}

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
      const experimentId = experiments[page % experiments.length];
      void followCharts({ baseUrl, key, experimentId }, () => {
        overviews += chartsOnScreen;
        onDrawn();
      });
    });
  }
  opened = { atMs: performance.now(), overviews, cpu: process.cpuUsage() };
  process.send!("open");
}
