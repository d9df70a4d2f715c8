import assert from "node:assert/strict";
import { test } from "node:test";
import { axisRange, countBelow, heightsOf, lastOf, readingAt } from "./heights.ts";
import type { Partition } from "./paint.ts";

const none = { experimentId: "x", seriesName: "s", metadata: {}, points: 0 };
const exact: Partition = { ...none, exact: { x: [10, 20, 40], value: [1, -3, 5] } };
const reduced: Partition = {
  ...none,
  reduced: {
    column: [0, 3],
    count: [2, 9],
    first: [1, 2],
    last: [2, 8],
    min: [0, -2],
    max: [4, 9],
  },
};

test("an axis holds all values, with a margin; a logarithmic one those above 0", () => {
  assert.deepEqual(heightsOf([exact, reduced], false), [-3.6, 9.6]);
  assert.deepEqual(heightsOf([exact], true), [1 / 1.1, 5 * 1.1]);
  assert.deepEqual(heightsOf([none], false), [0, 1]);
  const [low, high] = heightsOf([{ ...none, exact: { x: [1], value: [0] } }], false);
  assert.ok(low < 0 && high > 0);
  assert.equal(countBelow([exact, reduced]), 3);
});

/** What draws ticks steps from one end to the other, and stands still where a step is no step. */
test("an axis has room for ticks, however close or far its values are", () => {
  const axisOf = (value: number[], isLog = false) =>
    heightsOf([{ ...none, exact: { x: value.map((_, x) => x), value } }], isLog);
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
  assert.deepEqual(axisOf([5e-324, 1e308], true), [1e-300, 1e300]);
});

test("points that came as they are fill their axis; one alone stands in its middle", () => {
  const range = { xAxis: "step" as const, columns: 100, points: 0 };
  assert.deepEqual(axisRange({ ...range, start: 0, end: 5, series: [exact] }), [0, 4]);
  assert.deepEqual(axisRange({ ...range, start: 0, end: 5, series: [reduced] }), [0, 5]);
  assert.deepEqual(axisRange({ ...range, start: 7, end: 8, series: [exact] }), [6, 8]);
});

test("the cursor reads the nearest point, or the nearest column that has any", () => {
  const range = { start: 0, end: 400, columns: 4 };
  assert.deepEqual(readingAt(exact, range, 29), { x: 20, min: -3, max: -3 });
  assert.deepEqual(readingAt(exact, range, 31), { x: 40, min: 5, max: 5 });
  assert.deepEqual(readingAt(reduced, range, 120), { x: 0, min: 0, max: 4 });
  assert.deepEqual(readingAt(reduced, range, 399), { x: 300, min: -2, max: 9 });
  assert.equal(readingAt(none, range, 1), undefined);
  assert.equal(lastOf(exact)?.max, 5);
  assert.equal(lastOf(reduced)?.max, 8);
});
