import assert from "node:assert/strict";
import { test } from "node:test";
import { countBelow, heightsOf, lastOf, readingAt } from "./heights.ts";
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
    mean: [1, 3],
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
