import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { countBelow, countOutside, heightsOf } from "./axis-y.ts";
import type { Partition } from "../lines/line.ts";
import type { YScale } from "../view.ts";

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

const replyOf = (series: Partition[]): OverviewReply => ({
  xAxis: "step",
  xScale: "linear",
  start: 0,
  end: 41,
  columns: 4,
  partitions: series.length,
  points: 0,
  series,
});
const boundsOf = (series: Partition[], y: YScale, heights?: "robust") => {
  const { low, high } = heightsOf(replyOf(series), { y, heights });
  return [low, high];
};

test("an axis holds all values, with a margin; a logarithmic one those above 0", () => {
  assert.deepEqual(boundsOf([exact, reduced], "linear"), [-3.6, 9.6]);
  assert.deepEqual(boundsOf([exact], "log"), [1 / 1.1, 5 * 1.1]);
  assert.deepEqual(boundsOf([none], "linear"), [0, 1]);
  const [low, high] = boundsOf([{ ...none, exact: { x: [1], value: [0] } }], "linear");
  assert.ok(low < 0 && high > 0);
  assert.equal(countBelow([exact, reduced]), 3);
});

/**
 * The code that draws ticks adds steps from one end to the other, and hangs where adding a step
 * changes nothing.
 */
test("an axis has room for ticks, however close or far its values are", () => {
  const axisOf = (value: number[], y: YScale = "linear") =>
    boundsOf([{ ...none, exact: { x: value.map((_, x) => x), value } }], y);
  for (const close of [
    [0.001, 0.0010000000000000002],
    [1, 1.0000000000000002],
    [-1e9, -1e9 + 1e-7],
  ]) {
    const [low, high] = axisOf(close);
    assert.ok(low + (high - low) / 100 > low && high - low > Math.abs(low) * 1e-13, String(close));
  }
  const [low, high] = axisOf([-1e308, 1e308]);
  assert.ok(Number.isFinite(high - low));
  assert.deepEqual(axisOf([5e-324, 1e308], "log"), [1e-300, 1e300]);
});

test("where a line comes in and goes out, it does so within the axis", () => {
  const passing = { ...none, before: { x: -10, value: 0 }, after: { x: 90, value: 1_000 } };
  assert.deepEqual(boundsOf([passing], "linear"), [80, 520]);
  // The line leaves between a point in the range and one far away, after a fifth of the way.
  const level = { x: [0, 30], value: [5, 5] };
  const leaving = { ...none, exact: level, after: { x: 80, value: 105 } };
  assert.deepEqual(boundsOf([leaving], "linear"), [4, 26]);
  const log = { ...none, before: { x: -40, value: 1e-3 }, after: { x: 120, value: 10 } };
  const [low, high] = boundsOf([log], "log");
  assert.ok(
    Math.abs(low * 1.1 - 1e-2) < 1e-9 && Math.abs(high / 1.1 - 0.1) < 1e-9,
    `${low} ${high}`,
  );
  // Columns extend half of the way to the next one.
  const columns = { ...reduced, before: { x: -1, value: 21 } };
  assert.deepEqual(boundsOf([columns], "linear"), [-2 - 0.65, 11 + 0.65]);
});

test("a symmetric logarithmic axis has 0, both signs, and a threshold below the largest", () => {
  const { low, high, threshold } = heightsOf(replyOf([exact]), { y: "symlog", heights: undefined });
  assert.ok(
    low < -3 && high > 5 && threshold > 0.0005 && threshold < 0.05,
    `${low} ${high} ${threshold}`,
  );
  assert.equal(heightsOf(replyOf([none]), { y: "symlog", heights: undefined }).threshold, 1);
});

test("a robust axis leaves out what few columns reach, and counts them", () => {
  const value = Array.from({ length: 400 }, (_, at) => (at === 200 ? 1e6 : Math.sin(at)));
  const spiky = [{ ...none, exact: { x: value.map((_, x) => x), value } }];
  const [low, high] = boundsOf(spiky, "linear", "robust");
  assert.ok(low > -1.2 && high < 1.2, `${low} ${high}`);
  assert.equal(countOutside(spiky, { low, high }), 1);
  assert.ok(boundsOf(spiky, "linear")[1] > 1e6);
});

test("an axis that somebody chose is that one, where it can be", () => {
  const heights = { start: -1, end: 7 };
  const { low, high } = heightsOf(replyOf([exact]), { y: "linear", heights });
  assert.deepEqual([low, high], [-1, 7]);
  assert.ok(heightsOf(replyOf([exact]), { y: "log", heights }).low > 0);
});
