import { Child, load } from "./child.ts";
import { cpuSeconds, median } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { ViewsOptions } from "./views-options.ts";
import { type Experiment, type Workload, workloads } from "./workload.ts";

const pages = 50;

/**
 * W1 and W2 beside nobody and beside 50 open pages, in turn. Both sides keep summaries for the
 * table, and the pages follow what is written.
 */
export async function measureIngestBesideViewers(
  { events, rounds, progress }: ViewsOptions,
  set: (name: string, value: number) => void,
): Promise<void> {
  using generator = new Child("generator.ts");
  for (const name of ["W1", "W2"] as const) {
    await using subject = await Subject.start();
    const experiments = await subject.open(workloads[name].experiments, name);
    const ratios: number[] = [];
    const count = name === "W1" ? events : events / 4;
    // One round for warming up; who goes first changes each time.
    for (let round = 0; round <= rounds; round++) {
      const order = [0, pages];
      let [alone, beside] = [0, 0];
      for (const viewers of round % 2 === 0 ? order : order.toReversed()) {
        using _ = viewers === 0 ? undefined : openPages(subject, experiments);
        const found = await rate(generator, subject, experiments, name, count);
        if (viewers === 0) alone = found;
        else beside = found;
      }
      const ratio = beside / alone;
      progress(`${name} round ${round}: ${ratio.toFixed(3)}`);
      if (round > 0) ratios.push(ratio);
    }
    set(`${name} beside 50 pages / alone`, median(ratios));
  }
}

function openPages({ service }: Subject, experiments: Experiment[]): Disposable {
  const child = new Child("open-pages.ts");
  const ids = experiments.map(({ experimentId }) => experimentId);
  child.send({ baseUrl: service.baseUrl, experiments: ids, pages });
  return child;
}

async function rate(
  generator: Child,
  { service }: Subject,
  experiments: Experiment[],
  workload: Workload["name"],
  events: number,
): Promise<number> {
  const kind = { identifiers: "random", values: "noise", repeats: 0 } as const;
  const { baseUrl, processId } = service;
  const order = { baseUrl, workload, experiments, events, key: `${workload} viewers`, ...kind };
  const { eventsPerSecond } = await load(generator, order, () => cpuSeconds(processId));
  return eventsPerSecond;
}
