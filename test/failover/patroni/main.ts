import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { begun, campaignOptions } from "../../campaign-options.ts";
import { startPostgres } from "../../postgres.ts";
import { Random } from "../../random.ts";
import { workersAt } from "../../workers.ts";
import { runFailover, type FailoverResult } from "../campaign.ts";
import { Cluster } from "./cluster.ts";
import { type Fault, faultsOf, type Round, runRound } from "./rounds.ts";

const help = `npm run test:failover: two nodes under load on a PostgreSQL cluster of Patroni and etcd.

Three members, synchronous and strict. Its primary is killed, cut off from its standbys and killed,
switched over, or frozen and revived later. Needs Debian's packages patroni, etcd-server and
postgresql, which it installs if it may.

  --rounds N       failovers (default 20)
  --seed N         repeats a run's data and its order of faults (default: random, printed)
  --only FAULT     this one in each round, by the name that the table gives it
  --etcd3          version 3 of etcd's interface also with a Patroni before 3.0.3, in which a revived
                   primary takes the lock of the new one, and data is lost
  --worker         the cluster is a worker, with the points of some experiments; the directory and
                   another worker stay, and all that is theirs has to go on
  --asynchronous   without synchronous standbys, which loses data: whether the checks notice
`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    only: { type: "string" },
    asynchronous: { type: "boolean", default: false },
    etcd3: { type: "boolean", default: false },
    worker: { type: "boolean", default: false },
    ...campaignOptions,
  },
});

const { asynchronous } = values;
const seed = begun(help, values);
const random = new Random(seed);
const faults: Fault[] = asynchronous
  ? ["cut off, then killed", "frozen, revived late"]
  : faultsOf(Number(values.rounds), random, values.only);
await using cluster = await startCluster();
const rounds: Round[] = [];
const clusterUrl = await cluster.createDatabase();
await using others = values.worker ? await startOthers(clusterUrl) : undefined;
const servers = others ?? { databaseUrl: clusterUrl, workers: undefined };
const result = await runFailover({ ...servers, seed, nodes: 2, pauseMs: 100 }, async (stage) => {
  // Threads of a node start when they are first needed, which takes seconds here.
  await stage.beside?.more(3);
  stage.beside?.takeLongest();
  for (const fault of faults) {
    await stage.acknowledgedMore(500);
    await sleep(random.below(1_000));
    const before = stage.violations.length;
    rounds.push(await runRound(fault, cluster, stage));
    console.log(
      `${new Date().toISOString()} failover ${rounds.length}: ${fault}; ` +
        `${stage.acknowledged()} points acknowledged, ${stage.violations.length} violations`,
    );
    for (const one of stage.violations.slice(before, before + 5)) console.log(`  ${one}`);
  }
});
console.log(`\n${tableOf(rounds)}\n`);
for (const name of rounds[0].longestMs.keys()) {
  const longest = Math.max(...rounds.map(({ longestMs }) => longestMs.get(name) ?? 0));
  console.log(`The longest time without one of the ${name}: ${seconds(longest)}`);
}
console.log(
  `${rounds.length} failovers, ${result.acknowledgedPoints} points acknowledged, ` +
    `${result.storedPoints} stored and read back, ` +
    `${result.unknownRequests} requests of unknown outcome, ${result.violations.length} violations`,
);
if (result.violations.length > 0 && !asynchronous)
  console.log(`The logs are kept in ${await keepLogs()}`);
for (const violation of result.violations.slice(0, 20)) console.log(`  ${violation}`);
process.exitCode = asynchronous ? noticed(result) : result.violations.length === 0 ? 0 : 1;

async function startCluster(): Promise<Cluster> {
  try {
    return await Cluster.start({ isSynchronous: !asynchronous, usesEtcd3: values.etcd3 });
  } catch (error) {
    console.error(`test:failover has no cluster: ${(error as Error).message}`);
    process.exit(1);
  }
}

/** A server that stays, with the directory and the second worker. */
async function startOthers(clusterUrl: string) {
  await using stack = new AsyncDisposableStack();
  const server = stack.use(await startPostgres());
  const databaseUrl = await server.createDatabase();
  const workers = stack.use(await workersAt([clusterUrl, await server.createDatabase()]));
  const all = stack.move();
  return { databaseUrl, workers, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

async function keepLogs(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), "lossless-failover-logs-"));
  const logs = await cluster.logs();
  for (const [at, log] of result.logs.entries()) logs.set(`node-${at + 1}`, log);
  for (const [name, log] of logs) await writeFile(join(directory, `${name}.log`), log);
  return directory;
}

function tableOf(all: readonly Round[]): string {
  const head = ["", "old primary", "", "new", "after", "acknowledged after", "in order after"];
  head.push("rejoined with", "two primaries", "stale reads", "openings delayed");
  const lines = all.map(({ outcome, opened, ...round }, at) => [
    String(at + 1),
    round.fault,
    round.old,
    round.next,
    ...[round.nextMs, round.acknowledgedMs, round.settledMs].map(seconds),
    round.rejoined,
    outcome.hadTwoPrimaries === true ? "yes" : "",
    outcome.staleReads === undefined ? "" : String(outcome.staleReads),
    opened === undefined ? "" : `${opened.delayed} of ${opened.count}`,
  ]);
  const widths = head.map((_, at) =>
    Math.max(...[head, ...lines].map((line) => (line[at] ?? "").length)),
  );
  const aligned = [head, ...lines].map((line) => line.map((cell, at) => cell.padEnd(widths[at])));
  return aligned.map((line) => line.join("  ").trimEnd()).join("\n");
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}

/** Both faults of `--asynchronous` have to be among the violations. */
function noticed({ violations }: FailoverResult): number {
  const isLoss = violations.some((one) => one.includes("is lost"));
  const isSplit = violations.some((one) => one.includes("the revived old primary acknowledged"));
  console.log(
    `The loss was ${isLoss ? "" : "NOT "}noticed, two primaries ${isSplit ? "" : "NOT "}noticed`,
  );
  return isLoss && isSplit ? 0 : 1;
}
