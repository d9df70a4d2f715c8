import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf } from "@lossless/protocol/raster";
import type { OverviewReply } from "@lossless/client";
import { axisRange, edgeOf, placeOf, valueAt } from "./axis-x.ts";
import type { Partition } from "../lines/line.ts";

const none = { experimentId: "x", seriesName: "s", metadata: {}, points: 0 };
const exact: Partition = { ...none, exact: { x: [10, 20, 40], value: [1, -3, 5] } };
const reduced: Partition = {
  ...none,
  reduced: {
    column: [0, 3],
    first: [1, 2],
    last: [2, 8],
    min: [0, -2],
    max: [4, 9],
    mean: [2, 5],
  },
};
const overviewOf = (part: Partial<OverviewReply>): OverviewReply => ({
  xAxis: "step",
  xScale: "linear",
  start: 0,
  end: 400,
  columns: 4,
  partitions: 1,
  points: 0,
  series: [],
  ...part,
});

test("points that came as they are fill their axis; one place alone stands in its middle", () => {
  const rangeOf = (part: Partial<OverviewReply>) => axisRange(overviewOf(part));
  assert.deepEqual(rangeOf({ end: 5, series: [exact] }), [0, 4]);
  assert.deepEqual(rangeOf({ end: 5, series: [reduced] }), [0, 5]);
  assert.deepEqual(rangeOf({ start: 7, end: 8, series: [exact] }), [6, 8]);
  assert.deepEqual(rangeOf({ start: 7, end: 8, series: [exact], xScale: "log" }), [3.5, 14]);
  assert.deepEqual(rangeOf({ start: 0.5, end: 2, series: [exact], xAxis: "metric" }), [0.5, 2]);
  const [low, high] = rangeOf({ start: 3, end: 3 + 1e-15, series: [exact], xAxis: "metric" });
  assert.ok(low < 2.9 && high > 3.1);
});

test("an edge of a column is where it begins, on either kind of axis", () => {
  for (const xScale of ["linear", "log"] as const) {
    const raster = { start: 3, end: 90_003, columns: 37, xScale };
    for (let column = 0; column < 37; column++) {
      const edge = edgeOf(raster, column);
      assert.equal(columnOf(raster, edge * (1 + 1e-12)), column);
      if (column > 0) assert.equal(columnOf(raster, edge * (1 - 1e-12)), column - 1);
    }
    const range = [3, 90_003] as const;
    assert.ok(Math.abs(placeOf(range, xScale, valueAt(range, xScale, 0.3)) - 0.3) < 1e-12);
  }
});
