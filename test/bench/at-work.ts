import { setTimeout as sleep } from "node:timers/promises";
import { Connection } from "./connection.ts";
import { followCharts, followTable } from "./followed.ts";
import { VersionWriter } from "./version-writer.ts";
import { type Experiment, RequestWriter, workloads } from "./workload.ts";

/** The order to a process that simulates people. */
export interface AtWork {
  baseUrl: string;
  people: readonly (Experiment & { key: string })[];
}

/** The people's work since the last "count". */
export interface WorkDone {
  /** From when it was due, so that what had to wait for the one before counts as well. */
  ackMs: number[];
  chartMs: number[];
  tableMs: number[];
  commitMs: number[];
  points: number;
  /** Requests that had to be sent again: 502, 503, or a connection that was closed. */
  again: number;
  /** Cores that this process used for them. */
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
  return { ackMs: [], chartMs: [], tableMs: [], commitMs: [], points: 0, again: 0, cores: 0 };
}

/**
 * A run that records each second, three checkpoints a minute, and for each second person a page
 * that follows: the table, or six charts.
 */
async function work(
  { baseUrl, people }: AtWork,
  number: number,
  { key, ...experiment }: AtWork["people"][number],
): Promise<void> {
  // Nobody begins in the same moment as others.
  await sleep((stepMs * 10 * number) / people.length);
  void record(baseUrl, experiment);
  void checkpoint(baseUrl, key, `checkpoints/${number}`);
  const viewer = { baseUrl, key, onAgain: () => void done.again++ };
  const experiments = people.map(({ experimentId }) => experimentId);
  const onTable = (tookMs: number) => void done.tableMs.push(tookMs);
  const onCharts = (tookMs: number) => void done.chartMs.push(tookMs);
  if (number % 4 === 0) void followTable({ ...viewer, experiments }, onTable);
  if (number % 4 === 2) void followCharts({ ...viewer, ...experiment }, onCharts);
}

/** Sends failed requests again, as recorders do. */
async function record(baseUrl: string, experiment: Experiment): Promise<never> {
  const { host } = new URL(baseUrl);
  const connection = new Connection(baseUrl);
  const writer = new RequestWriter(workloads.W2, experiment, "counter", "noise");
  for (let dueMs = performance.now(); ; dueMs += stepMs) {
    await sleep(Math.max(0, dueMs - performance.now()));
    const request = writer.next(host);
    while (!(await isTaken(connection, request))) await again();
    done.ackMs.push(performance.now() - dueMs);
    done.points += workloads.W2.eventsPerRequest;
  }
}

async function isTaken(connection: Connection, request: Buffer): Promise<boolean> {
  try {
    return (await connection.send(request)).toString("latin1", 0, 12) === "HTTP/1.1 200";
  } catch {
    return false;
  }
}

async function checkpoint(baseUrl: string, key: string, artifact: string): Promise<never> {
  const writer = await VersionWriter.open(baseUrl, key, artifact);
  for (let version = 0; ; version++) {
    try {
      const { beginMs, commitMs } = await writer.write(`v${version}`);
      done.commitMs.push(beginMs + commitMs);
    } catch {
      await again();
    }
    await sleep(checkpointMs * (0.5 + Math.random()));
  }
}

async function again(): Promise<void> {
  done.again++;
  await sleep(stepMs);
}
