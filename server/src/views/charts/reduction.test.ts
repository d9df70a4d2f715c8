import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { columnOf, type Raster } from "@lossless/protocol/raster";
import type { Curve } from "./line.ts";
import { Reduction } from "./reduction.ts";

const linear = fc
  .record({
    start: fc.integer({ min: -200, max: 200 }),
    width: fc.integer({ min: 1, max: 300 }),
    columns: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ start, width, columns }): Raster => ({ start, end: start + width, columns }));
const logarithmic = linear.map((raster): Raster => ({
  ...raster,
  start: Math.abs(raster.start) + 1,
  end: Math.abs(raster.start) + 1 + (raster.end - raster.start),
  xScale: "log",
}));
const raster = fc.oneof(linear, logarithmic);
/** JSON knows no -0. */
const value = fc.double({ noNaN: true, noDefaultInfinity: true }).map((each) => each + 0);
const point = fc
  .tuple(fc.integer({ min: -300, max: 600 }), value)
  .map(([x, each]): Point => ({ x, value: each }));

test("columns are what all points of the range are, however blocks are cut", () => {
  const property = fc.property(
    raster,
    fc.array(point, { maxLength: 120 }),
    fc.array(fc.nat(120), { maxLength: 4 }),
    (wanted, points, cuts) => {
      points.sort((left, right) => left.x - right.x);
      const placed = {
        x: Float64Array.from(points, ({ x }) => x),
        value: Float64Array.from(points, (one) => one.value),
      };
      const reduction = new Reduction(wanted);
      for (const block of blocksOf(placed, cuts)) reduction.add(block);
      const { reduced, exact } = reduction.drawn();
      const inside = points.filter(({ x }) => x >= wanted.start && x < wanted.end);
      assert.deepEqual(reduction.bounds(), expectedBounds(inside));
      if (inside.length === 0) return assert.deepEqual({ reduced, exact }, emptyDrawing);
      if (inside.length <= 4 * wanted.columns) {
        const own = { x: inside.map(({ x }) => x), value: inside.map((one) => one.value) };
        return assert.deepEqual({ reduced, exact }, { reduced: undefined, exact: own });
      }
      const { mean, ...columns } = reduced!;
      const groups = [...Map.groupBy(inside, ({ x }) => columnOf(wanted, x)).entries()];
      assert.deepEqual(columns, expectedColumns(groups));
      for (const [at, [, group]] of groups.entries()) {
        const size = Math.max(...group.map((one) => Math.abs(one.value)));
        const wantedMean = group.reduce((sum, one) => sum + one.value / group.length, 0);
        assert.ok(
          Math.abs(mean[at] - wantedMean) <= size * 1e-12 + 1e-320,
          `${mean[at]} ${wantedMean}`,
        );
        assert.ok(mean[at] >= columns.min[at] && mean[at] <= columns.max[at]);
      }
    },
  );
  fc.assert(property, { numRuns: 3_000 });
});

test("columns with several points at one x are told, also across blocks", () => {
  const reduction = new Reduction({ start: 0, end: 40, columns: 4 }, true);
  const x = Float64Array.from([...Array(40).keys(), 3, 25].sort((one, other) => one - other));
  const value = x.map(() => 1);
  for (const [start, end] of [
    [0, 4],
    [4, 30],
    [30, 42],
  ])
    reduction.add({ x: x.subarray(start, end), value: value.subarray(start, end) });
  assert.equal(reduction.isExact, false);
  assert.deepEqual(reduction.repeated(), [0, 2]);
});

test("every place of a range has one column, the first one in the first", () => {
  const property = fc.property(raster, (wanted) => {
    let before = 0;
    for (let x = wanted.start; x < wanted.end; x++) {
      const column = columnOf(wanted, x);
      assert.ok(column >= before && column < wanted.columns);
      before = column;
    }
    assert.equal(columnOf(wanted, wanted.start), 0);
  });
  fc.assert(property, { numRuns: 500 });
});

test("ranges as wide as doubles reach have columns, too", () => {
  const whole = { start: -Number.MAX_VALUE, end: Number.MAX_VALUE, columns: 4 };
  assert.deepEqual(
    [-1.7e308, -5e307, 5e307, 1.7e308].map((x) => columnOf(whole, x)),
    [0, 1, 2, 3],
  );
  const decades = { start: 5e-324, end: 1e308, columns: 631, xScale: "log" } as const;
  assert.deepEqual(
    [5e-324, 1, 9e307].map((x) => columnOf(decades, x)),
    [0, 323, 630],
  );
});

const emptyDrawing = { reduced: undefined, exact: undefined };

function* blocksOf({ x, value: values }: Curve, cuts: number[]): Generator<Curve> {
  const edges = [0, ...cuts, x.length].map((cut) => Math.min(cut, x.length));
  edges.sort((left, right) => left - right);
  for (let at = 1; at < edges.length; at++) {
    const [start, end] = [edges[at - 1], edges[at]];
    yield { x: x.subarray(start, end), value: values.subarray(start, end) };
  }
}

interface Point {
  x: number;
  value: number;
}

function expectedBounds(inside: Point[]): object {
  if (inside.length === 0) return { points: 0 };
  const best = (better: (one: number, other: number) => boolean) =>
    inside.reduce((found, each) => (better(each.value, found.value) ? each : found));
  return {
    points: inside.length,
    min: best((one, other) => one < other),
    max: best((one, other) => one > other),
  };
}

/** By looking at each column's points one by one. */
function expectedColumns(groups: [column: number, points: Point[]][]): object {
  const each = (number: (values: number[]) => number) =>
    groups.map(([, points]) => number(points.map((one) => one.value)));
  return {
    column: groups.map(([column]) => column),
    first: each((values) => values[0]),
    last: each((values) => values.at(-1)!),
    min: each((values) => Math.min(...values)),
    max: each((values) => Math.max(...values)),
  };
}
