import { setImmediate } from "node:timers/promises";
import type { SeriesOperator } from "@lossless/protocol";
import type { DrawnSource } from "../../points/drawn-sources.ts";
import { searchPoints, type PointSource } from "../../points/search.ts";
import { slice } from "../../points/sorted-points.ts";
import type { Points } from "../../points/tail.ts";

/** The points of one series, each combined with that of another series at its step. */
export interface CombinedPoints {
  /** In the order of steps, each once; none without points. */
  sources: DrawnSource[];
  /** Steps that only one of both has. */
  unpaired: number;
  /** Steps at which the result is not finite. */
  nonfinite: number;
}

const operations: Record<SeriesOperator, (one: number, other: number) => number> = {
  plus: (one, other) => one + other,
  minus: (one, other) => one - other,
  times: (one, other) => one * other,
  dividedBy: (one, other) => one / other,
};

/**
 * Combines the last value of each step with the other's last one there. The result was known at the
 * later one of both times.
 */
export async function combinePoints(
  sources: PointSource[],
  others: PointSource[],
  operator: SeriesOperator,
): Promise<CombinedPoints> {
  const operation = operations[operator];
  const [one, other] = [await lastOfSteps(sources), await lastOfSteps(others)];
  const points = roomFor(Math.min(one.step.length, other.step.length));
  let [paired, count, at] = [0, 0, 0];
  for (const [row, step] of one.step.entries()) {
    while (at < other.step.length && other.step[at] < step) at++;
    if (row % rowsPerTurn === 0) await setImmediate();
    if (other.step[at] !== step) continue;
    paired++;
    const value = operation(one.value[row], other.value[at]);
    if (!Number.isFinite(value)) continue;
    points.step[count] = step;
    points.timestamp[count] = Math.max(one.timestamp[row], other.timestamp[at]);
    // As of every point: -0 reads as 0.
    points.value[count] = value + 0;
    count++;
  }
  const unpaired = one.step.length + other.step.length - 2 * paired;
  const found = slice(points, 0, count);
  return { sources: sourcesOf(found), unpaired, nonfinite: paired - count };
}

const rowsPerTurn = 131_072;

function roomFor(length: number): Points {
  return {
    step: new Float64Array(length),
    timestamp: new Float64Array(length),
    value: new Float64Array(length),
  };
}

/** Returns the last point of each step, steps ascending. */
async function lastOfSteps(sources: PointSource[]): Promise<Points> {
  const points = roomFor(sources.reduce((sum, { count }) => sum + count, 0));
  let count = 0;
  for await (const block of searchPoints(sources, "step")) {
    for (const [row, step] of block.step.entries()) {
      if (count === 0 || points.step[count - 1] !== step) count++;
      points.step[count - 1] = step;
      points.timestamp[count - 1] = block.timestamp[row];
      points.value[count - 1] = block.value[row];
    }
    await setImmediate();
  }
  return slice(points, 0, count);
}

/** The points as a source: its bounds have to be of points. */
function sourcesOf(points: Points): DrawnSource[] {
  const { step, timestamp } = points;
  if (step.length === 0) return [];
  let [min, max] = [Infinity, -Infinity];
  for (const each of timestamp) {
    if (each < min) min = each;
    if (each > max) max = each;
  }
  return [
    {
      count: step.length,
      min: { step: step[0], timestamp: min },
      max: { step: step[step.length - 1], timestamp: max },
      read: async () => points,
    },
  ];
}
