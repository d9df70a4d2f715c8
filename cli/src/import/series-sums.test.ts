import assert from "node:assert/strict";
import { test } from "node:test";
import { SeriesSums } from "./series-sums.ts";

function sumsOf(values: readonly number[]) {
  const sums = new SeriesSums();
  values.forEach((value, place) => sums.add({ step: BigInt(place), timestampMs: 0n, value }));
  return sums.plain();
}

test("the sum is exact and rounded once", () => {
  assert.equal(sumsOf([1e300, 1, -1e300]).sum, 1);
  assert.equal(sumsOf([0.1, 0.2, 0.3]).sum, 0.6);
  assert.equal(sumsOf([5e-324, 5e-324]).sum, 1e-323);
  assert.equal(sumsOf([2 ** 53, 1]).sum, 2 ** 53);
  assert.equal(sumsOf([2 ** 53, 1, 1]).sum, 2 ** 53 + 2);
  assert.equal(sumsOf([Number.MAX_VALUE, Number.MAX_VALUE]).sum, "Infinity");
  assert.equal(sumsOf([Infinity, 1]).sum, "Infinity");
  assert.equal(sumsOf([Infinity, -Infinity]).sum, "NaN");
  assert.equal(sumsOf([-0.1, -0.2]).sum, -0.30000000000000004);
});

test("the digest is that of the Python package, in any order", () => {
  const sums = new SeriesSums();
  const points = [
    { step: 3n, timestampMs: 5n, value: 0.1 },
    { step: -2n, timestampMs: 1n, value: Number.NaN },
    { step: 3n, timestampMs: 5n, value: -0 },
  ];
  for (const point of points) sums.add(point);
  const turned = new SeriesSums();
  for (const point of points.toReversed()) turned.add(point);
  assert.deepEqual(turned.plain(), sums.plain());
  // By SeriesSums of python/src/lossless/_importing/series_sums.py.
  assert.equal(sums.plain().digest, "eb50cb034d5eaaf7e190d4b42bd2b88e");
  assert.deepEqual(sums.plain().first, { step: "-2", timestampMs: "1", value: "NaN" });
  assert.deepEqual(sums.plain().last, { step: "3", timestampMs: "5", value: 0.1 });
});
