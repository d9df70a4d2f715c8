import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { ascendingOrder } from "./ascending-order.ts";

test("numbers ascend in this order, and equal ones stay as they came", async () => {
  const numbers = fc.oneof(
    fc.array(fc.nat(9), { maxLength: 200 }),
    fc.array(fc.double({ noNaN: true }), { maxLength: 50 }),
  );
  const property = fc.asyncProperty(numbers, async (given) => {
    const order = (await ascendingOrder(Float64Array.from(given))) ?? given.keys();
    const rows = given.map((_, row) => row).toSorted((one, other) => given[one] - given[other]);
    const expected = given.some((each, at) => at > 0 && each < given[at - 1])
      ? rows
      : [...given.keys()];
    assert.deepEqual([...order], expected);
  });
  await fc.assert(property, { numRuns: 500 });
});
