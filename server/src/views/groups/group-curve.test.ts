import assert from "node:assert/strict";
import { test } from "node:test";
import { memberColumns, type OverviewLine } from "@lossless/protocol/member-columns";
import type { Raster } from "@lossless/protocol/raster";
import fc from "fast-check";
import { FoldedCurve } from "./group-curve.ts";

const raster: Raster = { start: 0, end: 20, columns: 7 };
const group = { values: [], experiments: 1, members: [] };

/** Most lines have their points at the same places as the line before. */
const places = fc.oneof(
  fc.constant([0, 1, 2, 5, 6, 9, 10, 11, 19]),
  fc.constant([0, 1, 2, 4, 6, 9, 10, 11, 19]),
  fc.constant([3, 3, 3, 12]),
  fc.constant([]),
);
const line: fc.Arbitrary<OverviewLine> = fc
  .record({
    x: places,
    value: fc.array(fc.constantFrom(-0, 0, 1, 2.5, -3, 0.1, 1e308, -1e308), {
      minLength: 9,
      maxLength: 9,
    }),
    isReduced: fc.integer({ max: 5 }).map((number) => number === 0),
    around: fc.constantFrom(undefined, { before: { x: -3, value: 7 }, after: { x: 22, value: 2 } }),
  })
  .map(({ x, value, isReduced, around }) => {
    if (!isReduced) return { exact: { x, value: value.slice(0, x.length) }, ...around };
    const each = value.slice(0, 3);
    const reduced = { column: [0, 2, 5], first: each, last: each, min: each, max: each };
    return { reduced: { ...reduced, mean: each }, ...around };
  });

test("a group of many members is to the last bit that of one member after the other", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 200 }), (lines) => {
      const folded = new FoldedCurve(raster);
      for (const each of lines) folded.add(each);
      const { column, count, mean, min, max, deviation, recorded } = folded.reply(group);
      const members = lines.map((each) => memberColumns(each, raster));
      const found = plain(members);
      assert.deepEqual({ column, count, mean, min, max, deviation, recorded }, found);
      // A reply changes nothing.
      assert.deepEqual(folded.reply(group).recorded, recorded);
    }),
  );
});

test("members folded in two places are those folded in one", () => {
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), fc.array(line, { maxLength: 60 }), (...all) => {
      const [here, there, together] = [0, 1, 2].map(() => new FoldedCurve(raster));
      for (const each of all[0]) here.add(each);
      for (const each of all[1]) there.add(each);
      for (const each of all.flat()) together.add(each);
      here.addColumns(there.columns());
      const { mean, deviation, ...exact } = here.reply(group);
      const { mean: meanOfAll, deviation: deviationOfAll, ...exactOfAll } = together.reply(group);
      assert.deepEqual(exact, exactOfAll);
      assertNear(mean, meanOfAll, exact.max, exact.min);
      assertNear(deviation, deviationOfAll, exact.max, exact.min);
    }),
  );
});

/** Equal but for the rounding of numbers as large as the largest of a column. */
function assertNear(found: number[], expected: number[], max: number[], min: number[]): void {
  for (const [at, each] of found.entries()) {
    const largest = Math.max(Math.abs(max[at]), Math.abs(min[at]));
    // Squares of what is larger than this overflow; then both say the largest number.
    const isClose = Math.abs(each / 4 - expected[at] / 4) <= 1e-10 * largest;
    assert.ok(isClose || largest > 1e150, `${each} instead of ${expected[at]}`);
  }
}

function plain(members: readonly ReturnType<typeof memberColumns>[]) {
  const columns = Array.from({ length: raster.columns }, (_, at) => at).map((column) => {
    const here = members.filter(({ value }) => !Number.isNaN(value[column]));
    const own = here.filter((each) => each.recorded[column] === 1);
    const places = new Set(own.map(({ place }) => place[column]));
    const [x] = places.size === 1 ? places : [NaN];
    let [mean, squares] = [0, 0];
    for (const [at, { value }] of here.entries()) {
      const each = value[column];
      const before = mean;
      const away = each - before;
      mean = Number.isFinite(away)
        ? before + away / (at + 1)
        : before + (each / (at + 1) - before / (at + 1));
      squares += away * (each - mean);
    }
    const count = here.length;
    const spread = Math.min(Number.MAX_VALUE, Math.sqrt(squares / (count - 1)));
    return {
      column,
      count,
      mean,
      min: here.reduce((least, { min }) => (min[column] < least ? min[column] : least), Infinity),
      max: here.reduce((most, { max }) => (max[column] > most ? max[column] : most), -Infinity),
      deviation: count === 1 ? 0 : spread,
      recorded: own.length,
      x: Number.isNaN(x) ? null : x,
    };
  });
  const filled = columns.filter(({ count }) => count > 0);
  const recorded = columns.filter(({ recorded: members }) => members > 0);
  return {
    column: filled.map(({ column }) => column),
    count: filled.map(({ count }) => count),
    mean: filled.map(({ mean }) => mean),
    min: filled.map(({ min }) => min),
    max: filled.map(({ max }) => max),
    deviation: filled.map(({ deviation }) => deviation),
    recorded: {
      column: recorded.map(({ column }) => column),
      members: recorded.map(({ recorded: members }) => members),
      x: recorded.map(({ x }) => x),
    },
  };
}
