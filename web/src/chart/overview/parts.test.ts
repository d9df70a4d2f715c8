import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewBody, OverviewReply } from "@lossless/client";
import { readInParts } from "./parts.ts";

const line = (at: number): OverviewReply["series"][number] => ({
  experimentId: `e${at}`,
  seriesName: "loss",
  metadata: {},
  points: 1,
  exact: { x: [at], value: [at] },
});

/** A service of 250 lines of one point each, the n-th at step n. */
function serviceOf(asked: OverviewBody[]) {
  const all = Array.from({ length: 250 }, (_, at) => line(at));
  return async (body: OverviewBody): Promise<OverviewReply> => {
    asked.push(body);
    const { columns, partitionsFrom = 0, partitionsMax = 400 } = body;
    const series = all.slice(partitionsFrom, partitionsFrom + partitionsMax);
    assert.ok(series.length * columns <= 400_000);
    const { start = partitionsFrom, end = partitionsFrom + series.length } = body;
    const axis = { xAxis: "step", xScale: "linear" } as const;
    const counts = { partitions: all.length, points: series.length };
    return { ...axis, start, end, columns, ...counts, series };
  };
}

test("lines that one reply holds are asked for once", async () => {
  const asked: OverviewBody[] = [];
  const request: OverviewBody = { series: [], xAxis: "step", columns: 1_000, partitionsMax: 400 };
  assert.equal((await readInParts(serviceOf(asked), request)).series.length, 250);
  assert.equal(asked.length, 1);
});

test("more come in parts, all of them over the range of all", async () => {
  const asked: OverviewBody[] = [];
  const smooth = { kind: "ema", weight: 0.9 } as const;
  const request: OverviewBody = { series: [], xAxis: "step", columns: 4_000, smooth, align: true };
  const whole = await readInParts(serviceOf(asked), request);
  assert.deepEqual(
    whole.series,
    Array.from({ length: 250 }, (_, at) => line(at)),
  );
  assert.deepEqual([whole.start, whole.end, whole.points, whole.columns], [0, 250, 250, 4_000]);
  const parts = asked.filter(({ start }) => start !== undefined);
  const seen = parts.map((part) => [part.partitionsFrom, part.partitionsMax]);
  assert.deepEqual(seen, [
    [0, 100],
    [100, 100],
    [200, 50],
  ]);
  assert.ok(parts.every(({ start, end, align }) => start === 0 && end === 250 && align === false));
  assert.ok(parts.every((part) => part.smooth === smooth));
});

test("parts smoothed by x have the unit of all lines, whatever the range", async () => {
  const asked: OverviewBody[] = [];
  const smooth = { kind: "x", weight: 0.9 } as const;
  const request: OverviewBody = { series: [], xAxis: "step", columns: 4_000, smooth };
  await readInParts(serviceOf(asked), { ...request, start: 10, end: 20 });
  const parts = asked.filter(({ partitionsFrom }) => partitionsFrom !== undefined);
  // The 250 lines are at the steps from 0 to 249.
  assert.deepEqual(
    parts.map((part) => part.smooth),
    Array.from({ length: 3 }, () => ({ ...smooth, unit: 0.249 })),
  );
  assert.ok(parts.every(({ start, end }) => start === 10 && end === 20));
});
