import type { IncomingMessage } from "node:http";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Checker } from "../crash/checker.ts";
import { Expectations } from "../crash/expectation.ts";
import { Journal, readJournal } from "../crash/journal.ts";
import { Load, type Target } from "../crash/load.ts";
import { openTarget } from "../crash/open-target.ts";
import { Balancer } from "../nodes/balancer.ts";
import { Random } from "../random.ts";
import { runVerify } from "../crash/verify-command.ts";
import { Service } from "../service.ts";
import type { StandbyPair } from "./standby-pair.ts";

export interface FailoverOptions {
  databaseUrl: string;
  seed: number;
  /** Services on the one database; the requests go to them in turn. One if it is left out. */
  nodes?: number;
  /** See `LoadOptions`. */
  pauseMs?: number;
}

export interface FailoverResult {
  acknowledgedPoints: number;
  storedPoints: number;
  /** Requests of which the load was not told whether they were stored. */
  unknownRequests: number;
  violations: string[];
  /** The errors that each service wrote down. */
  logs: string[];
}

/** A fault's view of the running load. */
export interface Stage {
  /** Points that were acknowledged until now. */
  acknowledged(): number;
  /** Resolves when `count` more points are acknowledged. */
  acknowledgedMore(count: number): Promise<void>;
  /** All so far. A fault adds what it finds. */
  readonly violations: string[];
}

const flags = ["--seal-points", "400", "--seal-idle-ms", "100", "--log-level", "error"];
const writers = 6;

/**
 * Services on a primary with a synchronous standby, writers that send again until they are
 * answered, and a fault. Then everything is read back from each service and compared with the
 * journal, as after `kill -9`. No request has another answer than success or 503 with Retry-After,
 * and no service ends.
 */
export async function runFailover(
  { databaseUrl, seed, nodes = 1, pauseMs = 0 }: FailoverOptions,
  fault: (stage: Stage) => Promise<void>,
): Promise<FailoverResult> {
  using journalDirectory = mkdtempDisposableSync(join(tmpdir(), "lossless-journal-"));
  using journal = new Journal(join(journalDirectory.path, "journal.ndjson"));
  const violations: string[] = [];
  await using stack = new AsyncDisposableStack();
  const balancer = stack.use(await Balancer.start());
  balancer.onReply = (answer) => checkReply(answer, violations);
  const baseUrl = balancer.origin;
  const services: Service[] = [];
  for (let node = 1; node <= nodes; node++) {
    const service = stack.use(
      await Service.start({ databaseUrl, flags: [...flags, "--base-url", baseUrl] }),
    );
    void service.exited.then((code) => violations.push(`service ${node} ended with ${code}`));
    balancer.nodes.add(service.listenUrl);
    services.push(service);
  }
  const targets = await Promise.all([0, 1, 2, 3].map((one) => openTarget(baseUrl, journal, one)));
  const random = new Random(seed);
  const load = new Load(
    { baseUrl, seed, random, journal, writers, resends: true, pauseMs, violations },
    targets,
  );
  const running = load.run();
  try {
    await fault(stageOf(targets, violations));
  } finally {
    load.stop();
    await running;
  }
  const expectations = new Expectations();
  for (const entry of readJournal(journal.path, 0).entries) expectations.add(entry);
  let storedPoints = 0;
  balancer.onReply = () => {};
  for (const { listenUrl } of services) {
    balancer.nodes.clear();
    balancer.nodes.add(listenUrl);
    const checker = new Checker(baseUrl, seed);
    await checker.check(expectations);
    storedPoints = checker.storedPoints;
    violations.push(...checker.violations);
  }
  const { code, output } = await runVerify(services[0]);
  if (code !== 0) violations.push(`lossless verify ended with ${code}: ${output.slice(-1_000)}`);
  violations.push(...expectations.violations);
  const { acknowledgedPoints, unknownRequests } = expectations;
  // Without what the end of the services adds.
  const logs = services.map(({ output, errors }) => output + errors);
  return { acknowledgedPoints, storedPoints, unknownRequests, violations: [...violations], logs };
}

/** kill -9 of the primary, promotion, a new standby; load before, between and after. */
export async function failOver(stage: Stage, pair: StandbyPair, loadMs: number): Promise<void> {
  await stage.acknowledgedMore(500);
  await sleep(loadMs);
  await pair.killPrimary();
  await pair.promote();
  await pair.addStandby();
  await stage.acknowledgedMore(500);
}

function stageOf(targets: readonly Target[], violations: string[]): Stage {
  const acknowledged = (): number =>
    targets.reduce((sum, target) => sum + target.acknowledged.size, 0);
  return {
    acknowledged,
    acknowledgedMore: async (count) => {
      const wanted = acknowledged() + count;
      while (acknowledged() < wanted) await sleep(10);
    },
    violations,
  };
}

function checkReply(answer: IncomingMessage | undefined, violations: string[]): void {
  if (answer === undefined) return void violations.push("a service broke off, or was gone");
  const { statusCode, headers } = answer;
  const isRefusal = statusCode === 503 && headers["retry-after"] !== undefined;
  if (statusCode === 200 || isRefusal) return;
  let text = "";
  answer.on("data", (chunk) => (text += chunk));
  answer.on("end", () => violations.push(`a request was answered with ${statusCode}: ${text}`));
}
