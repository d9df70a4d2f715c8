import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startPostgres } from "../postgres.ts";
import type { S3Store } from "../stores/store.ts";
import { ArtifactBench } from "./artifact-bench.ts";
import { Child, load, type Load } from "./child.ts";
import { ndjsonRate, parseRate, syncMs } from "./floors.ts";
import { measureColumns } from "./columns.ts";
import { measurePythonSender } from "./python-sender.ts";
import { measureSeriesForms } from "./series-forms.ts";
import { measureStarts } from "./starting.ts";
import type { Order } from "./generator.ts";
import {
  bytesOf,
  cpuSeconds,
  familyCpuSeconds,
  median,
  percentile,
  residentMebibytes,
} from "./measure.ts";
import { Subject } from "./subject.ts";
import {
  type Experiment,
  type Identifiers,
  type Values,
  type Workload,
  workloads,
} from "./workload.ts";

export interface BenchOptions {
  /** Events in one round of W1. */
  events: number;
  /** Rounds of W1 with random ids, all into one experiment. */
  rounds: number;
  /** Points as columns beside JSON, alone. */
  columns?: boolean;
  /** Starts, alone. */
  start?: boolean;
  /** Experiments and metrics, in whole. */
  metrics: boolean;
  postgres: boolean;
  /** Artifacts, in whole. */
  artifacts: boolean;
  /** Counts the files that are pushed and pulled. */
  mebibytes: number;
  /** A real S3 store for artifacts. */
  store: S3Store | undefined;
  progress(line: string): void;
}

/** Each figure goes by name; rates are per second, times in ms unless the name says otherwise. */
export type Figures = Map<string, number>;
export type SetFigure = (name: string, value: number) => void;

/** Points of each experiment whose bytes on disk are counted: one seal, no merge. */
const pointsForSize = 100_000;

/** Rounds of W1 that make the log of the restart. */
const fillRounds = 3;

/** Measures the floors and the service in one run, one thing at a time. */
export class Bench {
  readonly figures: Figures = new Map();
  readonly #options: BenchOptions;
  readonly #generator: Child;

  constructor(options: BenchOptions, generator: Child) {
    this.#options = options;
    this.#generator = generator;
  }

  static async run(options: BenchOptions): Promise<Figures> {
    using generator = new Child("generator.ts");
    const bench = new Bench(options, generator);
    const set = (name: string, value: number): void => bench.#set(name, value);
    if (options.start) await measureStarts(set);
    if (options.columns) {
      await measureColumns({ ...options, set }, generator);
      await measureSeriesForms({ ...options, set }, generator);
      measurePythonSender(set);
    }
    if (options.metrics) await bench.#metrics();
    if (options.artifacts) {
      const { mebibytes, store } = options;
      await ArtifactBench.run({ mebibytes, store, set }, generator);
    }
    return bench.figures;
  }

  async #metrics(): Promise<void> {
    await measureStarts((name, value) => this.#set(name, value));
    await this.#floors();
    await this.#embedded();
    const { events, rounds } = this.#options;
    const set = (name: string, value: number): void => this.#set(name, value);
    await measureColumns({ events, rounds, set }, this.#generator);
    await measureSeriesForms({ events, rounds, set }, this.#generator);
    measurePythonSender(set);
    await this.#sizes();
    await this.#restarts();
    if (this.#options.postgres) await this.#postgres();
  }

  #set(name: string, value: number): void {
    this.figures.set(name, value);
    this.#options.progress(`${name}: ${value >= 100 ? Math.round(value) : value.toPrecision(3)}`);
  }

  #order(
    baseUrl: string,
    workload: Workload["name"],
    experiments: Experiment[],
    more: Partial<Order>,
  ): Order {
    const { events } = this.#options;
    const base = {
      baseUrl,
      workload,
      experiments,
      identifiers: "random" as Identifiers,
      values: "noise" as Values,
    };
    const key = `${more.key ?? workload} ${experiments[0].experimentId}`;
    return { ...base, events, repeats: 0, ...more, key };
  }

  async #floors(): Promise<void> {
    this.#set("JSON.parse rate", parseRate());
    this.#set("NDJSON rate", ndjsonRate());
    this.#set("fdatasync ms", syncMs(tmpdir()));
    using floor = new Child("floor-server.ts");
    const baseUrl = await floor.next<string>();
    const experiments = [{ experimentId: "01m7y2rr6ktv8cx7924m35ch9z", token: "token" }];
    for (const workload of ["W1", "W2"] as const) {
      const events = workload === "W1" ? this.#options.events : this.#options.events / 4;
      const rounds = await this.#rounds(3, () =>
        load(this.#generator, this.#order(baseUrl, workload, experiments, { events }), () =>
          cpuSeconds(floor.processId),
        ),
      );
      this.#loads(`floor ${workload}`, rounds);
    }
  }

  async #rounds(count: number, one: () => Promise<Load>): Promise<Load[]> {
    const rounds: Load[] = [];
    for (let round = 0; round < count; round++) rounds.push(await one());
    return rounds;
  }

  #loads(name: string, rounds: Load[]): void {
    const latencies = rounds.flatMap(({ latenciesMs }) => latenciesMs);
    this.#set(`${name} rate`, median(rounds.map(({ eventsPerSecond }) => eventsPerSecond)));
    this.#set(`${name} CPU s/M`, median(rounds.map(({ cpuPerMillion }) => cpuPerMillion)));
    this.#set(`${name} p50 ms`, percentile(latencies, 50));
    this.#set(`${name} p99 ms`, percentile(latencies, 99));
    this.#set(`${name} longest ms`, percentile(latencies, 100));
  }

  #share(name: string, workload: Workload["name"]): number {
    return this.figures.get(`${name} rate`)! / this.figures.get(`floor ${workload} rate`)!;
  }

  async #embedded(): Promise<void> {
    await using subject = await Subject.start();
    await this.#ingest(subject, "");
    this.#set("RSS MiB", residentMebibytes(subject.service.processId));
  }

  /** W1 with random ids round after round, W1 with counters, repeats, W2, and one quiet writer. */
  async #ingest(subject: Subject, name: string, serverCpu?: () => number): Promise<void> {
    const { baseUrl, processId } = subject.service;
    const { rounds, events } = this.#options;
    const cpu = (): number => cpuSeconds(processId);
    const send = (
      workload: Workload["name"],
      to: Experiment[],
      more: Partial<Order>,
    ): Promise<Load> => load(this.#generator, this.#order(baseUrl, workload, to, more), cpu);
    // The service's monitor counts its own period as a delay: what it shows at rest is no delay.
    const idleLag = await subject.figures.value("nodejs_eventloop_lag_p50_seconds");
    const first = await subject.open(1, "W1 random");
    const serverBefore = serverCpu?.() ?? 0;
    const random = await this.#rounds(rounds, () => send("W1", first, {}));
    if (serverCpu !== undefined) {
      const seconds = serverCpu() - serverBefore;
      this.#set(`${name}W1 server CPU s/M`, (seconds / (rounds * events)) * 1e6);
    }
    this.#loads(`${name}W1`, random);
    this.#set(
      `${name}W1 last round / first`,
      random.at(-1)!.eventsPerSecond / random[0].eventsPerSecond,
    );
    const lag = await subject.figures.value("nodejs_eventloop_lag_p99_seconds");
    this.#set(`${name}loop lag p99 ms`, Math.max(0, 1_000 * (lag - idleLag)));
    this.#set(
      `${name}longest commit ms`,
      1_000 * (await subject.figures.value("lossless_storage_commit_seconds_max")),
    );
    const counters = await subject.open(1, "W1 counter");
    this.#loads(
      `${name}W1 counter`,
      await this.#rounds(3, () => send("W1", counters, { identifiers: "counter" })),
    );
    const repeated = await subject.open(1, "W1 repeats");
    const fresh = await send("W1", repeated, { key: "fresh", events: events / 2 });
    await send("W1", repeated, { key: "repeats", events: events / 4, repeats: 0.001 });
    const again = await send("W1", repeated, { key: "repeats", events: events / 2, repeats: 0.1 });
    this.#set(`${name}10 % repeats / fresh`, again.eventsPerSecond / fresh.eventsPerSecond);
    await this.#small(subject, name, send);
    const read = await subject.readRate(first[0].experimentId);
    if (read.points < rounds * events)
      throw new Error(`BUG: only ${read.points} points are read back`);
    // The first read opens segments and warms the thread up, as the floor's rounds do for it.
    const reads: number[] = [];
    for (let round = 0; round < 4; round++) {
      reads.push((await subject.readRate(first[0].experimentId)).pointsPerSecond);
    }
    this.#set(`${name}read rate`, median(reads.slice(1)));
  }

  async #small(
    subject: Subject,
    name: string,
    send: (workload: Workload["name"], to: Experiment[], more: Partial<Order>) => Promise<Load>,
  ): Promise<void> {
    const { events } = this.#options;
    const count = (): Promise<number[]> =>
      Promise.all(
        ["writes_total", "commit_seconds_count", "commit_seconds_sum"].map((word) =>
          subject.figures.value(`lossless_storage_${word}`),
        ),
      );
    const [requests, groups] = await count();
    const many = await subject.open(workloads.W2.experiments, "W2");
    this.#loads(`${name}W2`, await this.#rounds(3, () => send("W2", many, { events: events / 4 })));
    this.#set(
      `${name}W2 / W1, each of its floor`,
      this.#share(`${name}W2`, "W2") / this.#share(`${name}W1`, "W1"),
    );
    const [laterRequests, laterGroups, seconds] = await count();
    this.#set(`${name}W2 requests a commit`, (laterRequests - requests) / (laterGroups - groups));
    const one = await subject.open(1, "quiet");
    const quiet = await send("W2", one, {
      events: 300 * workloads.W2.eventsPerRequest,
      connections: 1,
      key: "quiet",
    });
    const [, lastGroups, lastSeconds] = await count();
    this.#set(`${name}quiet writer p50 ms`, percentile(quiet.latenciesMs, 50));
    this.#set(
      `${name}quiet commit ms`,
      (1_000 * (lastSeconds - seconds)) / (lastGroups - laterGroups),
    );
  }

  /** Bytes of sealed objects, by the kind of values and of ids. */
  async #sizes(): Promise<void> {
    await using subject = await Subject.start();
    const kinds: [string, Values, Identifiers][] = [
      ["float64 noise", "noise", "counter"],
      ["float32", "float32", "counter"],
      ["4 decimals", "decimals", "counter"],
      ["random ids", "noise", "random"],
    ];
    const segments = join(subject.service.dataDirectory, "segments");
    for (const [index, [name, values, identifiers]] of kinds.entries()) {
      const [experiment] = await subject.open(1, name);
      const more = { values, identifiers, events: pointsForSize };
      await load(
        this.#generator,
        this.#order(subject.service.baseUrl, "W1", [experiment], more),
        () => 0,
      );
      await subject.finish(experiment);
      await subject.figures.sealed((index + 1) * pointsForSize);
      const directory = join(segments, experiment.experimentId);
      this.#set(`bytes a point, ${name}`, bytesOf(directory, ".points") / pointsForSize);
      this.#set(`bytes an id, ${name}`, bytesOf(directory, ".identifiers") / pointsForSize);
    }
  }

  /** W1 without sealing, and the starts after it: the whole log has to be read again. */
  async #restarts(): Promise<void> {
    using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-bench-"));
    const started = async (flags: string[]): Promise<{ subject: Subject; ms: number }> => {
      const fromMs = performance.now();
      const subject = await Subject.start({ directory: directory.path, flags });
      return { subject, ms: performance.now() - fromMs };
    };
    const unsealing = ["--seal-points", "16000000"];
    const empty = await started(unsealing);
    const [experiment] = await empty.subject.open(1, "restart");
    const { events } = this.#options;
    const { baseUrl, processId } = empty.subject.service;
    const fill = this.#order(baseUrl, "W1", [experiment], { key: "restart" });
    const cpu = (): number => cpuSeconds(processId);
    this.#loads(
      "W1 unsealed",
      await this.#rounds(fillRounds, () => load(this.#generator, fill, cpu)),
    );
    await empty.subject.service.stop();
    const again = await started(unsealing);
    await again.subject.service.kill();
    const last = await started(unsealing);
    this.#set("start with a log ms", Math.min(again.ms, last.ms));
    const more = { events: 20, connections: 1, key: "first" };
    const order = this.#order(last.subject.service.baseUrl, "W2", [experiment], more);
    const { latenciesMs } = await load(this.#generator, order, () => 0);
    this.#set(
      "first write us a point of the log",
      (1_000 * latenciesMs[0]) / (fillRounds * events),
    );
    await last.subject.service.stop();
  }

  async #postgres(): Promise<void> {
    await using postgres = await startPostgres({ durable: true });
    await using subject = await Subject.start({ databaseUrl: await postgres.createDatabase() });
    const serverCpu = (): number => familyCpuSeconds(postgres.processId);
    const before = serverCpu();
    await this.#ingest(subject, "PG ", serverCpu);
    const points = await subject.figures.value("lossless_points_acknowledged_total");
    const seconds = serverCpu() - before;
    this.#set("PG server CPU s/M", (seconds / points) * 1e6);
  }
}
