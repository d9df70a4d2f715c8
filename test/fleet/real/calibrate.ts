import { cpus } from "node:os";
import { percentile } from "../../bench/measure.ts";
import type { Workload } from "../../bench/workload.ts";
import type { Costs, Sending } from "../model/costs.ts";
import { runFleet } from "../model/fleet.ts";
import { difference, unsealed } from "./measure-costs.ts";
import { type Amounts, RealFleet } from "./real-fleet.ts";

/** The same clients and experiments for one, two and four nodes, which share them out. */
interface Trial {
  workload: Workload["name"];
  sending: Sending;
  connections: number;
  /** Experiments of the whole fleet; undefined: one for each node. */
  experiments?: number;
  warmUp: number;
  points: number;
}

const trials: readonly Trial[] = [
  {
    workload: "W2",
    sending: { form: "events", pointsPerRequest: 20 },
    connections: 48,
    experiments: 200,
    warmUp: 60_000,
    points: 80_000,
  },
  {
    workload: "W1",
    sending: { form: "events", pointsPerRequest: 1_000 },
    connections: 8,
    warmUp: 160_000,
    points: 240_000,
  },
  {
    workload: "columns 1,000",
    sending: { form: "columns", pointsPerRequest: 1_000 },
    connections: 8,
    warmUp: 160_000,
    points: 240_000,
  },
];

export interface Side {
  pointsPerS: number;
  p50Ms: number;
  p99Ms: number;
  requestsPerGroup: number;
  /** Processor time of nodes and of PostgreSQL, microseconds a point. */
  nodesUs: number;
  serverUs: number;
}

export interface Comparison {
  workload: Workload["name"];
  nodes: number;
  /** Cores that other work used meanwhile. */
  othersCores: number;
  real: Side;
  simulated: Side;
}

/** Runs 1, 2 and 4 nodes of the real program on this machine, and the model with the same load. */
export async function calibrate(
  costs: Costs,
  progress: (line: string) => void,
): Promise<Comparison[]> {
  const found: Comparison[] = [];
  for (const nodes of [1, 2, 4]) {
    // A fleet for each trial: the log of all would be long enough to be sealed.
    for (const trial of trials) {
      const one = await compare(trial, nodes, costs);
      found.push(one);
      const [real, simulated] = [one.real, one.simulated].map(({ pointsPerS }) =>
        Math.round(pointsPerS).toLocaleString("en-US"),
      );
      const others = `other work ${one.othersCores.toFixed(2)} cores`;
      progress(
        `${one.workload}, nodes: ${nodes}: ${real} points/s, simulated ${simulated}; ${others}`,
      );
    }
  }
  return found;
}

/** The median of the errors of the rates, without their signs. */
export function medianError(comparisons: readonly Comparison[]): number {
  const errors = comparisons.map(({ real, simulated }) =>
    Math.abs(simulated.pointsPerS / real.pointsPerS - 1),
  );
  return percentile(errors, 50);
}

async function compare(trial: Trial, nodes: number, costs: Costs): Promise<Comparison> {
  const experiments = trial.experiments ?? nodes;
  const { seconds, othersCores, ...real } = await measure(trial, { nodes, experiments });
  const cores = cpus().length;
  const outcome = runFleet({
    costs: { ...costs, background: { ...costs.background, sealedPointUs: 0 } },
    nodes,
    servers: 1,
    machines: {
      nodeCores: cores,
      serverCores: cores,
      syncS: costs.waits.syncMs / 1_000,
      logBytesPerS: 500e6,
      networkS: 0,
      putS: 0,
      together: { cores, othersCores },
    },
    sending: trial.sending,
    experiments,
    isSticky: true,
    clients: { always: trial.connections },
    warmUpS: 2,
    measuredS: Math.max(4, seconds),
    seed: 1,
  });
  return {
    workload: trial.workload,
    nodes,
    othersCores,
    real,
    simulated: {
      pointsPerS: outcome.pointsPerS,
      p50Ms: outcome.p50S * 1_000,
      p99Ms: outcome.p99S * 1_000,
      requestsPerGroup: outcome.requestsPerGroup,
      nodesUs: (1e6 * outcome.usedS.nodes) / (outcome.pointsPerS * outcome.measuredS),
      serverUs: (1e6 * outcome.usedS.servers) / (outcome.pointsPerS * outcome.measuredS),
    },
  };
}

async function measure(
  { workload, connections, warmUp, points }: Trial,
  { nodes, experiments }: { nodes: number; experiments: number },
): Promise<Side & { seconds: number; othersCores: number }> {
  await using fleet = await RealFleet.start(nodes, unsealed);
  const opened = await fleet.open(experiments / nodes, workload);
  const load = { workload, experiments, connections: connections / nodes };
  await fleet.run({ ...load, points: warmUp / nodes }, opened);
  let before: Amounts | undefined;
  const run = await fleet.run({ ...load, points: points / nodes }, opened, async () => {
    before = await fleet.amounts();
  });
  const used = difference(await fleet.amounts(), before!);
  const nodesS = Object.values(used.threads).reduce((sum, seconds) => sum + seconds, 0);
  return {
    seconds: run.seconds,
    othersCores: Math.max(0, used.othersS / used.atS),
    pointsPerS: run.points / run.seconds,
    p50Ms: percentile(run.latenciesMs, 50),
    p99Ms: percentile(run.latenciesMs, 99),
    requestsPerGroup: run.requests / used.groups,
    nodesUs: (1e6 * nodesS) / run.points,
    serverUs: (1e6 * used.serverS) / run.points,
  };
}
