import assert from "node:assert/strict";
import { test } from "node:test";
import { evenTicksOf, extremeTicksOf, powerTicks, symlogTicks } from "./ticks.ts";

test("a narrow part of a bent axis has even ticks, a wide one those of powers of ten", () => {
  assert.deepEqual(evenTicksOf(3.1, 4.3), [3.5, 4]);
  assert.deepEqual(evenTicksOf(3.5725, 3.5896), [3.575, 3.58, 3.585]);
  assert.deepEqual(evenTicksOf(-20, -10), [-20, -18, -16, -14, -12, -10]);
  assert.deepEqual(evenTicksOf(1e-9, 2e-9), [1e-9, 1.2e-9, 1.4e-9, 1.6e-9, 1.8e-9, 2e-9]);
  for (const [low, high] of [
    [1, 4],
    [-1, 1],
    [0, 1],
    [5, 5],
    [1e-320, 1.5e-320],
  ]) {
    assert.equal(evenTicksOf(low, high), undefined, `${low} to ${high}`);
  }
});

test("an axis that is too long or too short for uPlot has ticks, too", () => {
  assert.deepEqual(extremeTicksOf(-1.1e300, 1.1e300), [-1e300, -5e299, 0, 5e299, 1e300]);
  assert.deepEqual(extremeTicksOf(0, 2e-299), [0, 5e-300, 1e-299, 1.5e-299, 2e-299]);
  assert.equal(extremeTicksOf(-1e9, 1e9), undefined);
});

test("ticks of a logarithmic axis are round wherever it begins", () => {
  assert.deepEqual(powerTicks(909.09, 4_000), [1_000, 2_000, 3_000, 4_000]);
  assert.deepEqual(powerTicks(0.07, 0.31), [0.07, 0.08, 0.09, 0.1, 0.2, 0.3]);
  assert.equal(powerTicks(1e-300, 1e300).length, 5_401);
});

test("ticks of a symmetric logarithmic axis stand apart, and are straight within the threshold", () => {
  assert.deepEqual(symlogTicks(-20, 20, 0.01, 400), [-10, -1, -0.1, -0.01, 0, 0.01, 0.1, 1, 10]);
  assert.deepEqual(symlogTicks(-20, 20, 0.01, 100), [-1, 0, 1]);
  assert.deepEqual(symlogTicks(-0.001, 0.001, 0.01, 200), [-0.001, -0.0005, 0, 0.0005, 0.001]);
  assert.deepEqual(symlogTicks(0.2, 3, 0.01, 250), [0.2, 0.5, 1, 2]);
  assert.deepEqual(symlogTicks(0.2, 0.45, 0.01, 250), [0.2, 0.25, 0.3, 0.35, 0.4, 0.45]);
  assert.equal(symlogTicks(-1e307, 1e307, 1e300, 200)?.length, 7);
});

test("an axis of which the numbers are hardly apart has ticks, too", () => {
  for (const [low, high] of [
    [123_456_789, 123_457_689 - 899.99],
    [1, 1 + 1e-12],
    [2 ** 53 - 3, 2 ** 53],
    [1, 1 + 2 ** -52],
  ]) {
    const ticks = extremeTicksOf(low, high)!;
    assert.ok(ticks.length > 1 && ticks.length < 20, String(ticks));
    assert.ok(ticks.every((tick) => tick >= low && tick <= high));
    assert.equal(new Set(ticks).size, ticks.length);
  }
});
