import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { columnOf, type Raster } from "@lossless/protocol/raster";
import { sortPoints, slice } from "../points/sorted-points.ts";
import type { Points } from "../points/tail.ts";
import { Reduction } from "./reduction.ts";

const raster = fc
  .record({
    start: fc.nat(200),
    width: fc.integer({ min: 1, max: 300 }),
    columns: fc.integer({ min: 1, max: 12 }),
  })
  .map(({ start, width, columns }): Raster => ({ start, end: start + width, columns }));
const point = fc.record({
  step: fc.nat(600),
  timestamp: fc.nat(600),
  value: fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }),
});
const axis = fc.constantFrom("step" as const, "timestamp" as const);

test("columns are what all points of the range are, however blocks are cut", () => {
  const property = fc.property(
    raster,
    axis,
    fc.array(point, { maxLength: 120 }),
    fc.array(fc.nat(120), { maxLength: 4 }),
    (wanted, along, points, cuts) => {
      const sorted = sortPoints(columnsOf(points), along);
      const reduction = new Reduction(wanted, along);
      for (const block of blocksOf(sorted, cuts)) reduction.add(block);
      assert.deepEqual(reduction.reply(), expected(wanted, along, sorted));
    },
  );
  fc.assert(property, { numRuns: 2_000 });
});

test("every point of the range has one column, the first one in the first", () => {
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

function columnsOf(points: { step: number; timestamp: number; value: number }[]): Points {
  return {
    step: Float64Array.from(points, ({ step }) => step),
    timestamp: Float64Array.from(points, ({ timestamp }) => timestamp),
    value: Float64Array.from(points, ({ value }) => value),
  };
}

function* blocksOf(points: Points, cuts: number[]): Generator<Points> {
  const edges = [0, ...cuts, points.step.length].map((cut) => Math.min(cut, points.step.length));
  edges.sort((left, right) => left - right);
  for (let at = 1; at < edges.length; at++) yield slice(points, edges[at - 1], edges[at]);
}

/** The same, by looking at each column's points one by one. */
function expected(wanted: Raster, along: "step" | "timestamp", points: Points): unknown {
  const inside = Array.from(points[along], (x, at) => ({ x, value: points.value[at] })).filter(
    ({ x }) => x >= wanted.start && x < wanted.end,
  );
  const bounds = (better: (one: number, other: number) => boolean) =>
    inside.reduce((best, each) => (better(each.value, best.value) ? each : best));
  if (inside.length === 0) return { points: 0 };
  const reply = {
    points: inside.length,
    min: bounds((one, other) => one < other),
    max: bounds((one, other) => one > other),
  };
  if (inside.length <= 4 * wanted.columns) {
    const exact = { x: inside.map(({ x }) => x), value: inside.map(({ value }) => value) };
    return { ...reply, exact };
  }
  const reduced = {
    column: [] as number[],
    count: [] as number[],
    first: [] as number[],
    last: [] as number[],
    min: [] as number[],
    max: [] as number[],
  };
  for (let column = 0; column < wanted.columns; column++) {
    const values = inside.filter(({ x }) => columnOf(wanted, x) === column).map((one) => one.value);
    if (values.length === 0) continue;
    reduced.column.push(column);
    reduced.count.push(values.length);
    reduced.first.push(values[0]);
    reduced.last.push(values.at(-1)!);
    reduced.min.push(Math.min(...values));
    reduced.max.push(Math.max(...values));
  }
  return { ...reply, reduced };
}
