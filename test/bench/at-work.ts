import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "./connection.ts";
import { followCharts, followTable } from "./followed.ts";
import { VersionWriter } from "./version-writer.ts";
import { type Experiment, RequestWriter, workloads } from "./workload.ts";

/** What a process that plays people is told. */
export interface AtWork {
  baseUrl: string;
  people: readonly (Experiment & { key: string })[];
}

/** What they had since the last "count". */
export interface WorkDone {
  /** From when it was due, so that what had to wait for the one before counts as well. */
  ackMs: number[];
  chartMs: number[];
  tableMs: number[];
  commitMs: number[];
  points: number;
  /** Reads and checkpoints that were answered with 503 or 502, which say to try again. */
  refused: number;
  /** What they cost this process. */
  cores: number;
}

const stepMs = 1_000;
const checkpointMs = 20_000;

let done = nothingDone();
let since = { atMs: 0, cpu: process.cpuUsage() };

process.on("message", (message: AtWork | "count" | "stop") => {
  if (typeof message === "object") {
    for (const [number, person] of message.people.entries()) void work(message, number, person);
    return;
  }
  if (message === "stop") {
    const { user, system } = process.cpuUsage(since.cpu);
    const seconds = (performance.now() - since.atMs) / 1_000;
    process.send!({ ...done, cores: (user + system) / 1e6 / seconds } satisfies WorkDone);
  }
  done = nothingDone();
  since = { atMs: performance.now(), cpu: process.cpuUsage() };
});
process.on("disconnect", () => process.exit());

function nothingDone(): WorkDone {
  return { ackMs: [], chartMs: [], tableMs: [], commitMs: [], points: 0, refused: 0, cores: 0 };
}

/** A run that records each second, a page that follows, and three checkpoints a minute. */
async function work(
  { baseUrl, people }: AtWork,
  number: number,
  { key, ...experiment }: AtWork["people"][number],
): Promise<void> {
  // Nobody begins in the same moment as others.
  await sleep((stepMs * 10 * number) / people.length);
  void record(baseUrl, experiment);
  void checkpoint(baseUrl, key, `checkpoints/${number}`);
  const viewer = { baseUrl, key, onRefused: () => void done.refused++ };
  const experiments = people.map(({ experimentId }) => experimentId);
  if (number % 2 === 0) void followTable({ ...viewer, experiments }, (ms) => done.tableMs.push(ms));
  else void followCharts({ ...viewer, ...experiment }, (ms) => done.chartMs.push(ms));
}

async function record(baseUrl: string, experiment: Experiment): Promise<never> {
  const { host } = new URL(baseUrl);
  const connection = new Connection(baseUrl);
  const writer = new RequestWriter(workloads.W2, experiment, "counter", "noise");
  for (let dueMs = performance.now(); ; dueMs += stepMs) {
    await sleep(Math.max(0, dueMs - performance.now()));
    const reply = await connection.send(writer.next(host));
    if (!reply.toString("latin1", 0, 15).startsWith("HTTP/1.1 200")) throw new Error(`${reply}`);
    done.ackMs.push(performance.now() - dueMs);
    done.points += workloads.W2.eventsPerRequest;
  }
}

async function checkpoint(baseUrl: string, key: string, artifact: string): Promise<never> {
  const writer = await VersionWriter.open(baseUrl, key, artifact);
  for (let version = 0; ; version++) {
    try {
      const { beginMs, commitMs } = await writer.write(`v${version}`);
      done.commitMs.push(beginMs + commitMs);
    } catch (error) {
      if (!/^HTTP\/1.1 50[23]/.test((error as Error).message)) throw error;
      done.refused++;
    }
    await sleep(checkpointMs * (0.5 + Math.random()));
  }
}
