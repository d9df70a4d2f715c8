import assert from "node:assert/strict";
import { test } from "node:test";
import { nearestPlace, stepBeside } from "./steps.ts";

test("the nearest step, and of two equally near ones the lower", () => {
  const steps = [0, 10, 20, 100];
  const nearest = (wanted: number) => steps[nearestPlace(steps, wanted)];
  assert.deepEqual(
    [0, 4, 5, 6, 15, 16, 59, 60, 61, 1_000].map(nearest),
    [0, 0, 0, 10, 10, 20, 20, 20, 100, 100],
  );
  assert.equal(nearestPlace([7], 3), 0);
});

test("the step before and after, also of one that the slider does not have", () => {
  const steps = [0, 10, 20];
  assert.deepEqual(
    [0, 5, 10, 20, 30].map((step) => stepBeside(steps, step, 1)),
    [10, 10, 20, 20, 20],
  );
  assert.deepEqual(
    [0, 5, 10, 20, 30].map((step) => stepBeside(steps, step, -1)),
    [0, 0, 0, 10, 20],
  );
  // The newest one is shown.
  assert.deepEqual([stepBeside(steps, undefined, -1), stepBeside(steps, undefined, 1)], [10, 20]);
  assert.equal(stepBeside([4], undefined, -1), 4);
  assert.equal(stepBeside([], undefined, -1), undefined);
});
