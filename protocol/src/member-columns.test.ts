import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { memberColumns, type OverviewLine, roomFor } from "./member-columns.ts";
import { columnOf, type Raster } from "./raster.ts";

const raster: Raster = { start: 0, end: 20, columns: 7 };
const values = fc.array(fc.constantFrom(-0, 0, 1, 2.5, -3, 1e308), {
  minLength: 40,
  maxLength: 40,
});
const places = fc.oneof(
  fc.constant(Array.from({ length: 20 }, (_, at) => at)),
  fc.array(fc.integer({ min: 0, max: 19 }), { maxLength: 40 }),
);

/** A line of points, or of columns, with what is next to the range. */
const line: fc.Arbitrary<OverviewLine> = fc
  .record({ x: places, value: values, isReduced: fc.boolean(), isAround: fc.boolean() })
  .map(({ x, value, isReduced, isAround }) => {
    const sorted = x.toSorted((one, other) => one - other);
    const own = value.slice(0, sorted.length);
    const around = isAround ? { before: { x: -3, value: 7 }, after: { x: 22, value: -7 } } : {};
    if (!isReduced) return { exact: { x: sorted, value: own }, ...around };
    const column = [...new Set(sorted.map((each) => columnOf(raster, each)))];
    const each = column.map((at) => value[at]);
    const reduced = { column, first: each, last: each, min: each, max: each, mean: each };
    return { reduced, ...around };
  });

test("a line has the same columns in memory of its own and in that of the lines before", () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 6 }), (lines) => {
      const room = roomFor(raster);
      for (const each of lines) {
        const shared = memberColumns(each, raster, room);
        const alone = memberColumns(each, raster);
        assert.deepEqual([...shared.value], [...alone.value]);
        assert.deepEqual([...shared.recorded], [...alone.recorded]);
        for (let column = 0; column < raster.columns; column++) {
          if (Number.isNaN(alone.value[column])) continue;
          assert.equal(shared.min[column], alone.min[column]);
          assert.equal(shared.max[column], alone.max[column]);
          if (alone.recorded[column] === 1)
            assert.ok(Object.is(shared.place[column], alone.place[column]));
        }
      }
    }),
  );
});

test("points of a column make its mean, least and largest, also where their sum overflows", () => {
  const x = [0, 1, 2, 3, 10, 10];
  const value = [1e308, 1e308, 1e308, -0, 4, 6];
  const { value: mean, min, max, place, recorded } = memberColumns({ exact: { x, value } }, raster);
  assert.deepEqual([...recorded], [1, 1, 0, 1, 0, 0, 0]);
  assert.deepEqual([mean[0], min[0], max[0]], [1e308, 1e308, 1e308]);
  assert.ok(Object.is(mean[1], -0));
  assert.deepEqual([mean[3], min[3], max[3], place[3]], [5, 4, 6, 10]);
  assert.equal(place[0], NaN);
  assert.ok(mean[2] > 0 && mean[2] < 4, "between its points a line is straight");
  assert.equal(mean[4], NaN, "behind its last point it has no value");
});
