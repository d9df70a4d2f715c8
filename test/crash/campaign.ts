import { setTimeout } from "node:timers/promises";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Service } from "../service.ts";
import { Checker } from "./checker.ts";
import { Expectations } from "./expectation.ts";
import { Journal, readJournal } from "./journal.ts";
import { Load, type Target } from "./load.ts";
import { openTarget } from "./open-target.ts";
import { Random } from "../random.ts";
import { runVerify } from "./verify-command.ts";

/** How the service dies under load, and where its data is. */
export interface Fault {
  /** The directory of the data; the journal is never in it. */
  readonly directory: string;
  strike(service: Service): Promise<void>;
}

export interface CampaignOptions {
  cycles: number;
  seed: number;
  fault: Fault;
  databaseUrl?: string;
  /** The checkout whose service is tried; our own by default. */
  checkout?: string;
  environment?: Record<string, string>;
  writers?: number;
  /** Least and most time of load before the fault. */
  loadMs?: [number, number];
  /** Ends at the first violation; for planted faults. */
  stopEarly?: boolean;
  progress?: (line: string) => void;
}

export interface CampaignResult {
  cycles: number;
  acknowledgedPoints: number;
  storedPoints: number;
  acknowledgedLines: number;
  storedLines: number;
  acknowledgedRequests: number;
  unknownRequests: number;
  readyMs: number[];
  violations: string[];
}

/** Sealing is frequent: seals, merges and manifest changes are under way when the service dies. */
const flags = [
  "--seal-points",
  "400",
  "--seal-idle-ms",
  "100",
  "--disk-reserve-bytes",
  "0",
  "--log-level",
  "error",
];

/** An experiment stays under load this many cycles: retries meet sealed and merged identifiers. */
const experimentCycles = 10;
const verifyEvery = 10;

/** Load, fault, restart and check run as often as asked. Violations are collected, not thrown. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  using journalDirectory = mkdtempDisposableSync(join(tmpdir(), "lossless-journal-"));
  using journal = new Journal(join(journalDirectory.path, "journal.ndjson"));
  return await new Campaign(options, journal).run();
}

class Campaign {
  readonly #options: CampaignOptions;
  readonly #journal: Journal;
  readonly #random: Random;
  readonly #service: Service;
  readonly #expectations = new Expectations();
  readonly #violations: string[] = [];
  readonly #readyMs: number[] = [];
  #journalEnd = 0;
  #experiments = 0;
  #targets: Target[] = [];

  constructor(options: CampaignOptions, journal: Journal) {
    const { databaseUrl, fault, checkout, environment = {} } = options;
    this.#options = options;
    this.#journal = journal;
    this.#random = new Random(options.seed);
    this.#service = new Service({
      directory: fault.directory,
      databaseUrl,
      flags,
      environment,
      ...(checkout === undefined ? {} : { checkout }),
    });
  }

  async run(): Promise<CampaignResult> {
    await using service = this.#service;
    const { cycles, stopEarly = false, progress = () => undefined } = this.#options;
    let done = 0;
    // An orderly stop fills the compile cache of all the starts that follow.
    await service.start();
    await service.stop();
    await this.#start();
    while (done < cycles) {
      const touched = await this.#cycle(done);
      done += 1;
      await this.#check(touched);
      progress(
        `cycle ${done}: ${this.#expectations.acknowledgedPoints} acknowledged, ${this.#problems()} problems`,
      );
      if (stopEarly && this.#problems() > 0) break;
    }
    const stored =
      this.#problems() > 0 && stopEarly
        ? { storedPoints: 0, storedLines: 0 }
        : await this.#check(undefined);
    const exit = await service.stop();
    if (exit !== 0)
      this.#violations.push(`SIGTERM ended with ${exit}: ${service.errors.slice(-500)}`);
    await this.#verify();
    const { acknowledgedPoints, acknowledgedLines, acknowledgedRequests, unknownRequests } =
      this.#expectations;
    const violations = [...this.#expectations.violations, ...this.#violations];
    return {
      cycles: done,
      acknowledgedPoints,
      acknowledgedLines,
      ...stored,
      acknowledgedRequests,
      unknownRequests,
      readyMs: this.#readyMs,
      violations,
    };
  }

  #problems(): number {
    return this.#violations.length + this.#expectations.violations.length;
  }

  async #start(): Promise<void> {
    const from = performance.now();
    await this.#service.start();
    this.#readyMs.push(performance.now() - from);
  }

  /** Points and lines acknowledged so far, of the experiments under load. */
  #acknowledged(): { points: number; lines: number } {
    const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0);
    return {
      points: sum(this.#targets.map(({ acknowledged }) => acknowledged.size)),
      lines: sum(this.#targets.flatMap(({ printed }) => printed.map((one) => one.acknowledged))),
    };
  }

  #isAcknowledgedSince(before: { points: number; lines: number }): boolean {
    const { points, lines } = this.#acknowledged();
    return points > before.points && lines > before.lines;
  }

  /** Returns the experiments that were under load. */
  async #cycle(cycle: number): Promise<Set<number>> {
    const { seed, fault, writers = 16, loadMs: [least, most] = [50, 400] } = this.#options;
    const { baseUrl } = this.#service;
    await this.#openTargets(cycle);
    const load = new Load(
      {
        baseUrl,
        seed,
        random: this.#random,
        journal: this.#journal,
        writers,
        violations: this.#violations,
      },
      this.#targets,
    );
    const before = this.#acknowledged();
    const running = load.run();
    await setTimeout(least + this.#random.below(most - least + 1));
    // On a slow machine nothing might be acknowledged before the stroke; half of them wait for it.
    const mayWait = (waits: number): boolean => cycle % 2 === 1 && waits < 6_000;
    for (let waits = 0; mayWait(waits) && !this.#isAcknowledgedSince(before); waits++)
      await setTimeout(5);
    await fault.strike(this.#service);
    load.stop();
    await running;
    this.#journal.write({ at: "crash", cycle });
    if ((cycle + 1) % verifyEvery === 0) await this.#verify();
    await this.#start();
    return new Set(this.#targets.map(({ experiment }) => experiment));
  }

  /** One experiment stays for ten cycles, one for all, one is new in each. All are opened again. */
  async #openTargets(cycle: number): Promise<void> {
    const [forever, lasting] = this.#targets;
    const isFresh = cycle % experimentCycles === 0;
    this.#targets = [
      await this.#open(forever),
      await this.#open(isFresh ? undefined : lasting),
      await this.#open(undefined),
    ];
  }

  async #open(target: Target | undefined): Promise<Target> {
    const experiment = target?.experiment ?? this.#experiments++;
    const opened = await openTarget(this.#service.baseUrl, this.#journal, experiment, target);
    if (target !== undefined && target.experimentId !== opened.experimentId) {
      this.#violations.push(`${opened.slug}: opened again it has another id`);
    }
    return opened;
  }

  /** Compares the service with the journal; returns what is stored and was read. */
  async #check(
    experiments: Set<number> | undefined,
  ): Promise<Pick<CampaignResult, "storedPoints" | "storedLines">> {
    const { entries, end } = readJournal(this.#journal.path, this.#journalEnd);
    this.#journalEnd = end;
    for (const entry of entries) this.#expectations.add(entry);
    const checker = new Checker(this.#service.baseUrl, this.#options.seed);
    await checker.check(this.#expectations, experiments);
    this.#violations.push(...checker.violations);
    const { storedPoints, storedLines } = checker;
    return { storedPoints, storedLines };
  }

  async #verify(): Promise<void> {
    const { code, output } = await runVerify(this.#service);
    if (code !== 0)
      this.#violations.push(`lossless verify ended with ${code}: ${output.slice(-1_000)}`);
  }
}
