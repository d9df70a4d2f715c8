import { readdirSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "pg";
import { type PostgresServer, startPostgres } from "../postgres.ts";
import type { ServiceOptions } from "../service.ts";
import type { WorkDone } from "./at-work.ts";
import type { Figures } from "./bench.ts";
import { Child, load } from "./child.ts";
import {
  bytesOf,
  cpuSeconds,
  familyCpuSeconds,
  percentile,
  residentMebibytes,
  restartPeak,
} from "./measure.ts";
import { Subject } from "./subject.ts";
import { keysOf } from "./viewers.ts";
import type { Identifiers } from "./workload.ts";

export interface SizingOptions {
  /** Teams of so many people, one after the other. */
  people: readonly number[];
  seconds: number;
  postgres: boolean;
  progress(line: string): void;
}

/** Caches fill, and what was opened is read by the pages, before the clock starts. */
const warmUpMs = 20_000;
const millionPoints = 1_000_000;

/** Measures the load of a team of each size on one node, and the disk space of a million points. */
export async function measureSizing(options: SizingOptions): Promise<Figures> {
  const figures: Figures = new Map();
  const set = (name: string, value: number): void => {
    figures.set(name, value);
    options.progress(`${name}: ${value >= 100 ? Math.round(value) : value.toPrecision(3)}`);
  };
  const measure = async (postgres: PostgresServer | undefined): Promise<void> => {
    const database = postgres === undefined ? "SQLite" : "PostgreSQL";
    for (const people of options.people) {
      const team = new Team(`${people} people, ${database},`, set, postgres);
      await team.work(people, options.seconds);
    }
    await measureMillion(database, set, postgres);
  };
  await measure(undefined);
  if (!options.postgres) return figures;
  await using postgres = await startPostgres({
    durable: true,
    settings: { shared_buffers: "512MB", max_connections: "100" },
  });
  await measure(postgres);
  return figures;
}

const shown = [
  "points a second",
  "cores",
  "cores of its server",
  "most memory MiB",
  "connections",
  "p99 of an acknowledgement ms",
  "p99 of six charts ms",
  "p99 of a table ms",
  "p99 of a checkpoint ms",
  "requests sent again a minute",
];

/** The table of the figures: a column for each team, and the disk space of a million points. */
export function sizingTable(figures: Figures): string {
  const names = [...figures.keys()];
  const teams = [...new Set(names.map((name) => /^\d+ people, \w+,/.exec(name)?.[0]))];
  const columns = teams.filter((team) => team !== undefined);
  const row = (cells: string[]) => `| ${cells.join(" | ")} |`;
  const rows = shown.map((what) =>
    row([what, ...columns.map((team) => valueText(figures.get(`${team} ${what}`)))]),
  );
  const head = row(["", ...columns.map((team) => team.slice(0, -1))]);
  const million = names.filter((name) => name.startsWith("a million points"));
  const sizes = million.map((name) => row([name, valueText(figures.get(name))]));
  const rule = (count: number) => `|${"---|".repeat(count)}`;
  const teamTable = [head, rule(columns.length + 1), ...rows].join("\n");
  return `${teamTable}\n\n${["| on disk | |", rule(2), ...sizes].join("\n")}`;
}

function valueText(value: number | undefined): string {
  if (value === undefined) return "";
  return value >= 10 || value === 0
    ? Math.round(value).toLocaleString("en-US")
    : value.toPrecision(2);
}

class Team {
  readonly #name: string;
  readonly #set: (name: string, value: number) => void;
  readonly #postgres: PostgresServer | undefined;

  constructor(
    name: string,
    set: (name: string, value: number) => void,
    postgres: PostgresServer | undefined,
  ) {
    this.#name = name;
    this.#set = set;
    this.#postgres = postgres;
  }

  async work(count: number, seconds: number): Promise<void> {
    await using subject = await Subject.start(await optionsOf(this.#postgres));
    const { baseUrl, processId } = subject.service;
    const experiments = await subject.open(count, "run");
    const keys = await keysOf(subject, count);
    using people = new Child("at-work.ts");
    people.send({ baseUrl, people: experiments.map((one, at) => ({ ...one, key: keys[at] })) });
    await sleep(warmUpMs);
    people.send("count");
    restartPeak(processId);
    const before = this.#cpu(processId);
    await sleep(1_000 * seconds);
    const after = this.#cpu(processId);
    const done = people.next<WorkDone>();
    people.send("stop");
    const { points, cores, again, ...waits } = await done;
    const figure = (what: string, value: number) => this.#set(`${this.#name} ${what}`, value);
    figure("points a second", points / seconds);
    figure("cores", (after.own - before.own) / seconds);
    if (this.#postgres !== undefined) {
      figure("cores of its server", (after.server - before.server) / seconds);
    }
    figure("cores of the people themselves", cores);
    figure("most memory MiB", residentMebibytes(processId, "VmHWM"));
    figure("requests sent again a minute", (60 * again) / seconds);
    figure("connections", socketsOf(processId));
    for (const [what, ms] of [
      ["an acknowledgement", waits.ackMs],
      ["six charts", waits.chartMs],
      ["a table", waits.tableMs],
      ["a checkpoint", waits.commitMs],
    ] as const) {
      if (ms.length === 0) continue;
      figure(`p50 of ${what} ms`, percentile(ms, 50));
      figure(`p99 of ${what} ms`, percentile(ms, 99));
    }
  }

  #cpu(processId: number): { own: number; server: number } {
    const server = this.#postgres === undefined ? 0 : familyCpuSeconds(this.#postgres.processId);
    return { own: cpuSeconds(processId), server };
  }
}

/**
 * The disk space of a run's second million points, everything included: the first one makes room
 * that the second uses again.
 */
async function measureMillion(
  database: string,
  set: (name: string, value: number) => void,
  postgres: PostgresServer | undefined,
): Promise<void> {
  using generator = new Child("generator.ts");
  for (const identifiers of ["counter", "random"] as Identifiers[]) {
    const options = await optionsOf(postgres);
    await using subject = await Subject.start(options);
    const { baseUrl, dataDirectory } = subject.service;
    const taken = async (): Promise<number> =>
      options.databaseUrl === undefined
        ? bytesOf(dataDirectory)
        : databaseBytes(options.databaseUrl);
    const sizes: number[] = [];
    for (const round of [1, 2]) {
      const experiments = await subject.open(1, `million ${round}`);
      const kind = { identifiers, values: "noise", repeats: 0, events: millionPoints } as const;
      const key = `sizing ${database} ${identifiers} ${round}`;
      await load(generator, { baseUrl, workload: "W1", experiments, key, ...kind }, () => 0);
      await subject.finish(experiments[0]);
      await subject.figures.sealed(round * millionPoints);
      sizes.push(await taken());
    }
    const [first, second] = sizes;
    set(`a million points, ${identifiers} ids, ${database} MB`, (second - first) / 1e6);
  }
}

/** After what is dead was given back, as autovacuum does in its own time. */
async function databaseBytes(url: string): Promise<number> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query("VACUUM");
  const { rows } = await client.query("SELECT pg_database_size(current_database())::text AS bytes");
  await client.end();
  return Number(rows[0].bytes);
}

async function optionsOf(postgres: PostgresServer | undefined): Promise<ServiceOptions> {
  return { people: true, databaseUrl: await postgres?.createDatabase() };
}

function socketsOf(processId: number): number {
  const directory = `/proc/${processId}/fd`;
  const targets = readdirSync(directory).map((one) => {
    try {
      return readlinkSync(`${directory}/${one}`);
    } catch {
      return "";
    }
  });
  return targets.filter((target) => target.startsWith("socket:")).length;
}
