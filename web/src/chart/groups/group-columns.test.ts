import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf, shareOf, type Raster } from "@lossless/protocol/raster";
import fc from "fast-check";
import { groupColumns } from "./group-columns.ts";
import { bands, type Band } from "../view.ts";
import type { Line } from "../lines/line.ts";

interface Point {
  x: number;
  value: number;
}

/** The line as the service returns it: its points where they are few, else columns. */
function lineOf(points: readonly Point[], raster: Raster): Line {
  const { start, end, columns } = raster;
  const inside = points.filter(({ x }) => x >= start && x < end);
  const before = points.findLast(({ x }) => x < start);
  const after = points.find(({ x }) => x >= end);
  const around = { ...(before && { before }), ...(after && { after }) };
  if (inside.length === 0) return around;
  if (inside.length <= 4 * columns)
    return { ...around, exact: { x: inside.map(({ x }) => x), value: inside.map((p) => p.value) } };
  const byColumn = [...Map.groupBy(inside, ({ x }) => columnOf(raster, x))];
  const each = (of: (values: number[]) => number) =>
    byColumn.map(([, all]) => of(all.map(({ value }) => value)));
  return {
    ...around,
    reduced: {
      column: byColumn.map(([column]) => column),
      first: each((values) => values[0]),
      last: each((values) => values.at(-1)!),
      min: each((values) => Math.min(...values)),
      max: each((values) => Math.max(...values)),
      mean: each((values) => values.reduce((sum, value) => sum + value, 0) / values.length),
    },
  };
}

/** A member's values in a column, from all of its points. */
function plainValues(points: readonly Point[], raster: Raster, column: number): number[] {
  const { start, end, columns } = raster;
  const isInside = ({ x }: Point) => x >= start && x < end;
  const here = points.filter((point) => isInside(point) && columnOf(raster, point.x) === column);
  if (here.length > 0) return here.map(({ value }) => value);
  const isDense = points.filter(isInside).length > 4 * columns;
  const placeOf = (point: Point) =>
    isDense && isInside(point)
      ? columnOf(raster, point.x) + 0.5
      : shareOf(raster, point.x) * columns;
  const middle = column + 0.5;
  const isLeft = (point: Point) =>
    isInside(point) ? columnOf(raster, point.x) < column : point.x < start;
  const left = points.findLast((point) => isLeft(point));
  const right = points.find((point) => !isLeft(point));
  if (left === undefined || right === undefined) return [];
  const share = (middle - placeOf(left)) / (placeOf(right) - placeOf(left));
  return [left.value + share * (right.value - left.value)];
}

function plainGroup(members: readonly (readonly Point[])[], raster: Raster, band: Band) {
  return Array.from({ length: raster.columns }, (_, column) => {
    const all = members.map((points) => plainValues(points, raster, column));
    const here = all.filter(({ length }) => length > 0);
    const means = here.map(
      (values) => values.reduce((sum, value) => sum + value, 0) / values.length,
    );
    const mean = means.reduce((sum, value) => sum + value, 0) / means.length;
    const variance =
      means.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (means.length - 1);
    const deviation = means.length === 1 ? 0 : Math.sqrt(variance);
    const reach = band === "sem" ? deviation / Math.sqrt(means.length) : deviation;
    const [low, high] =
      band === "minmax"
        ? [Math.min(...here.flat()), Math.max(...here.flat())]
        : [mean - reach, mean + reach];
    return { count: here.length, mean, low, high };
  });
}

const points = fc
  .array(fc.record({ x: fc.nat(300), value: fc.double({ min: -1e3, max: 1e3, noNaN: true }) }), {
    maxLength: 120,
  })
  .map((all) => all.toSorted((one, other) => one.x - other.x));
const rasters = fc
  .record({
    start: fc.nat(250),
    width: fc.integer({ min: 1, max: 320 }),
    columns: fc.integer({ min: 1, max: 40 }),
  })
  .map(({ start, width, columns }): Raster => ({ start, end: start + width, columns }));

const near = (one: number, other: number) =>
  Math.abs(one - other) <= 1e-9 * Math.max(1, Math.abs(one), Math.abs(other));

test("a group is what a plain computation over all points of its members gives", () => {
  fc.assert(
    fc.property(
      fc.array(points, { minLength: 1, maxLength: 5 }),
      rasters,
      fc.constantFrom(...bands),
      (members, raster, band) => {
        const lines = members.map((member) => lineOf(member, raster));
        const group = groupColumns(lines, raster, band);
        const plain = plainGroup(members, raster, band);
        const filled = plain.flatMap(({ count }, column) => (count > 0 ? [column] : []));
        assert.deepEqual(group.column, filled);
        for (const [at, column] of group.column.entries()) {
          const { count, mean, low, high } = plain[column];
          assert.equal(group.count[at], count);
          assert.ok(near(group.mean[at], mean), `${group.mean[at]} ${mean}`);
          assert.ok(near(group.low[at], low), `${group.low[at]} ${low}`);
          assert.ok(near(group.high[at], high), `${group.high[at]} ${high}`);
        }
      },
    ),
    { numRuns: 500 },
  );
});

test("a band from least to largest has every point of every member, exactly", () => {
  fc.assert(
    fc.property(fc.array(points, { minLength: 1, maxLength: 5 }), rasters, (members, raster) => {
      const lines = members.map((member) => lineOf(member, raster));
      const { column, low, high } = groupColumns(lines, raster, "minmax");
      const at = new Map(column.map((each, place) => [each, place]));
      for (const { x, value } of members.flat()) {
        if (x < raster.start || x >= raster.end) continue;
        const place = at.get(columnOf(raster, x))!;
        assert.ok(low[place] <= value && value <= high[place]);
      }
    }),
  );
});

test("a zoom changes no value between points", () => {
  const sparse = points.filter((all) => new Set(all.map(({ x }) => x)).size === all.length);
  fc.assert(
    fc.property(fc.array(sparse, { minLength: 1, maxLength: 4 }), fc.nat(280), (members, start) => {
      const valueAt = (raster: Raster, x: number) => {
        const lines = members.map((member) => lineOf(member, raster));
        const { column, mean } = groupColumns(lines, raster, "minmax");
        return mean[column.indexOf(columnOf(raster, x))];
      };
      // The middle of a column that is a quarter of a step wide, in two zooms.
      const x = start + 7.375;
      const near1 = valueAt({ start, end: start + 16, columns: 64 }, x);
      const wide = valueAt({ start: 0, end: 512, columns: 2_048 }, x);
      assert.ok((near1 === undefined && wide === undefined) || near(near1, wide));
    }),
    { numRuns: 500 },
  );
});

test("no member has a value beyond its own ends, and the count says how many have one", () => {
  const raster = { start: 0, end: 10, columns: 10 };
  const one = lineOf(
    [
      { x: 1, value: 1 },
      { x: 8, value: 8 },
    ],
    raster,
  );
  const other = lineOf(
    [
      { x: 4, value: 0 },
      { x: 5, value: 0 },
    ],
    raster,
  );
  const { column, count, mean } = groupColumns([one, other], raster, "std");
  assert.deepEqual(column, [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual(count, [1, 1, 1, 2, 2, 1, 1, 1]);
  assert.equal(mean[3], 4.5 / 2);
});

test("values whose sums are beyond any double have a mean", () => {
  const raster = { start: 0, end: 1, columns: 1 };
  const huge = { exact: { x: [0, 0], value: [1.5e308, 1.7e308] } };
  const { mean } = groupColumns([huge, huge], raster, "minmax");
  assert.ok(mean[0] > 1.5e308 && mean[0] < 1.7e308);
});
