import assert from "node:assert/strict";
import { test } from "node:test";
import {
  axisOfMaps,
  binText,
  cellsOfMap,
  columnAt,
  columnEdges,
  type HistogramColumn,
  largestShare,
} from "./histogram-columns.ts";
import { shadeCount, shadeOf, shadePaths } from "../plots/shades.ts";

const column = (step: number, counts: number[], more: Partial<HistogramColumn> = {}) => ({
  step,
  lastStep: step,
  items: 1,
  counts,
  below: 0,
  above: 0,
  nonfinite: 0,
  ...more,
});

test("a column reaches to the middle between it and its neighbours", () => {
  const columns = [column(0, []), column(10, []), column(30, [], { lastStep: 40 })];
  assert.deepEqual(columnEdges(columns), [-5, 5, 20, 50]);
  assert.deepEqual(columnEdges([column(7, [])]), [6.5, 7.5]);
  assert.deepEqual(columnEdges([]), []);
  assert.deepEqual(
    [-9, 4, 6, 19, 21, 99].map((step) => columnAt(columns, step)),
    [0, 0, 1, 1, 2, 2],
  );
  assert.equal(columnAt([], 1), undefined);
  assert.deepEqual(axisOfMaps([{ columns }, { columns: [column(100, [])] }]), {
    start: -5,
    end: 100.5,
  });
});

test("a cell's colour is its share of its column, whatever the number of values", () => {
  const columns = [column(0, [1, 3]), column(10, [500, 500]), column(20, [0, 0], { above: 4 })];
  const largest = largestShare([{ columns }]);
  assert.equal(largest, 0.75);
  const room = { left: 100, top: 10, width: 300, height: 40 };
  const cells = [...cellsOfMap({ columns }, 2, { start: -5, end: 25 }, largest, room)];
  assert.deepEqual(
    cells.map(({ left, top, width, height }) => [left, top, width, height]),
    [
      [100, 30, 100, 20],
      [100, 10, 100, 20],
      [200, 30, 100, 20],
      [200, 10, 100, 20],
      [300, 30, 100, 20],
      [300, 10, 100, 20],
    ],
  );
  assert.deepEqual(
    cells.map(({ share }) => Math.round(share * 100)),
    [33, 100, 67, 67, 0, 0],
  );
});

test("a zoom cuts columns at its ends", () => {
  const columns = [column(0, [1]), column(10, [1]), column(20, [1])];
  const room = { left: 0, top: 0, width: 100, height: 10 };
  const cells = [...cellsOfMap({ columns }, 1, { start: 8, end: 12 }, 1, room)];
  assert.deepEqual(
    cells.map(({ left, width }) => [left, width]),
    [[0, 100]],
  );
});

test("a count of one in a million is seen, and none is not", () => {
  assert.deepEqual([0, NaN, 1e-9, 0.25, 1, 2].map(shadeOf), [0, 0, 1, 8, 16, 16]);
  const cell = { left: 0, top: 0, width: 2, height: 3 };
  const paths = shadePaths([
    { ...cell, share: 1 },
    { ...cell, share: 0 },
    { ...cell, left: 5, share: 1 },
    { ...cell, share: 1e-6 },
  ]);
  const drawn = (left: number) => `M${left} 0h2v3h-2z`;
  assert.deepEqual(paths, [
    { shade: 1, path: drawn(0) },
    { shade: shadeCount, path: drawn(0) + drawn(5) },
  ]);
});

test("a bin is described with its edges, count and share", () => {
  const grid = { low: -1, high: 1, bins: 4 };
  assert.equal(
    binText(grid, column(1_000, [1, 2, 1, 0]), 1),
    "step 1,000: 2 of 4 values (50 %) from -0.5 to 0",
  );
  assert.equal(
    binText(grid, column(0, [0, 0.5, 0, 0], { lastStep: 9, items: 10, nonfinite: 3 }), 1),
    "steps 0 to 9, 10 histograms: 0.5 of 0.5 values (100 %) from -0.5 to 0, 3 not finite",
  );
  assert.equal(binText(grid, column(5, [0, 0, 0, 0]), 0), "step 5: 0 of 0 values from -1 to -0.5");
  // Counts that a grid has divided do not add up exactly.
  const parts = column(6, [0.3, 0.6, 0.1, 0]);
  assert.match(binText(grid, parts, 0), /^step 6: 0.3 of 1 values/);
});
