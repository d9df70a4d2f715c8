import { call } from "../http.ts";
import { people } from "../service.ts";
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
    await using subject = await Subject.start({ people: true });
    const experiments = await subject.open(workloads[name].experiments, name);
    const keys = await keysOf(subject);
    const ratios: number[] = [];
    const costs: number[] = [];
    const count = name === "W1" ? events : events / 4;
    // One round for warming up; who goes first changes each time.
    for (let round = 0; round <= rounds; round++) {
      const order = [0, pages];
      let [alone, beside] = [nothing, nothing];
      for (const viewers of round % 2 === 0 ? order : order.toReversed()) {
        using _ = viewers === 0 ? undefined : openPages(subject, experiments, keys);
        const found = await rate(generator, subject, experiments, name, count);
        if (viewers === 0) alone = found;
        else beside = found;
      }
      const ratio = beside.eventsPerSecond / alone.eventsPerSecond;
      const cost = beside.cpuPerMillion - alone.cpuPerMillion;
      progress(`${name} round ${round}: ${ratio.toFixed(3)}, ${cost.toFixed(2)} s a million more`);
      if (round === 0) continue;
      ratios.push(ratio);
      costs.push((cost * beside.eventsPerSecond) / 1e6);
    }
    set(`${name} beside 50 pages / alone`, median(ratios));
    set(`cores for 50 pages beside ${name}`, median(costs));
  }
}

const nothing = { eventsPerSecond: 0, cpuPerMillion: 0 };

/** Pages are those of different people. */
async function keysOf({ service }: Subject): Promise<string[]> {
  const ask = async (path: string, body: object, credential?: string) =>
    JSON.parse((await call(service.baseUrl, { path, body, credential })).text) as object;
  const { token } = (await ask("/api/v1/sessions", people.ada)) as { token: string };
  const keys: string[] = [];
  for (let page = 0; page < pages; page++) {
    const made = await ask("/api/v1/api-keys", { name: `page ${page}` }, token);
    keys.push((made as { secret: string }).secret);
  }
  return keys;
}

function openPages({ service }: Subject, experiments: Experiment[], keys: string[]): Disposable {
  const child = new Child("open-pages.ts");
  const ids = experiments.map(({ experimentId }) => experimentId);
  child.send({ baseUrl: service.baseUrl, experiments: ids, keys });
  return child;
}

async function rate(
  generator: Child,
  { service }: Subject,
  experiments: Experiment[],
  workload: Workload["name"],
  events: number,
): Promise<typeof nothing> {
  const kind = { identifiers: "random", values: "noise", repeats: 0 } as const;
  const { baseUrl, processId } = service;
  const order = { baseUrl, workload, experiments, events, key: `${workload} viewers`, ...kind };
  return load(generator, order, () => cpuSeconds(processId));
}
