import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Service } from "../service.ts";
import { Checker } from "./checker.ts";
import { Expectations } from "./expectation.ts";
import { Journal, readJournal } from "./journal.ts";
import { Load } from "./load.ts";
import { openTarget } from "./open-target.ts";
import { Random } from "../random.ts";

export interface TwoNodesOptions {
  databaseUrl: string;
  seed: number;
  /** How long both nodes, and then one alone, are under load. */
  loadMs: number;
}

export interface TwoNodesResult {
  acknowledgedPoints: number;
  storedPoints: number;
  violations: string[];
}

const flags = ["--seal-points", "400", "--seal-idle-ms", "100", "--log-level", "error"];

/**
 * Two nodes on one database, every batch to both at the same time, both sealing; one of them is
 * killed, and the other one goes on. Stored = distinct = counted, and both nodes read the same.
 */
export async function runTwoNodes({
  databaseUrl,
  seed,
  loadMs,
}: TwoNodesOptions): Promise<TwoNodesResult> {
  using journalDirectory = mkdtempDisposableSync(join(tmpdir(), "lossless-journal-"));
  using journal = new Journal(join(journalDirectory.path, "journal.ndjson"));
  await using first = await Service.start({ databaseUrl, flags });
  await using second = await Service.start({ databaseUrl, flags });
  const random = new Random(seed);
  const violations: string[] = [];
  const targets = await Promise.all(
    [0, 1, 2].map((experiment) => openTarget(first.baseUrl, journal, experiment)),
  );
  const urls = { baseUrl: first.baseUrl, mirrorUrl: second.baseUrl };
  const load = new Load({ ...urls, seed, random, journal, writers: 8, violations }, targets);
  const running = load.run();
  await sleep(loadMs);
  await second.kill();
  await sleep(loadMs);
  load.stop();
  await running;
  await second.start();
  const expectations = new Expectations();
  for (const entry of readJournal(journal.path, 0).entries) expectations.add(entry);
  let storedPoints = 0;
  for (const { baseUrl } of [first, second]) {
    const checker = new Checker(baseUrl, seed);
    await checker.check(expectations);
    violations.push(...checker.violations);
    storedPoints = checker.storedPoints;
  }
  violations.push(...expectations.violations);
  return { acknowledgedPoints: expectations.acknowledgedPoints, storedPoints, violations };
}
