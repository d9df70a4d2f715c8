import { type PostgresServer, startPostgres } from "../postgres.ts";
import type { ServiceOptions } from "../service.ts";
import { Child, load } from "./child.ts";
import { cpuSeconds, median } from "./measure.ts";
import { Subject } from "./subject.ts";
import { type Experiment, type Workload, workloads } from "./workload.ts";

export interface AgainstOptions {
  /** Another checkout of this project, with its dependencies. */
  checkout: string;
  events: number;
  /** Each workload and pass has so many, ours and the other's in turn. */
  rounds: number;
  /** Likewise on PostgreSQL. */
  postgres: boolean;
}

export interface Comparison {
  database: "SQLite" | "PostgreSQL";
  workload: Workload["name"];
  oursPerSecond: number;
  othersPerSecond: number;
  /** Ours by the other's, the median of the pairs: above 1 is faster. */
  rateRatio: number;
  /** The same of processor time an event: below 1 is cheaper. */
  cpuRatio: number;
}

/**
 * W1 and W2 on this checkout and on another one, round by round in turn, so that a noisy machine
 * treats both alike. Whoever is warmed up first stays some ten percent slower, even beside itself.
 * So all is done twice, with new services, each first once; ratios are the geometric mean.
 */
export async function compareWith(options: AgainstOptions): Promise<Comparison[]> {
  const embedded = await compareOn(undefined, options);
  if (!options.postgres) return embedded;
  await using postgres = await startPostgres({ durable: true });
  return [...embedded, ...(await compareOn(postgres, options))];
}

async function compareOn(
  postgres: PostgresServer | undefined,
  options: AgainstOptions,
): Promise<Comparison[]> {
  const passes = [await pass(postgres, options, true), await pass(postgres, options, false)];
  return passes[0].map(({ workload }, index) => {
    const [one, two] = passes.map((comparisons) => comparisons[index]);
    return {
      database: postgres === undefined ? "SQLite" : "PostgreSQL",
      workload,
      oursPerSecond: (one.oursPerSecond + two.oursPerSecond) / 2,
      othersPerSecond: (one.othersPerSecond + two.othersPerSecond) / 2,
      rateRatio: Math.sqrt(one.rateRatio * two.rateRatio),
      cpuRatio: Math.sqrt(one.cpuRatio * two.cpuRatio),
    };
  });
}

async function pass(
  postgres: PostgresServer | undefined,
  options: AgainstOptions,
  areWeFirst: boolean,
): Promise<Omit<Comparison, "database">[]> {
  using generator = new Child("generator.ts");
  const start = async (of: ServiceOptions) =>
    Subject.start({ ...of, databaseUrl: await postgres?.createDatabase() });
  await using ours = await start({});
  await using other = await start({ checkout: options.checkout });
  const comparisons: Omit<Comparison, "database">[] = [];
  for (const workload of ["W1", "W2"] as const) {
    const events = workload === "W1" ? options.events : options.events / 4;
    const count = workloads[workload].experiments;
    const [our, their] = await Promise.all(
      [ours, other].map(async (subject) => ({
        subject,
        experiments: await subject.open(count, workload),
        rates: [] as number[],
        cpu: [] as number[],
      })),
    );
    const sides = areWeFirst ? [our, their] : [their, our];
    // One round for warming up; who goes first changes each time.
    for (let round = 0; round <= options.rounds; round++) {
      for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
        const one = await measured(generator, side.subject, side.experiments, workload, events);
        if (round === 0) continue;
        side.rates.push(one.eventsPerSecond);
        side.cpu.push(one.cpuPerMillion);
      }
    }
    comparisons.push({
      workload,
      oursPerSecond: median(our.rates),
      othersPerSecond: median(their.rates),
      rateRatio: median(our.rates.map((rate, round) => rate / their.rates[round])),
      cpuRatio: median(our.cpu.map((cpu, round) => cpu / their.cpu[round])),
    });
  }
  return comparisons;
}

function measured(
  generator: Child,
  { service }: Subject,
  experiments: Experiment[],
  workload: Workload["name"],
  events: number,
) {
  const key = `${workload} ${service.baseUrl}`;
  const kind = { identifiers: "random", values: "noise", repeats: 0 } as const;
  const order = { baseUrl: service.baseUrl, workload, experiments, events, key, ...kind };
  return load(generator, order, () => cpuSeconds(service.processId));
}
