import { randomUUID } from "node:crypto";
import type { SetFigure } from "./bench.ts";
import { Connection } from "./connection.ts";
import { messageRate } from "./floors.ts";
import { median } from "./measure.ts";
import {
  batchMessage,
  bodyOf,
  get,
  newRun,
  newRuns,
  post,
  sendAll,
  timed,
  whole,
} from "./mlflow-requests.ts";
import type { Subject } from "./subject.ts";
import type { Experiment } from "./workload.ts";

export interface MessageSizes {
  /** Points of the long run. */
  points: number;
  /** Runs among which is searched. */
  runs: number;
}

const shortPoints = 40_000;
const pagePoints = 25_000;
const bulkRuns = 100;
const reads = 15;
/** Fewer points than this stay in the log of a run for a while. */
const pointsPerSeal = 262_144;

/** Messages of MLflow's interface over one connection, beside our own where it does the same. */
export async function measureMessages(
  subject: Subject,
  { points, runs }: MessageSizes,
  set: SetFigure,
): Promise<void> {
  const { baseUrl } = subject.service;
  const connection = new Connection(baseUrl);
  try {
    await acknowledgements(subject, connection, set);
    await histories(subject, connection, set);
    await longRuns(subject, connection, points, set);
    await searches(baseUrl, connection, runs, set);
  } finally {
    connection.close();
  }
}

/** A single point and a thousand, by turns natively and by MLflow's messages. */
async function acknowledgements(
  subject: Subject,
  connection: Connection,
  set: SetFigure,
): Promise<void> {
  const { baseUrl } = subject.service;
  const runId = await newRun(baseUrl);
  const [experiment] = await subject.open(1, "acknowledged");
  const byTurns = async (
    rounds: number,
    words: [string, string],
    native: (at: number) => Buffer,
    message: (at: number) => Buffer,
  ): Promise<void> => {
    const times: [number[], number[]] = [[], []];
    for (let at = 0; at <= rounds; at++) {
      const pair = [await timed(connection, native(at)), await timed(connection, message(at))];
      if (at > 0) for (const [side, ms] of pair.entries()) times[side].push(ms);
    }
    for (const [side, word] of words.entries()) set(`${word} ack ms`, median(times[side]));
  };
  await byTurns(
    300,
    ["native event", "log-metric"],
    (at) => nativeMessage(baseUrl, experiment, at, 1),
    (at) => {
      const metric = { key: "single", value: Math.random(), timestamp: 1_000 + at, step: at };
      return post(baseUrl, "runs/log-metric", { run_id: runId, ...metric });
    },
  );
  await byTurns(
    60,
    ["native batch", "log-batch"],
    (at) => nativeMessage(baseUrl, experiment, at, 1_000),
    (at) => batchMessage(baseUrl, runId, at),
  );
}

function nativeMessage(
  baseUrl: string,
  { experimentId, token }: Experiment,
  number: number,
  count: number,
): Buffer {
  const events = Array.from({ length: count }, (_, at) => {
    const row = number * count + at;
    return {
      messageId: randomUUID(),
      event: "svc.v2.experiment.metric",
      data: {
        experimentId,
        timestampMs: 1_000 + 20 * row,
        step: Math.floor(row / 10),
        metricName: count === 1 ? "single" : `train/metric_${row % 10}`,
        metricValue: Math.random(),
        meta: {},
      },
    };
  });
  const path = `/api/v2/experiments/${experimentId}/events`;
  return whole(baseUrl, "POST", path, JSON.stringify(events), token);
}

/** Every point of a series, and of one in a hundred runs, in points a second. */
async function histories(subject: Subject, connection: Connection, set: SetFigure): Promise<void> {
  const { baseUrl } = subject.service;
  set("printing messages rate", messageRate());
  const series = (from: number, count: number): object[] =>
    Array.from({ length: count }, (_, at) => {
      return { key: "m", value: Math.random(), timestamp: 1_000 + from + at, step: from + at };
    });
  const log = (runId: string, metrics: object[]): Buffer =>
    post(baseUrl, "runs/log-batch", { run_id: runId, metrics });
  const runId = await newRun(baseUrl);
  await sendAll(baseUrl, pagePoints / 1_000, (at) => log(runId, series(at * 1_000, 1_000)));
  const page = get(baseUrl, "metrics/get-history", [
    ["run_id", runId],
    ["metric_key", "m"],
    ["max_results", `${pagePoints}`],
  ]);
  set("get-history rate", pagePoints / ((await medianRead(connection, page, pagePoints)) / 1_000));
  set("native stream rate", (await subject.readRate(runId)).pointsPerSecond);
  const each = pagePoints / bulkRuns;
  const runIds = await newRuns(baseUrl, "0", bulkRuns);
  await sendAll(baseUrl, bulkRuns, (at) => log(runIds[at], series(0, each)));
  const bulk = get(baseUrl, "metrics/get-history-bulk", [
    ...runIds.map((id): [string, string] => ["run_id", id]),
    ["metric_key", "m"],
  ]);
  set(
    "get-history-bulk rate",
    pagePoints / ((await medianRead(connection, bulk, pagePoints)) / 1_000),
  );
}

/** Milliseconds of a read, warm, whose reply has so many metrics. */
async function medianRead(
  connection: Connection,
  request: Buffer,
  metrics?: number,
): Promise<number> {
  const first = bodyOf(await connection.send(request));
  if (metrics !== undefined) {
    const found = (JSON.parse(first) as { metrics: object[] }).metrics.length;
    if (found !== metrics) throw new Error(`BUG: ${found} metrics are read back, not ${metrics}`);
  }
  const times: number[] = [];
  for (let read = 0; read < reads; read++) times.push(await timed(connection, request));
  return median(times);
}

/**
 * A run is read by itself: what it costs must not depend on its length. Both are read by turns when
 * the points of the long one are sealed, as that takes a processor, too.
 */
async function longRuns(
  { service: { baseUrl }, figures }: Subject,
  connection: Connection,
  points: number,
  set: SetFigure,
): Promise<void> {
  const requests: Buffer[] = [];
  for (const count of [shortPoints, points]) {
    const runId = await newRun(baseUrl);
    await sendAll(baseUrl, count / 1_000, (at) => batchMessage(baseUrl, runId, at));
    requests.push(get(baseUrl, "runs/get", [["run_id", runId]]));
  }
  await figures.sealed(points - pointsPerSeal);
  const times: [number[], number[]] = [[], []];
  for (let round = 0; round <= 10 * reads; round++) {
    for (const [side, request] of requests.entries()) {
      const ms = await timed(connection, request);
      if (round > 0) times[side].push(ms);
    }
  }
  set("runs/get ms", median(times[0]));
  set("points of the long run", points);
  set("runs/get, long run ms", median(times[1]));
}

/** Twenty of many runs, by a metric and a param, in the order of another metric. */
async function searches(
  baseUrl: string,
  connection: Connection,
  count: number,
  set: SetFigure,
): Promise<void> {
  const create = post(baseUrl, "experiments/create", { name: "bench of many runs" });
  const made = JSON.parse(bodyOf(await connection.send(create))) as { experiment_id: string };
  const runIds = await newRuns(baseUrl, made.experiment_id, count);
  await sendAll(baseUrl, count, (number) => {
    const metrics = Array.from({ length: 20 }, (_, at) => {
      const value = ((number * (31 + 2 * at)) % 9_973) / 9_973;
      return { key: `m${at}`, value, timestamp: 5, step: 1 };
    });
    const params = Array.from({ length: 20 }, (_, at) => {
      return { key: `p${at}`, value: `v${(number * (3 + at)) % 7}` };
    });
    return post(baseUrl, "runs/log-batch", { run_id: runIds[number], metrics, params });
  });
  set("runs that are searched", count);
  const search = post(baseUrl, "runs/search", {
    experiment_ids: [made.experiment_id],
    filter: "metrics.m1 > 0.2 AND params.p1 != 'v3'",
    order_by: ["metrics.m2 DESC"],
    max_results: 20,
  });
  set("runs/search, many runs ms", await medianRead(connection, search));
}
