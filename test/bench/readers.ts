import { mkdtempDisposable } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { call } from "../http.ts";
import { checkoutRoot, organizations } from "../service.ts";
import { Child, load } from "./child.ts";
import { median, percentile, residentMebibytes } from "./measure.ts";
import { Subject } from "./subject.ts";
import type { Experiment } from "./workload.ts";

export interface ReadersOptions {
  /** Another checkout of this project, with its dependencies. */
  checkout: string | undefined;
  /** Points of the experiment that is exported. */
  points: number;
  /** Experiments that are listed. */
  experiments: number;
  rounds: number;
  progress: (line: string) => void;
}

const besides = ["nothing", "four exports", "a long list", "both", "four curves"] as const;
/** Each kind of short read in each round. */
const probes = 200;
const pointsPerRound = 200_000;
const opensPerRequest = 1_000;

/**
 * Short reads beside long ones, on this checkout and on another one in turn, which read the same
 * data: one experiment, and a curve of 1,000 points, beside exports, lists, both, and curves
 * of a hundredth of the points.
 */
export async function measureReaders(options: ReadersOptions): Promise<void> {
  await using directory = await mkdtempDisposable(join(tmpdir(), "lossless-readers-"));
  const [large, small] = await fill(directory.path, options);
  const sides = [{ name: "this", checkout: checkoutRoot }];
  if (options.checkout !== undefined) sides.push({ name: "other", checkout: options.checkout });
  const samples = new Map<string, number[]>();
  for (let round = 0; round < options.rounds; round++) {
    for (const { name, checkout } of round % 2 === 0 ? sides : sides.toReversed()) {
      await using subject = await Subject.start({ directory: directory.path, checkout });
      await sleep(1_000);
      add(samples, `${name}: MiB at rest`, residentMebibytes(subject.service.processId));
      await subject.readRate(large.experimentId);
      for (const beside of besides) {
        using _ = longReads(subject, beside, large);
        await sleep(beside === "nothing" ? 0 : 1_500);
        for (let probe = 0; probe < probes; probe++) {
          const [one, curve] = await probeReads(subject, large, small);
          add(samples, `${name}: one experiment beside ${beside}`, one);
          add(samples, `${name}: a curve beside ${beside}`, curve);
        }
      }
    }
    options.progress(`round ${round + 1} of ${options.rounds}`);
  }
  for (const [name, values] of samples) {
    const [p50, p99] = [median(values), percentile(values, 99)].map((value) => value.toFixed(1));
    options.progress(`${name}: median ${p50}, p99 ${p99}`);
  }
}

/** Gives an experiment of many points and one of few; all are sealed. */
async function fill(directory: string, options: ReadersOptions): Promise<Experiment[]> {
  await using subject = await Subject.start({ directory, flags: ["--seal-idle-ms", "0"] });
  using generator = new Child("generator.ts");
  const [large, small] = await subject.open(2, "W1");
  const write = async (experiment: Experiment, events: number): Promise<void> => {
    const { baseUrl } = subject.service;
    const kind = { identifiers: "counter", values: "noise", repeats: 0 } as const;
    const to = { baseUrl, workload: "W1", events } as const;
    const order = { ...to, ...kind, experiments: [experiment], key: experiment.experimentId };
    await load(generator, order, () => 0);
  };
  for (let done = 0; done < options.points; done += pointsPerRound) {
    await write(large, pointsPerRound);
  }
  await write(small, 100_000);
  for (let done = 0; done < options.experiments; done += opensPerRequest) {
    await subject.open(opensPerRequest, `of ${done}`);
  }
  await subject.figures.sealed(Math.ceil(options.points / pointsPerRound) * pointsPerRound + 1e5);
  options.progress(`${options.points} points and ${options.experiments} experiments are written`);
  return [large, small];
}

function longReads(
  { service: { baseUrl } }: Subject,
  beside: (typeof besides)[number],
  { experimentId }: Experiment,
): Disposable {
  const child = new Child("endless-reads.ts");
  const readAgain = (connections: number, path: string, event: string, data: object): void => {
    const body = JSON.stringify({ messageId: "m", event, data });
    child.send({ baseUrl, path, body, connections });
  };
  const data = { experimentId, filter: [], xAxis: "step" };
  if (beside === "four exports" || beside === "both") {
    readAgain(4, "/api/v2/query/series", "svc.v2.query.experimentseries", data);
  }
  if (beside === "a long list" || beside === "both") {
    readAgain(1, "/api/v2/events", "svc.v2.foldertree.read", {});
  }
  if (beside === "four curves") {
    const curve = { ...data, seriesName: "train/metric_1" };
    readAgain(4, "/api/v2/query/series", "svc.v2.query.series", curve);
  }
  return child;
}

/** Milliseconds of a read of an experiment, and of a curve. */
async function probeReads(
  { service: { baseUrl } }: Subject,
  large: Experiment,
  small: Experiment,
): Promise<[number, number]> {
  const timed = async (path: string, event: string, data: object): Promise<number> => {
    const body = { messageId: "probe", event, data };
    const startedMs = performance.now();
    const reply = await call(baseUrl, { path, credential: organizations.acme.key, body });
    if (reply.status !== 200 || reply.text.includes("svc.v2.error")) throw new Error(reply.text);
    return performance.now() - startedMs;
  };
  const { experimentId } = large;
  const curve = { ...small, seriesName: "train/metric_7", filter: [], xAxis: "step" };
  return [
    await timed("/api/v2/events", "svc.v2.query.experiment", { experimentId }),
    await timed("/api/v2/query/series", "svc.v2.query.series", { ...curve, token: undefined }),
  ];
}

function add(samples: Map<string, number[]>, name: string, value: number): void {
  const values = samples.get(name) ?? [];
  samples.set(name, values);
  values.push(value);
}
