import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { paintLine, type Canvas, type Scale } from "./paint-line.ts";
import type { Partition } from "../lines/line.ts";

interface Point {
  column: number;
  value: number;
}

const columns = 12;
const scale: Scale = {
  columnX: (column) => column,
  columnOf: (column) => column,
  left: 0,
  right: columns,
  x: (value) => value,
  y: (value) => 100 - value,
  bottom: 200,
};
const pen = { colour: "black", width: 1, pattern: 0, opacity: 1 };
/**
 * Points in the order of the axis: a column may have many points or none. Columns continue beyond
 * the picture.
 */
const points = fc
  .array(
    fc.record({
      column: fc.integer({ min: -9, max: columns + 9 }),
      value: fc.double({ min: -50, max: 50, noNaN: true }),
    }),
    { minLength: 1, maxLength: 80 },
  )
  .map((all) => all.toSorted((left, right) => left.column - right.column))
  .filter((all) => all.some(isInside));

test("columns are painted as the line through every point", () => {
  const property = fc.property(points, (all) => {
    assert.deepEqual(painted(reducedOf(all), scale), through(all, scale));
  });
  fc.assert(property, { numRuns: 1_000 });
});

test("a spike, or the way to the next column, missing from a column changes the plot", () => {
  const all = [
    { column: 0, value: 1 },
    { column: 0, value: 40 },
    { column: 0, value: 1 },
    { column: 1, value: 9 },
  ];
  const whole = reducedOf(all);
  assert.deepEqual(painted(whole, scale), through(all, scale));
  const flat = { ...whole, reduced: { ...whole.reduced!, max: [1, 9] } };
  assert.notDeepEqual(painted(flat, scale), through(all, scale));
  const turned = { ...whole, reduced: { ...whole.reduced!, last: [40, 9] } };
  assert.notDeepEqual(painted(turned, scale), through(all, scale));
});

test("on a logarithmic axis a column that reaches to 0 or below goes down to the edge", () => {
  const log = { ...scale, y: (value: number) => (value > 0 ? 100 - value : NaN) };
  const partition = reducedOf([
    { column: 0, value: -3 },
    { column: 0, value: 20 },
    { column: 5, value: -1 },
  ]);
  const { rectangles } = painted(partition, log);
  assert.deepEqual([...rectangles], [[0, [79.5, 200.5]]]);
});

test("few points are a line, and one alone a dot", () => {
  const line: Partition = { ...empty, exact: { x: [1, 2, 3], value: [5, 6, 7] } };
  const { calls } = painted(line, scale);
  assert.deepEqual(calls, ["move 1 95", "line 2 94", "line 3 93", "stroke"]);
  const dot: Partition = { ...empty, exact: { x: [4], value: [5] } };
  assert.deepEqual(painted(dot, scale).calls, ["move 4 95", "stroke", "dot 4 95"]);
});

test("a line through a picture without points runs from the one before to the one behind", () => {
  const before = { x: -1_000, value: 0 };
  const after = { x: 1_000, value: 100 };
  const through = painted({ ...empty, before, after }, scale).calls;
  assert.deepEqual(through, ["move -4 50.2", "line 16 49.2", "stroke"]);
  assert.deepEqual(painted({ ...empty, after }, scale).calls, ["stroke"]);
});

test("few points are joined to those outside, which stand no further away than can be seen", () => {
  const exact = { x: [5], value: [10] };
  const line = { ...empty, exact, before: { x: 3, value: 8 }, after: { x: 1_005, value: 1_010 } };
  const calls = ["move 3 92", "line 5 90", "line 16 79", "stroke"];
  assert.deepEqual(painted(line, scale).calls, calls);
});

const empty = { experimentId: "x", seriesName: "s", metadata: {}, points: 0 };

function isInside({ column }: Point): boolean {
  return column >= 0 && column < columns;
}

function reducedOf(all: Point[]): Partition {
  const placed = (point: Point | undefined) => point && { x: point.column, value: point.value };
  const before = placed(all.findLast(({ column }) => column < 0));
  const after = placed(all.find(({ column }) => column >= columns));
  const byColumn = [...Map.groupBy(all.filter(isInside), ({ column }) => column)];
  const of = (number: (values: number[]) => number) =>
    byColumn.map(([, column]) => number(column.map(({ value }) => value)));
  return {
    ...empty,
    points: all.length,
    ...(before && { before }),
    ...(after && { after }),
    reduced: {
      column: byColumn.map(([column]) => column),
      first: of((values) => values[0]),
      last: of((values) => values.at(-1)!),
      min: of((values) => Math.min(...values)),
      max: of((values) => Math.max(...values)),
      mean: of((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    },
  };
}

interface Painted {
  /** Top and bottom of each column. */
  rectangles: Map<number, [number, number]>;
  calls: string[];
}

function painted(partition: Partition, where: Scale): Painted {
  const rectangles = new Map<number, [number, number]>();
  const calls: string[] = [];
  const canvas: Canvas = {
    fillStyle: "",
    strokeStyle: "",
    lineWidth: 0,
    lineJoin: "round",
    globalAlpha: 1,
    setLineDash: () => undefined,
    fillRect: (left, top, _width, height) => void rectangles.set(left, [top, top + height]),
    beginPath: () => undefined,
    moveTo: (x, y) => void calls.push(`move ${x} ${y}`),
    lineTo: (x, y) => void calls.push(`line ${x} ${y}`),
    stroke: () => void calls.push("stroke"),
    arc: (x, y) => void calls.push(`dot ${x} ${y}`),
    fill: () => undefined,
  };
  paintLine(canvas, partition, where, pen);
  return { rectangles, calls };
}

/** The same by walking from point to point: half of the way to the next column belongs to each. */
function through(all: Point[], where: Scale): Painted {
  const rectangles = new Map<number, [number, number]>();
  const calls: string[] = [];
  const cover = (column: number, y: number): void => {
    if (column < 0 || column >= columns) return;
    const [top, bottom] = rectangles.get(column) ?? [y - 0.5, y - 0.5];
    const [low, high] = [Math.min(top, y - 0.5), Math.max(bottom - 0.5, y) + 0.5];
    rectangles.set(column, [low, low + (high - low)]);
  };
  for (const [at, { column, value }] of all.entries()) {
    cover(column, where.y(value));
    const next = all[at + 1];
    if (next === undefined || next.column === column) continue;
    if (next.column === column + 1) {
      const middle = (where.y(value) + where.y(next.value)) / 2;
      cover(column, middle);
      cover(column + 1, middle);
    } else if (next.column >= 0 && column < columns) {
      // A segment ends where it is no longer visible.
      const [from, to] = [column + 0.5, next.column + 0.5];
      const [y, nextY] = [where.y(value), where.y(next.value)];
      const [first, last] = [Math.max(from, -4), Math.min(to, columns + 4)];
      const heightAt = (x: number, own: number, start: number, end: number, other: number) =>
        x === start ? own : other + (own - other) * ((x - end) / (start - end));
      calls.push(`move ${first} ${heightAt(first, y, from, to, nextY)}`);
      calls.push(`line ${last} ${heightAt(last, nextY, to, from, y)}`, "stroke");
    }
  }
  return { rectangles, calls };
}
