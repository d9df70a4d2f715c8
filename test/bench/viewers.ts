import { call } from "../http.ts";
import { people } from "../service.ts";
import { Child, load } from "./child.ts";
import { cpuSeconds, median } from "./measure.ts";
import type { PagesDone } from "./open-pages.ts";
import { Subject } from "./subject.ts";
import type { ViewsOptions } from "./views-options.ts";
import { type Experiment, type Workload, workloads } from "./workload.ts";

const pages = 50;

/** A median of fewer pairs is the machine's. */
const roundsMin = 5;

/**
 * W1 and W2 beside nobody and beside 50 open pages, in turn. Both sides keep summaries for the
 * table, and the pages follow what is written. They are open, with all charts drawn, before the
 * clock starts; a round is long enough for them to rest several times.
 */
export async function measureIngestBesideViewers(
  { events, rounds, progress }: ViewsOptions,
  set: (name: string, value: number) => void,
): Promise<void> {
  using generator = new Child("generator.ts");
  for (const name of ["W1", "W2"] as const) {
    await using subject = await Subject.start({ people: true });
    const experiments = await subject.open(workloads[name].experiments, name);
    const keys = await keysOf(subject, pages);
    const found: Compared[] = [];
    const count = name === "W1" ? 12 * events : 3 * events;
    // One round for warming up; who goes first changes each time.
    for (let round = 0; round <= Math.max(roundsMin, rounds); round++) {
      const order = [false, true];
      const compared: Compared = { alone: nothing, beside: nothing, pages: nobody };
      for (const hasPages of round % 2 === 0 ? order : order.toReversed()) {
        using opened = hasPages ? await OpenPages.on(subject, experiments, keys) : undefined;
        const one = await rate(generator, subject, experiments, name, count);
        compared[hasPages ? "beside" : "alone"] = one;
        if (opened !== undefined) compared.pages = await opened.done();
      }
      progress(`${name} round ${round}: ${said(compared)}`);
      if (round > 0) found.push(compared);
    }
    const middle = (of: (one: Compared) => number) => median(found.map(of));
    set(`${name} beside 50 pages / alone`, middle(ratioOf));
    set(`cores for 50 pages beside ${name}`, middle(coresOf));
    set(
      `cores of 50 pages themselves beside ${name}`,
      middle(({ pages }) => pages.cores),
    );
    set(
      `overviews a second for 50 pages beside ${name}`,
      middle(({ pages }) => pages.overviews),
    );
  }
}

interface Compared {
  alone: typeof nothing;
  beside: typeof nothing;
  pages: PagesDone;
}

function ratioOf({ alone, beside }: Compared): number {
  return beside.eventsPerSecond / alone.eventsPerSecond;
}

/** The increase of the service's processor time per event, at its rate beside pages. */
function coresOf({ alone, beside }: Compared): number {
  return ((beside.cpuPerMillion - alone.cpuPerMillion) * beside.eventsPerSecond) / 1e6;
}

function said(compared: Compared): string {
  const { overviews, cores } = compared.pages;
  return (
    `${ratioOf(compared).toFixed(3)} of ${Math.round(compared.alone.eventsPerSecond)} events/s, ` +
    `${coresOf(compared).toFixed(3)} cores more; pages: ${overviews.toFixed(0)} overviews/s, ${cores.toFixed(3)} cores`
  );
}

const nobody: PagesDone = { overviews: 0, cores: 0 };
const nothing = { eventsPerSecond: 0, cpuPerMillion: 0 };

/** Pages are those of different people; the service was started with `people`. */
export async function keysOf({ service }: Subject, count: number): Promise<string[]> {
  const ask = async (path: string, body: object, credential?: string) =>
    JSON.parse((await call(service.baseUrl, { path, body, credential })).text) as object;
  const { token } = (await ask("/api/v1/sessions", people.ada)) as { token: string };
  const keys: string[] = [];
  for (let page = 0; page < count; page++) {
    const made = await ask("/api/v1/api-keys", { name: `page ${page}` }, token);
    keys.push((made as { secret: string }).secret);
  }
  return keys;
}

/** Pages that have all drawn what they show. */
class OpenPages implements Disposable {
  readonly #child = new Child("open-pages.ts");

  static async on({ service }: Subject, experiments: Experiment[], keys: string[]) {
    const pages = new OpenPages();
    const ids = experiments.map(({ experimentId }) => experimentId);
    pages.#child.send({ baseUrl: service.baseUrl, experiments: ids, keys });
    await pages.#child.next<"open">();
    return pages;
  }

  /** The replies of the pages since they were opened. */
  done(): Promise<PagesDone> {
    const done = this.#child.next<PagesDone>();
    this.#child.send("stop");
    return done;
  }

  [Symbol.dispose](): void {
    this.#child[Symbol.dispose]();
  }
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
