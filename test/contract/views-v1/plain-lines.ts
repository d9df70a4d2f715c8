import assert from "node:assert/strict";
import { columnOf, type OverviewBody, type OverviewReply } from "@lossless/protocol";
import type { Random } from "../../random.ts";
import type { ExperimentCaller } from "../callers.ts";

/** A point from which the expected overview is made, one by one. */

export interface RecordedPoint {
  step: number;
  timestampMs: number;
  metricValue: number;
}

export interface PlainPoint {
  x: number;
  value: number;
}

type Partition = OverviewReply["series"][number];

/** LOSSLESS_LINES_SEED repeats a run of tests that failed. */
export const seed = Number(
  process.env["LOSSLESS_LINES_SEED"] ?? Math.floor(Math.random() * 2 ** 31),
);

/** Out of order, with several points at one place; in requests, so that segments overlap. */
export async function recordRun(experiment: ExperimentCaller, size: number, random: Random) {
  const first = 1_000_000 + random.below(1_000);
  const [points, partners]: RecordedPoint[][] = [[], []];
  for (let round = 0; round < 3; round++) {
    const [own, others] = [
      randomPoints(random, size, first),
      randomPoints(random, size, first, 1_100),
    ];
    await experiment.send(
      ...own.map((point) => experiment.metric({ ...point })),
      ...others.map((point) => experiment.metric({ ...point, metricName: "tokens" })),
    );
    points.push(...own);
    partners.push(...others);
  }
  const all = [...points, ...partners].map(({ timestampMs }) => timestampMs);
  return { points, partners, firstTimestampMs: Math.min(...all) };
}

/** Points at any steps below a bound, within a second. */
export function randomPoints(
  random: Random,
  size: number,
  firstTimestampMs: number,
  steps = 900,
): RecordedPoint[] {
  return Array.from({ length: size }, () => ({
    step: random.below(steps),
    timestampMs: firstTimestampMs + random.below(1_000),
    metricValue: (random.bits() / 2 ** 32 - 0.5) * 10 ** random.below(3),
  }));
}

/** A series along an axis, and how many of its points have no place there. */
export function plainLine(
  points: readonly RecordedPoint[],
  xAxis: OverviewBody["xAxis"],
  partners: readonly RecordedPoint[],
  firstTimestampMs: number,
): { line: PlainPoint[]; unplaced: number } {
  const isTime = xAxis === "timestamp" || xAxis === "elapsed";
  const [axis, other] = isTime
    ? (["timestampMs", "step"] as const)
    : (["step", "timestampMs"] as const);
  const inOrder = (some: readonly RecordedPoint[]) =>
    some.toSorted((left, right) => left[axis] - right[axis] || left[other] - right[other]);
  const sorted = inOrder(points);
  if (xAxis === "metric") {
    const xOf = new Map(inOrder(partners).map(({ step, metricValue }) => [step, metricValue]));
    const line = sorted.flatMap(({ step, metricValue: value }) =>
      xOf.has(step) ? [{ x: xOf.get(step)!, value }] : [],
    );
    line.sort((left, right) => left.x - right.x);
    return { line, unplaced: points.length - line.length };
  }
  const origin = { step: 0, timestamp: 0, offset: sorted[0]?.step ?? 0, elapsed: firstTimestampMs };
  const line = sorted.map((point) => ({
    x: point[axis] - origin[xAxis],
    value: point.metricValue,
  }));
  return { line, unplaced: 0 };
}

/**
 * Smoothed over all of its points, by the formulas in docs/views.md. By x it is slow, as for each
 * point all before it are weighed. `all` are the points of all lines, if the unit is theirs.
 */
export function plainSmooth(
  line: readonly PlainPoint[],
  smooth: NonNullable<OverviewBody["smooth"]>,
  xScale: "linear" | "log" = "linear",
  all: readonly PlainPoint[] = line,
): PlainPoint[] {
  if (smooth.kind === "x") {
    const isPlaced = ({ x }: PlainPoint) => xScale === "linear" || x > 0;
    const placeOf = ({ x }: PlainPoint) => (xScale === "log" ? Math.log(x) : x);
    const places = all.filter(isPlaced).map(placeOf);
    const distance = Math.max(...places) - Math.min(...places);
    const unit = smooth.unit ?? (distance > 0 ? distance / 1_000 : 1);
    const placed = line.filter(isPlaced);
    const smoothed = placed.map((point, at) => {
      let [sum, total] = [0, 0];
      for (const earlier of placed.slice(0, at + 1)) {
        const weight = smooth.weight ** ((placeOf(point) - placeOf(earlier)) / unit);
        sum += weight * earlier.value;
        total += weight;
      }
      return { x: point.x, value: sum / total };
    });
    return [...line.filter((point) => !isPlaced(point)), ...smoothed];
  }
  if (smooth.kind === "ema") {
    let last = 0;
    return line.map(({ x, value }, at) => {
      last = last * smooth.weight + (1 - smooth.weight) * value;
      return { x, value: last / (1 - smooth.weight ** (at + 1)) };
    });
  }
  const reach = Math.floor(3 * smooth.points);
  return line.map(({ x }, at) => {
    let [sum, total] = [0, 0];
    for (const [row, { value }] of line.slice(Math.max(0, at - reach), at + reach + 1).entries()) {
      const away = row + Math.max(0, at - reach) - at;
      const weight = Math.exp(-((away / smooth.points) ** 2) / 2);
      sum += weight * value;
      total += weight;
    }
    return { x, value: sum / total };
  });
}

type Drawn = Pick<Partition, "before" | "after" | "exact" | "reduced">;

/** A line as it has to be drawn in the range of a reply, and the points by which it goes on. */
export function plainDrawing(line: readonly PlainPoint[], raster: OverviewReply): Drawn {
  const isPlaced = ({ x }: PlainPoint) => raster.xScale === "linear" || x > 0;
  const before = line.findLast((point) => point.x < raster.start && isPlaced(point));
  const after = line.find((point) => point.x >= raster.end && isPlaced(point));
  return { ...(before && { before }), ...(after && { after }), ...inRange(line, raster) };
}

function inRange(line: readonly PlainPoint[], raster: OverviewReply): Drawn {
  const inside = line.filter(({ x }) => x >= raster.start && x < raster.end);
  if (inside.length === 0) return {};
  if (inside.length <= 4 * raster.columns) {
    return { exact: { x: inside.map(({ x }) => x), value: inside.map(({ value }) => value) } };
  }
  const byColumn = Map.groupBy(inside, ({ x }) => columnOf(raster, x));
  const each = (number: (values: number[]) => number) =>
    [...byColumn.values()].map((column) => number(column.map(({ value }) => value)));
  return {
    reduced: {
      column: [...byColumn.keys()],
      first: each((values) => values[0]),
      last: each((values) => values.at(-1)!),
      min: each((values) => Math.min(...values)),
      max: each((values) => Math.max(...values)),
      mean: each((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    },
  };
}

/** Means are rounded, and so is what is smoothed; everything else is the same to the last bit. */
export function assertDrawn(actual: Drawn, expected: Drawn, tolerance: number): void {
  for (const side of ["before", "after"] as const) {
    assert.equal(actual[side]?.x, expected[side]?.x, side);
    assertNear(valuesOf(actual[side]), valuesOf(expected[side]), tolerance);
  }
  assert.deepEqual(actual.exact?.x, expected.exact?.x);
  assert.deepEqual(actual.reduced?.column, expected.reduced?.column);
  assertNear(actual.exact?.value, expected.exact?.value, tolerance);
  for (const name of ["first", "last", "min", "max"] as const) {
    assertNear(actual.reduced?.[name], expected.reduced?.[name], tolerance);
  }
  assertNear(actual.reduced?.mean, expected.reduced?.mean, Math.max(tolerance, 1e-12));
}

function valuesOf(point: { value: number } | undefined): number[] {
  return point === undefined ? [] : [point.value];
}

function assertNear(actual: number[] = [], expected: number[] = [], tolerance: number): void {
  assert.equal(actual.length, expected.length);
  for (const [at, value] of expected.entries()) {
    assert.ok(Math.abs(actual[at] - value) <= tolerance, `${actual[at]} is not ${value}`);
  }
}
