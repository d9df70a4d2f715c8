import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "../../ground/random.fixture.ts";
import { addToGrid, around, type Grid, type GriddedSum, type Histogram, rangeOf } from "./grid.ts";

const seed = Number(process.env.LOSSLESS_TEST_SEED ?? 29);

test(`counts come into the bins of a grid by area, none is lost (seed ${seed})`, () => {
  const random = randomNumbers(seed);
  for (let round = 0; round < 2_000; round++) {
    const grid = { low: random(40) - 20, high: 0, bins: 1 + random(12) };
    grid.high = grid.low + 1 + random(30);
    // Quarters, so that edges often coincide, and bins without width.
    const edges = Array.from({ length: 2 + random(10) }, () => random(200) / 4 - 25);
    edges.sort((one, other) => one - other);
    const counts = edges.slice(1).map(() => random(5) * 60);
    const histogram = { edges: Float64Array.from(edges), counts: Float64Array.from(counts) };
    const sum = emptySum(grid);
    addToGrid(sum, grid, histogram);
    const expected = slowly(grid, histogram);
    const all = [sum.below, ...sum.counts, sum.above];
    for (const [at, value] of all.entries())
      assert.ok(
        Math.abs(value - expected[at]) < 1e-9,
        JSON.stringify({ round, grid, edges, counts, all, expected }),
      );
    const total = counts.reduce((one, other) => one + other, 0);
    assert.ok(Math.abs(all.reduce((one, other) => one + other, 0) - total) < 1e-9);
  }
});

/** Cuts each bin into pieces at all edges of the grid, and looks where the middle of each lies. */
function slowly({ low, high, bins }: Grid, { edges, counts }: Histogram): number[] {
  const found = Array.from({ length: bins + 2 }, () => 0);
  const gridEdges = Array.from({ length: bins + 1 }, (_, at) => low + ((high - low) * at) / bins);
  const place = (x: number) => {
    if (x === low) return 1;
    const above = gridEdges.findIndex((edge) => x <= edge);
    return above < 0 ? bins + 1 : above;
  };
  for (const [at, count] of counts.entries()) {
    const [left, right] = [edges[at], edges[at + 1]];
    const inner = gridEdges.filter((edge) => edge > left && edge < right);
    const cuts = [left, ...inner, right];
    for (let piece = 1; piece < cuts.length; piece++) {
      const share = left === right ? 1 : (cuts[piece] - cuts[piece - 1]) / (right - left);
      found[place((cuts[piece - 1] + cuts[piece]) / 2)] += count * share;
    }
  }
  return found;
}

test("a grid with the edges of a histogram has exactly its counts", () => {
  const edges = Float64Array.from({ length: 65 }, (_, at) => at / 8 - 3);
  const counts = Float64Array.from({ length: 64 }, (_, at) => at * 1_000_003);
  const grid = { low: -3, high: 5, bins: 64 };
  const sum = emptySum(grid);
  addToGrid(sum, grid, { edges, counts });
  assert.deepEqual(sum, { counts, below: 0, above: 0 });
});

test("the largest and the smallest numbers, and ranges without width, lose no count", () => {
  const most = Number.MAX_VALUE;
  const cases: number[][] = [
    [-most, 0, most],
    [most / 2, most],
    [0, 5e-324],
    [-5e-324, 0, 5e-324],
    [7, 7],
    [most, most],
    [-most, -most, -most],
    [1, 1 + 2 ** -52],
  ];
  for (const edges of cases) {
    const counts = edges.slice(1).map(() => 12);
    const histogram = { edges: Float64Array.from(edges), counts: Float64Array.from(counts) };
    const range = rangeOf([histogram])!;
    assert.ok(Number.isFinite(range.low) && Number.isFinite(range.high), String(edges));
    for (const bins of [1, 7, 64]) {
      const grid = { ...range, bins };
      const sum = emptySum(grid);
      addToGrid(sum, grid, histogram);
      const total = sum.counts.reduce((one, other) => one + other, sum.below + sum.above);
      assert.ok(Math.abs(total - 12 * counts.length) < 1e-6, `${edges.join()} ${bins}: ${total}`);
      assert.equal(sum.below + sum.above, 0, `${edges.join()} ${bins}`);
    }
  }
  assert.equal(rangeOf([]), undefined);
  assert.deepEqual(around(0), { low: -0.5, high: 0.5 });
});

function emptySum({ bins }: Grid): GriddedSum {
  return { counts: new Float64Array(bins), below: 0, above: 0 };
}
