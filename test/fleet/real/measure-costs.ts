import { tmpdir } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { syncMs } from "../../bench/floors.ts";
import { percentile } from "../../bench/measure.ts";
import { RequestWriter, type Workload, workloads } from "../../bench/workload.ts";
import type { Costs } from "../model/costs.ts";
import { pricesOf } from "./least-squares.ts";
import { type Amounts, RealFleet, type RealLoad, type RealRun } from "./real-fleet.ts";
import type { ThreadTimes } from "./thread-times.ts";

/**
 * Loads whose amounts differ: one request a group and many, one experiment a group and many, few
 * points a request and many. The log stays below a million points, at which sealing would begin.
 */
const shapes: (RealLoad & { warmUp: number })[] = [
  { workload: "W2", experiments: 200, connections: 1, points: 10_000, warmUp: 20_000 },
  { workload: "W2", experiments: 200, connections: 50, points: 60_000, warmUp: 40_000 },
  { workload: "W2", experiments: 1, connections: 50, points: 60_000, warmUp: 40_000 },
  { workload: "W1", experiments: 1, connections: 8, points: 400_000, warmUp: 300_000 },
  { workload: "columns 1,000", experiments: 1, connections: 8, points: 500_000, warmUp: 300_000 },
  { workload: "columns 10,000", experiments: 4, connections: 8, points: 500_000, warmUp: 400_000 },
];
const sealedShape = { ...shapes[5], points: 2_000_000 };
/** Nothing is sealed before the log has a million points. */
export const unsealed: readonly string[] = ["--seal-points", String(1 << 24)];
/** Summaries are folded every five seconds; this waits until nothing is left of them. */
const settleMs = 6_500;

interface Measured extends RealRun {
  load: RealLoad;
  /** While the requests were sent, and until their summaries were folded, too. */
  sent: Amounts;
  settled: Amounts;
}

/**
 * Runs the shapes on one node, and finds the prices by which they cost what they did. Other work on
 * the machine makes all of it dearer, so the cheapest round of each shape counts.
 */
export async function measureCosts(
  rounds: number,
  progress: (line: string) => void,
): Promise<Costs> {
  const cheapest = async (shape: (typeof shapes)[number], flags: readonly string[]) => {
    const all: Measured[] = [];
    for (let round = 0; round < rounds; round++) {
      all.push(await measure(shape, flags));
      progress(lineOf(all.at(-1)!));
    }
    return all.reduce((one, other) => (secondsOf(other) < secondsOf(one) ? other : one));
  };
  const runs: Measured[] = [];
  for (const shape of shapes) runs.push(await cheapest(shape, unsealed));
  const sealed = await cheapest(sealedShape, []);
  return costsOf(runs, sealed, syncMs(tmpdir()));
}

function secondsOf({ settled: { threads, serverS } }: Measured): number {
  return Object.values(threads).reduce((sum, seconds) => sum + seconds, serverS);
}

async function measure(
  shape: RealLoad & { warmUp: number },
  flags: readonly string[],
): Promise<Measured> {
  await using fleet = await RealFleet.start(1, flags);
  const experiments = await fleet.open(shape.experiments, shape.workload);
  await fleet.run({ ...shape, points: shape.warmUp }, experiments);
  await sleep(settleMs);
  let before: Amounts | undefined;
  const run = await fleet.run(shape, experiments, async () => {
    before = await fleet.amounts();
  });
  const sent = difference(await fleet.amounts(), before!);
  return { ...run, load: shape, sent, settled: difference(await settled(fleet), before!) };
}

/** Waits until nothing is folded or sealed any more. */
async function settled(fleet: RealFleet): Promise<Amounts> {
  for (let sealed = -1; ;) {
    await sleep(settleMs);
    const amounts = await fleet.amounts();
    if (amounts.sealed === sealed || amounts.sealed === 0) return amounts;
    ({ sealed } = amounts);
  }
}

function costsOf(runs: readonly Measured[], sealed: Measured, floorSyncMs: number): Costs {
  const ofRequests = (seconds: (run: Measured) => number) => {
    const amounts = runs.map(({ requests, points, load }) => {
      const isColumns = load.workload.startsWith("columns");
      return [requests, isColumns ? 0 : points, isColumns ? points : 0];
    });
    const [requestUs, eventUs, columnPointUs] = pricesOf(amounts, inMicroseconds(runs, seconds));
    return { requestUs, eventUs, columnPointUs };
  };
  const [readUs, tokenUs] = pricesOf(
    runs.map(({ sent, requests }) => [sent.reads, requests]),
    inMicroseconds(runs, ({ sent }) => sent.threads.reader),
  );
  const [groupUs, requestUs, recordUs, pointUs] = pricesOf(
    runs.map(({ sent, requests, points }) => [sent.groups, requests, sent.records, points]),
    inMicroseconds(runs, ({ sent }) => sent.threads.writer),
  );
  const folding = pricesOf(
    runs.map(({ settled, points }) => [settled.folds, settled.records, points]),
    inMicroseconds(runs, ({ settled }) => settled.threads.background),
  );
  const server = pricesOf(
    runs.map(({ sent, settled, points }) => [
      sent.reads,
      settled.folds,
      sent.groups,
      sent.records,
      points,
    ]),
    inMicroseconds(runs, ({ settled }) => settled.serverS),
  );
  const wal = pricesOf(
    runs.map(({ sent, points }) => [sent.groups, sent.records, points]),
    runs.map(({ settled }) => settled.walBytes),
  );
  const { settled, points } = sealed;
  const { folds } = settled;
  const { reads, groups, records } = sealed.sent;
  const beyond = (used: number, amounts: number[], prices: number[]): number =>
    Math.max(0, used - sumOf(amounts, prices)) / settled.sealed;
  const costs: Costs = {
    main: ofRequests(({ sent }) => sent.threads.main),
    collector: ofRequests(({ sent }) => sent.threads.collector),
    reader: { readUs, requestUs: tokenUs },
    writer: { groupUs, requestUs, recordUs, pointUs },
    background: {
      foldUs: folding[0],
      recordUs: folding[1],
      pointUs: folding[2],
      sealedPointUs: beyond(1e6 * settled.threads.background, [folds, records, points], folding),
    },
    server: {
      readUs: server[0],
      foldUs: server[1],
      groupUs: server[2],
      recordUs: server[3],
      pointUs: server[4],
      sealedPointUs: beyond(1e6 * settled.serverS, [reads, folds, groups, records, points], server),
    },
    wal: {
      groupBytes: wal[0],
      recordBytes: wal[1],
      pointBytes: wal[2],
      sealedPointBytes: beyond(settled.walBytes, [groups, records, points], wal),
    },
    client: ofRequests(({ sent }) => sent.clientS),
    waits: { syncMs: floorSyncMs, statementsMs: 0 },
    requestBytes: { event: bytesOf("W1"), columnPoint: bytesOf("columns 1,000") },
  };
  costs.waits.statementsMs = quietWaitMs(runs[0], costs);
  return costs;
}

/** How long a quiet request waits for neither a processor nor the sync. */
function quietWaitMs({ latenciesMs, requests, sent }: Measured, { waits }: Costs): number {
  const { threads, serverS, clientS } = sent;
  const ownS = threads.main + threads.writer + threads.reader + serverS + clientS;
  return Math.max(0, percentile(latenciesMs, 50) - (1_000 * ownS) / requests - waits.syncMs);
}

/** Bytes of a point in a request that the generator writes. */
function bytesOf(workload: Workload["name"]): number {
  const experiment = { experimentId: "01m7y2rr6ktv8cx7924m35ch9z", token: "token" };
  const writer = new RequestWriter(workloads[workload], experiment, "counter", "noise");
  return writer.next("host").length / workloads[workload].eventsPerRequest;
}

function inMicroseconds(runs: readonly Measured[], seconds: (run: Measured) => number): number[] {
  return runs.map((run) => Math.max(1, 1e6 * seconds(run)));
}

function sumOf(amounts: readonly number[], prices: readonly number[]): number {
  return amounts.reduce((sum, amount, at) => sum + amount * prices[at], 0);
}

export function difference(after: Amounts, before: Amounts): Amounts {
  const threads = Object.fromEntries(
    Object.entries(after.threads).map(([name, seconds]) => {
      return [name, seconds - before.threads[name as keyof ThreadTimes]];
    }),
  );
  const others = Object.fromEntries(
    Object.entries(after)
      .filter(([name]) => name !== "threads")
      .map(([name, amount]) => [name, amount - Number(before[name as keyof Amounts])]),
  );
  return { ...others, threads } as unknown as Amounts;
}

function lineOf({ load, points, requests, seconds, sent, settled }: Measured): string {
  const { main, writer, reader, collector } = sent.threads;
  const perPoint = (used: number): string => ((1e6 * used) / points).toFixed(2);
  const figures = {
    main: perPoint(main),
    reader: perPoint(reader),
    writer: perPoint(writer),
    V8: perPoint(collector),
    background: perPoint(settled.threads.background),
    PostgreSQL: perPoint(settled.serverS),
    client: perPoint(sent.clientS),
  };
  const shares = Object.entries(figures).map(([name, us]) => `${name} ${us}`);
  return (
    `${load.workload}, ${load.connections} connections, ${load.experiments} experiments: ` +
    `${Math.round(points / seconds)} points/s, ${requests} requests, ${sent.groups} groups, ` +
    `${sent.reads} reads, ${sent.records} records, ${settled.folds} folds, ${Math.round(settled.walBytes / points)} bytes ` +
    `of log a point; microseconds a point: ${shares.join(", ")}`
  );
}
