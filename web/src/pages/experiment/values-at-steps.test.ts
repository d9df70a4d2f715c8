import assert from "node:assert/strict";
import { test } from "node:test";
import { bestOf, valuesAtSteps } from "./values-at-steps.ts";

test("a checkpoint has the last value at the step nearest to its own", () => {
  const line = { step: [90, 100, 100, 210, 300], value: [5, 4, 3, 2, 1] };
  const values = valuesAtSteps([0, 100, 200, 210, 999], line);
  assert.deepEqual(
    [...values],
    [
      [0, { step: 90, value: 5 }],
      [100, { step: 100, value: 3 }],
      [200, { step: 210, value: 2 }],
      [210, { step: 210, value: 2 }],
      [999, { step: 300, value: 1 }],
    ],
  );
  assert.equal(valuesAtSteps([1], { step: [], value: [] }).size, 0);
});

test("the best value is that of the metric's goal, and a metric without one has none", () => {
  assert.equal(bestOf("val/loss", [3, 1, 2]), 1);
  assert.equal(bestOf("val/accuracy", [0.3, 0.1]), 0.3);
  assert.equal(bestOf("grad_norm", [3, 1]), undefined);
  assert.equal(bestOf("val/loss", [3]), undefined);
});
