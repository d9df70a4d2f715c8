import type { IncomingMessage } from "node:http";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Checker } from "../crash/checker.ts";
import { Expectations } from "../crash/expectation.ts";
import { Journal, readJournal } from "../crash/journal.ts";
import { Load, type LoadOptions, type Target } from "../crash/load.ts";
import { openTarget } from "../crash/open-target.ts";
import { Balancer } from "../nodes/balancer.ts";
import { Random } from "../random.ts";
import { runVerify } from "../crash/verify-command.ts";
import { Service } from "../service.ts";
import type { Workers } from "../workers.ts";
import { Beside } from "./beside.ts";
import { countErrands, openOnDirectory, openOnWorkers, type Placed, serverOf } from "./placed.ts";
import type { StandbyPair } from "./standby-pair.ts";

export interface FailoverOptions {
  databaseUrl: string;
  seed: number;
  /** Services on the one database; the requests go to them in turn. One if it is left out. */
  nodes?: number;
  /** See `LoadOptions`. */
  pauseMs?: number;
  /** Two beside the database, which stays: the first one fails over. */
  workers?: Pick<Workers, "environment"> | undefined;
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
  /** Points that were acknowledged until now, by the server that fails over. */
  acknowledged(): number;
  /** Resolves when `count` more points are acknowledged. */
  acknowledgedMore(count: number): Promise<void>;
  /** Whether a violation is about an experiment on the server that fails over. */
  isAboutFailing(violation: string): boolean;
  /** All so far. A fault adds what it finds. */
  readonly violations: string[];
  /** All that goes on meanwhile, where a worker fails over. */
  readonly beside: Beside | undefined;
}

const flags = ["--seal-points", "400", "--seal-idle-ms", "100", "--log-level", "error"];
const writers = 6;
/** Writers on each server, where there are several. */
const writersOfEach = 2;
/** Time in which errands are done that a fault has left: they are looked for every ten seconds. */
const errandsMs = 60_000;

/**
 * Services on a primary with a synchronous standby, or with such a worker, writers that send again
 * until they are answered, and a fault. Then everything is read back from each service and compared
 * with the journal, as after `kill -9`. No request has another answer than success or 503 with
 * Retry-After, and no service ends.
 */
export async function runFailover(
  options: FailoverOptions,
  fault: (stage: Stage) => Promise<void>,
): Promise<FailoverResult> {
  using journalDirectory = mkdtempDisposableSync(join(tmpdir(), "lossless-journal-"));
  using journal = new Journal(join(journalDirectory.path, "journal.ndjson"));
  const { databaseUrl, workers } = options;
  const violations: string[] = [];
  await using stack = new AsyncDisposableStack();
  const balancer = stack.use(await Balancer.start());
  balancer.onReply = (answer) => checkReply(answer, violations);
  const onDirectory =
    workers === undefined ? [] : await openOnDirectory(databaseUrl, balancer, journal);
  const services = await startNodes(options, balancer, stack, violations);
  const baseUrl = balancer.origin;
  const placed =
    workers === undefined
      ? { failing: await openSome(baseUrl, journal), spared: [] }
      : await openOnWorkers(databaseUrl, baseUrl, journal, onDirectory);
  const fromStart = new Set(
    [...placed.failing, ...placed.spared.flatMap(({ targets }) => targets)].map(
      ({ experiment }) => experiment,
    ),
  );
  await underLoad({ ...options, baseUrl, journal, violations }, placed, fault);
  if (workers !== undefined) violations.push(...(await errandsLeft(databaseUrl)));
  const expectations = new Expectations();
  for (const entry of readJournal(journal.path, 0).entries) expectations.add(entry);
  let storedPoints = 0;
  balancer.onReply = () => {};
  for (const [at, { listenUrl }] of services.entries()) {
    balancer.nodes.clear();
    balancer.nodes.add(listenUrl);
    const checker = new Checker(baseUrl, options.seed);
    // One node shows those that were opened meanwhile, hundreds with few points.
    await checker.check(expectations, at === 0 ? undefined : fromStart);
    if (at === 0) storedPoints = checker.storedPoints;
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

async function startNodes(
  { databaseUrl, nodes = 1, workers }: FailoverOptions,
  balancer: Balancer,
  stack: AsyncDisposableStack,
  violations: string[],
): Promise<Service[]> {
  const services: Service[] = [];
  const environment = workers?.environment ?? {};
  const given = { databaseUrl, environment, flags: [...flags, "--base-url", balancer.origin] };
  for (let node = 1; node <= nodes; node++) {
    const service = stack.use(await Service.start(given));
    void service.exited.then((code) => violations.push(`service ${node} ended with ${code}`));
    balancer.nodes.add(service.listenUrl);
    services.push(service);
  }
  return services;
}

function openSome(baseUrl: string, journal: Journal): Promise<Target[]> {
  return Promise.all([0, 1, 2, 3].map((one) => openTarget(baseUrl, journal, one)));
}

type Loaded = FailoverOptions & Pick<LoadOptions, "baseUrl" | "journal" | "violations">;

/** The fault, with a load on each server, so that none waits for what another one does not take. */
async function underLoad(
  options: Loaded,
  { failing, spared }: Placed,
  fault: (stage: Stage) => Promise<void>,
): Promise<void> {
  const { violations, pauseMs = 0 } = options;
  const random = new Random(options.seed);
  const isAlone = spared.length === 0;
  const how = { ...options, random, pauseMs, resends: true };
  const loadOf = (targets: Target[], eventsAlone: boolean): Load =>
    new Load({ ...how, eventsAlone, writers: isAlone ? writers : writersOfEach }, targets);
  const others = spared.map(({ targets }, at) => loadOf(targets, at > 0));
  const loads = [loadOf(failing, !isAlone), ...others];
  const running = loads.map((load) => load.run());
  const beside = isAlone ? undefined : besideOf(options, { failing, spared }, others);
  try {
    await fault({ ...countOf(failing), violations, beside });
  } finally {
    await beside?.end();
    for (const load of loads) load.stop();
    await Promise.all(running);
  }
}

function besideOf(
  { databaseUrl, ...options }: Loaded,
  { failing, spared }: Placed,
  loads: readonly Load[],
): Beside {
  const counted = spared.flatMap(({ name, targets }, at): [string, () => number][] => [
    [`points on ${name}`, () => acknowledgedOf(targets)],
    [`reads on ${name}`, () => loads[at].reads],
  ]);
  const all = [...failing, ...spared.flatMap(({ targets }) => targets)];
  const servers = [spared[0].targets, failing, spared[1].targets];
  return new Beside({
    ...options,
    from: Math.max(...all.map(({ experiment }) => experiment)) + 1,
    counted: new Map(counted),
    opened: async (target) => void servers[await serverOf(databaseUrl, target)].push(target),
  });
}

async function errandsLeft(databaseUrl: string): Promise<string[]> {
  const endMs = performance.now() + errandsMs;
  while ((await countErrands(databaseUrl)) > 0) {
    if (performance.now() > endMs)
      return [`${await countErrands(databaseUrl)} errands are not done`];
    await sleep(500);
  }
  return [];
}

/**
 * kill -9 of the primary, promotion, a new standby; load before, between and after. `meanwhile` is
 * done while there is no primary.
 */
export async function failOver(
  stage: Stage,
  pair: StandbyPair,
  loadMs: number,
  meanwhile: () => Promise<void> = async () => undefined,
): Promise<void> {
  await stage.acknowledgedMore(500);
  await sleep(loadMs);
  await pair.killPrimary();
  await meanwhile();
  await pair.promote();
  await pair.addStandby();
  await stage.acknowledgedMore(500);
}

function countOf(
  targets: readonly Target[],
): Pick<Stage, "acknowledged" | "acknowledgedMore" | "isAboutFailing"> {
  const acknowledged = (): number => acknowledgedOf(targets);
  return {
    acknowledged,
    acknowledgedMore: async (count) => {
      const wanted = acknowledged() + count;
      while (acknowledged() < wanted) await sleep(10);
    },
    isAboutFailing: (text) => targets.some(({ experimentId }) => text.includes(experimentId)),
  };
}

function acknowledgedOf(targets: readonly Target[]): number {
  return targets.reduce((sum, target) => sum + target.acknowledged.size, 0);
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
