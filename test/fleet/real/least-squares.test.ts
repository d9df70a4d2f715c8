import assert from "node:assert/strict";
import { test } from "node:test";
import { pricesOf } from "./least-squares.ts";

test("prices are found again from what runs cost", () => {
  const rows = [
    [1_000, 1_000, 20_000],
    [200, 4_000, 80_000],
    [100, 400, 400_000],
    [50, 50, 500_000],
  ];
  const prices = [700, 60, 0.4];
  const measured = rows.map((row) => row.reduce((sum, amount, at) => sum + amount * prices[at], 0));
  const found = pricesOf(rows, measured);
  for (const [at, price] of prices.entries())
    assert.ok(Math.abs(found[at] / price - 1) < 0.01, `${found[at]} is not ${price}`);
});

test("a kind of work that would have to give something back is free", () => {
  // The second kind makes rows cheaper, which no work does.
  const rows = [
    [1, 0],
    [1, 1],
  ];
  const [first, second] = pricesOf(rows, [10, 8]);
  assert.equal(second, 0);
  assert.ok(first > 8 && first < 10);
});
