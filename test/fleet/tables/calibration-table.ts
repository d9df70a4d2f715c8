import type { Comparison, Side } from "../real/calibrate.ts";
import { count, short, table } from "./table.ts";

/** Real and simulated figures of the same load, side by side. */
export function calibrationTable(comparisons: readonly Comparison[]): string {
  const head = [
    "load",
    "nodes",
    "other work, cores",
    "points/s",
    "simulated",
    "error",
    "p50, p99 ms",
    "simulated",
    "requests a commit",
    "simulated",
    "CPU of nodes, PostgreSQL, µs a point",
    "simulated",
  ];
  return table(
    head,
    comparisons.map(({ workload, nodes, othersCores, real, simulated }) => {
      const both = (text: (side: Side) => string): string[] => [text(real), text(simulated)];
      const error = simulated.pointsPerS / real.pointsPerS - 1;
      return [
        workload,
        String(nodes),
        short(othersCores),
        count(Math.round(real.pointsPerS)),
        count(Math.round(simulated.pointsPerS)),
        `${error < 0 ? "−" : "+"}${Math.abs(Math.round(100 * error))} %`,
        ...both(({ p50Ms, p99Ms }) => `${short(p50Ms)}, ${short(p99Ms)}`),
        ...both(({ requestsPerGroup }) => short(requestsPerGroup)),
        ...both(({ nodesUs, serverUs }) => `${short(nodesUs)}, ${short(serverUs)}`),
      ];
    }),
  );
}
