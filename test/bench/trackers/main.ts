import { execFile } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { Child, load } from "../child.ts";
import { bytesOf, cpuSeconds, median } from "../measure.ts";
import { batchMessage, newRun, sendAll } from "../mlflow-requests.ts";
import { Subject } from "../subject.ts";
import { writeDown } from "../written-down.ts";
import { type Contender, contenders, pythonOf, type Started } from "./contenders.ts";

const help = `npm run bench:peers: the same recordings by the clients of several trackers, in turn.

  --rounds N      rounds (default 3)
  --only NAME     this one alone, and may be given again: ${contenders.map(({ tracker }) => tracker).join(", ")}
  --points N      points of a round of bare requests (default 200000), of others a fifth
  --write         puts the outcome into docs/benchmark.md

The packages of the others come from PyPI, into node_modules/.cache.
`;

/** Recordings that hang are given up. */
const patienceMs = 600_000;
/** Processes that outlive a killed training may send for this long. */
const afterDeathMs = 15_000;
const program = join(import.meta.dirname, "record.py");

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "3" },
    only: { type: "string", multiple: true },
    points: { type: "string", default: "200000" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) process.stdout.write(help);
else await compare();

interface Recorded {
  points: number;
  calls: number;
  calls_s: number;
  whole_s: number;
  processor_s: number;
}

interface ReadBack {
  sent: number;
  read: number;
  distinct: number;
  equal: number;
  whole_s: number;
}

/** The row of a table, and the figure of each round. */
type Measured = Map<string, number[]>;

async function compare(): Promise<void> {
  const chosen = contenders.filter(
    ({ tracker }) => values.only === undefined || values.only.includes(tracker),
  );
  const pythons = new Map(chosen.map((each) => [each, pythonOf(each, progress)]));
  const measured = new Map<Contender, Measured>(chosen.map((each) => [each, new Map()]));
  const rounds = Number(values.rounds);
  for (let round = 0; round < rounds; round++)
    for (const each of round % 2 === 0 ? chosen : chosen.toReversed()) {
      progress(`round ${round + 1} of ${rounds}: ${each.name}`);
      await measure(each, pythons.get(each)!, measured.get(each)!);
    }
  const bare = await bareRates(pythons, rounds);
  const tables = [clientTable(measured), bareTable(bare), promises(chosen)].join("\n\n");
  if (values.write)
    writeDown("trackers", `\`npm run bench:peers\`, ${rounds} rounds.`, new Map(), tables);
  else process.stdout.write(`${tables}\n`);
}

async function measure(contender: Contender, python: string, into: Measured): Promise<void> {
  await using started = await contender.start(python);
  const set = (name: string, value: number): void => {
    const all = into.get(name) ?? [];
    into.set(name, [...all, value]);
    progress(`  ${name}: ${value.toPrecision(4)}`);
  };
  const run = async <Result>(task: string, name = task): Promise<Result> => {
    const words = [program, contender.tracker, task, started.where, name];
    const env = { ...process.env, ...started.environment };
    const { stdout } = await promisify(execFile)(python, words, { env, timeout: patienceMs });
    return JSON.parse(stdout.trim().split("\n").at(-1)!) as Result;
  };
  // The first recording of a client compiles and creates: not of the measure.
  await run("long", "first");
  const [serverBefore, bytesBefore] = [started.serverSeconds(), bytesOf(started.directory)];
  const many = await run<Recorded>("many");
  const server = started.serverSeconds() - serverBefore;
  set("a call with 100 metrics, µs", (1e6 * many.calls_s) / many.calls);
  set("50,000 points until they are stored, s", many.whole_s);
  set(
    "processor s a million points, with the server",
    (1e6 * (many.processor_s + server)) / many.points,
  );
  set("bytes of a point on disk", (bytesOf(started.directory) - bytesBefore) / many.points);
  const long = await run<Recorded>("long");
  set("a call with one metric, µs", (1e6 * long.calls_s) / long.calls);
  const runs = await run<{ whole_s: number; runs: number }>("runs");
  set("a run of 100 points, begun and ended, ms", (1e3 * runs.whole_s) / runs.runs);
  const read = await run<ReadBack>("read-many", "many");
  set("50,000 points read, s", read.whole_s);
  set("of 50,000 points, read back equal", read.equal);
  await run("killed").catch((error: { signal?: string }) => {
    if (error.signal !== "SIGKILL") throw error;
  });
  await sleep(afterDeathMs);
  const left = await run<ReadBack>("read-killed", "killed");
  set("of 5,000 points, left after SIGKILL behind the last call", left.distinct);
}

/** Points a second by bare requests over eight connections, without the work of any client. */
async function bareRates(
  pythons: ReadonlyMap<Contender, string>,
  rounds: number,
): Promise<Map<string, number[]>> {
  const rates = new Map<string, number[]>();
  const note = (name: string, rate: number): void => {
    rates.set(name, [...(rates.get(name) ?? []), rate]);
    progress(`${name}: ${rate.toFixed(0)} points/s`);
  };
  const points = Number(values.points);
  for (let round = 0; round < rounds; round++)
    for (const [contender, python] of pythons) {
      if (contender.tracker === "lossless") await lossless(points, note);
      else if (contender.packages.some((one) => one.startsWith("mlflow"))) {
        await using started = await contender.start(python);
        note(`${contender.name}, log-batch of 1,000`, await logBatches(started, points / 5));
      }
    }
  return rates;
}

async function lossless(points: number, note: (name: string, rate: number) => void): Promise<void> {
  await using subject = await Subject.start();
  using generator = new Child("generator.ts");
  const { baseUrl, processId } = subject.service;
  const few = { identifiers: "counter", values: "noise", repeats: 0 } as const;
  for (const [name, workload] of [
    ["Lossless, events of 1,000", "W1"],
    ["Lossless, columns of 10,000", "columns 10,000"],
  ] as const) {
    const experiments = await subject.open(1, workload);
    const order = { baseUrl, workload, experiments, key: workload, ...few };
    await load(generator, { ...order, events: points / 4, key: "warm" }, () => 0);
    const done = await load(generator, { ...order, events: points }, () => cpuSeconds(processId));
    note(name, done.eventsPerSecond);
  }
}

/** The second time counts. */
async function logBatches({ where }: Started, points: number): Promise<number> {
  let tookMs = 0;
  for (const count of [points / 4, points]) {
    const runId = await newRun(where);
    const batches = Array.from({ length: count / 1_000 }, (_, at) =>
      batchMessage(where, runId, at),
    );
    const startedMs = performance.now();
    await sendAll(where, batches.length, (at) => batches[at]);
    tookMs = performance.now() - startedMs;
  }
  return points / (tookMs / 1e3);
}

function clientTable(measured: ReadonlyMap<Contender, Measured>): string {
  const names = [...measured.keys()].map(({ name }) => name);
  const rows = [...measured.values().next().value!.keys()].map((row) => [
    row,
    ...[...measured.values()].map((each) => shown(median(each.get(row)!))),
  ]);
  return tableOf(["by its Python client", ...names], rows);
}

function bareTable(rates: ReadonlyMap<string, number[]>): string {
  const rows = [...rates].map(([name, all]) => [name, shown(median(all))]);
  return tableOf(["by bare requests", "points/s"], rows);
}

function promises(chosen: readonly Contender[]): string {
  const rows = chosen.map(({ name, afterCall, afterAcknowledgement }) => [
    name,
    afterCall,
    afterAcknowledgement,
  ]);
  return tableOf(["", "a call has returned", "it is acknowledged"], rows);
}

function tableOf(head: string[], rows: string[][]): string {
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function shown(value: number): string {
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 3;
  return value.toLocaleString("en", { maximumFractionDigits: digits });
}

function progress(line: string): void {
  process.stderr.write(`${line}\n`);
}
