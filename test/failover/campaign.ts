import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Checker } from "../crash/checker.ts";
import { Expectations } from "../crash/expectation.ts";
import { Journal, readJournal } from "../crash/journal.ts";
import { Load, type Target } from "../crash/load.ts";
import { openTarget } from "../crash/open-target.ts";
import { Random } from "../random.ts";
import { runVerify } from "../crash/verify-command.ts";
import { Service } from "../service.ts";
import type { StandbyPair } from "./standby-pair.ts";

export interface FailoverResult {
  acknowledgedPoints: number;
  storedPoints: number;
  /** Requests of which the load was not told whether they were stored. */
  unknownRequests: number;
  violations: string[];
}

/** A fault's view of the running load. */
export interface Stage {
  readonly pair: StandbyPair;
  /** Points that were acknowledged until now. */
  acknowledged(): number;
  /** Resolves when `count` more points are acknowledged. */
  acknowledgedMore(count: number): Promise<void>;
  /** Something that is a violation. */
  report(violation: string): void;
}

const flags = ["--seal-points", "400", "--seal-idle-ms", "100", "--log-level", "silent"];
const writers = 6;

/**
 * A service on a primary with a synchronous standby, writers that send again until they are
 * answered, and a fault. Then everything is read back and compared with the journal, as after `kill
 * -9`.
 */
export async function runFailover(
  pair: StandbyPair,
  seed: number,
  fault: (stage: Stage) => Promise<void>,
): Promise<FailoverResult> {
  using journalDirectory = mkdtempDisposableSync(join(tmpdir(), "lossless-journal-"));
  using journal = new Journal(join(journalDirectory.path, "journal.ndjson"));
  const databaseUrl = await pair.createDatabase();
  await using service = await Service.start({ databaseUrl, flags });
  const { baseUrl } = service;
  const violations: string[] = [];
  const targets = await Promise.all([0, 1, 2, 3].map((one) => openTarget(baseUrl, journal, one)));
  const load = new Load(
    { baseUrl, seed, random: new Random(seed), journal, writers, resends: true, violations },
    targets,
  );
  const running = load.run();
  try {
    await fault(stageOf(pair, targets, violations));
  } finally {
    load.stop();
    await running;
  }
  const expectations = new Expectations();
  for (const entry of readJournal(journal.path, 0).entries) expectations.add(entry);
  const checker = new Checker(baseUrl, seed);
  await checker.check(expectations);
  const { code, output } = await runVerify(service);
  if (code !== 0) violations.push(`lossless verify ended with ${code}: ${output.slice(-1_000)}`);
  violations.push(...expectations.violations, ...checker.violations);
  const { acknowledgedPoints, unknownRequests } = expectations;
  return { acknowledgedPoints, storedPoints: checker.storedPoints, unknownRequests, violations };
}

/** kill -9 of the primary, promotion, a new standby; load before, between and after. */
export async function failOver(stage: Stage, loadMs: number): Promise<void> {
  const { pair } = stage;
  await stage.acknowledgedMore(500);
  await sleep(loadMs);
  await pair.killPrimary();
  await pair.promote();
  await pair.addStandby();
  await stage.acknowledgedMore(500);
}

function stageOf(pair: StandbyPair, targets: readonly Target[], violations: string[]): Stage {
  const acknowledged = (): number =>
    targets.reduce((sum, target) => sum + target.acknowledged.size, 0);
  return {
    pair,
    acknowledged,
    acknowledgedMore: async (count) => {
      const wanted = acknowledged() + count;
      while (acknowledged() < wanted) await sleep(10);
    },
    report: (violation) => violations.push(violation),
  };
}
