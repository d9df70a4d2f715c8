import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf } from "@lossless/protocol/raster";
import type { OverviewReply } from "@lossless/client";
import { placeOfColumn } from "../axes/axis-x.ts";
import type { Partition } from "../lines/line.ts";
import { nearestLine, nextPlace } from "./nearest.ts";
import { lastOf, lastPointOf, levelOf, readingAt } from "./reading.ts";
import { readingText } from "./reading-text.ts";

const none = { experimentId: "x", seriesName: "s", metadata: {}, points: 0 };
const exact: Partition = { ...none, exact: { x: [10, 20, 40], value: [1, -3, 5] } };
const reduced: Partition = {
  ...none,
  reduced: {
    column: [0, 3],
    first: [1, 2],
    last: [2, 8],
    min: [0, -2],
    max: [4, 9],
    mean: [2, 5],
  },
};
const overviewOf = (part: Partial<OverviewReply>): OverviewReply => ({
  xAxis: "step",
  xScale: "linear",
  start: 0,
  end: 400,
  columns: 4,
  partitions: 1,
  points: 0,
  series: [],
  ...part,
});

test("the cursor reads the nearest point, or the nearest column that has any", () => {
  const axis = overviewOf({});
  const smoothed: Partition = {
    ...exact,
    smoothed: { exact: { x: [10, 20, 40], value: [7, 8, 9] } },
  };
  const read = (partition: Partition, x: number) => {
    const reading = readingAt(partition, axis, x);
    return reading && [reading.x, reading.min, reading.max, reading.smoothed];
  };
  assert.deepEqual(read(exact, 29), [20, -3, -3, undefined]);
  assert.deepEqual(read(smoothed, 31), [40, 5, 5, 9]);
  assert.deepEqual(read(reduced, 120), [0, 0, 4, undefined]);
  assert.deepEqual(read(reduced, 399), [300, -2, 9, undefined]);
  assert.equal(read(none, 1), undefined);
  assert.equal(lastOf(exact)?.max, 5);
  assert.equal(lastOf(reduced)?.max, 8);
});

test("of a step recorded more than once the last value is read, and the earlier ones are named", () => {
  const axis = overviewOf({});
  const repeated: Partition = {
    ...exact,
    earlier: [
      { x: [20, 40], value: [7, 8] },
      { x: [40], value: [9] },
      { x: [40], value: [3] },
    ],
  };
  const read = (x: number) => readingText(axis, readingAt(repeated, axis, x)!, undefined);
  assert.equal(read(12), "1 at step 10");
  assert.equal(read(22), "-3, earlier 7 at step 20");
  assert.equal(read(40), "5, earlier 8, 9 and 1 more at step 40");
});

test("the last value of a line is read at its place, also where it is not finite", () => {
  const axis = overviewOf({});
  const diverged: Partition = { ...exact, lastNonfinite: { x: 50, value: "NaN" } };
  assert.equal(readingText(axis, lastOf(diverged)!, undefined), "NaN");
  const read = (x: number) => readingText(axis, readingAt(diverged, axis, x)!, undefined);
  assert.equal(read(44), "5 at step 40");
  assert.equal(read(46), "NaN at step 50");
  // Along another metric it has no place, and is the last all the same.
  const exploded: Partition = { ...reduced, lastNonfinite: { value: "-Infinity" } };
  assert.equal(readingText(axis, lastOf(exploded)!, undefined), "-Infinity");
  assert.equal(readingAt(exploded, axis, 399)?.max, 9);
  // The name of a line stands where its line ends.
  assert.equal(lastPointOf(diverged)?.max, 5);
});

test("the last point of a range is not told as its last value where that may not be finite", () => {
  const unsure: Partition = { ...exact, mayEndNonfinite: true };
  assert.equal(readingText(overviewOf({}), lastOf(unsure)!, undefined), "5 (last finite value)");
  assert.equal(readingText(overviewOf({}), lastOf(exact)!, undefined), "5");
});

test("keys go from place to place, whichever line has a point there, and stop at the ends", () => {
  const overview = overviewOf({ series: [exact, { ...none, exact: { x: [15], value: [1] } }] });
  const walk = (direction: 1 | -1) => {
    const places: number[] = [];
    let x = nextPlace(overview, undefined, direction);
    while (x !== undefined) {
      places.push(x);
      x = nextPlace(overview, x, direction);
    }
    return places;
  };
  assert.deepEqual(walk(1), [10, 15, 20, 40]);
  assert.deepEqual(walk(-1), [40, 20, 15, 10]);
  assert.equal(nextPlace(overviewOf({ series: [reduced] }), 5, 1), 300);
  assert.equal(nextPlace(overview, 9.6, 1), 15);
});

test("where keys put the cursor, each column is read itself, and on whole steps at its first", () => {
  assert.equal(placeOfColumn({ ...overviewOf({}), end: 100, columns: 100 }, 7), 7);
  for (const xAxis of ["step", "metric"] as const) {
    for (const xScale of ["linear", "log"] as const) {
      for (const [start, end, columns] of [
        [1, 1_001, 100],
        [3, 90_003, 37],
        [7, 100_000, 1_013],
      ]) {
        const axis = overviewOf({ xAxis, xScale, start, end, columns });
        const filled =
          xAxis === "metric"
            ? [...Array(columns).keys()]
            : [
                ...new Set(
                  Array.from({ length: end - start }, (_, at) => columnOf(axis, start + at)),
                ),
              ];
        const line = { column: filled, first: filled, last: filled, min: filled, max: filled };
        const partition: Partition = { ...none, reduced: { ...line, mean: filled } };
        for (const column of filled) {
          const x = placeOfColumn(axis, column);
          assert.equal(readingAt(partition, axis, x)?.min, column);
          if (xAxis === "step") assert.notEqual(columnOf(axis, x - 1), column);
        }
      }
    }
  }
});

test("between two columns as near, the later one is read", () => {
  const line = [1, 3];
  const two = { column: line, first: line, last: line, min: line, max: line, mean: line };
  const read = (x: number) => readingAt({ ...none, reduced: two }, overviewOf({}), x)?.min;
  assert.deepEqual([read(-50), read(199), read(200), read(399), read(900)], [1, 1, 3, 3, 3]);
});

test("the line nearest to the pointer is meant, and none when none is near", () => {
  const overview = overviewOf({ series: [exact, { ...exact, exact: { x: [10], value: [50] } }] });
  const topOf = (value: number) => 100 - value;
  assert.equal(nearestLine(overview, { x: 10, top: 95 }, topOf), 0);
  assert.equal(nearestLine(overview, { x: 10, top: 55 }, topOf), 1);
  assert.equal(nearestLine(overview, { x: 10, top: 10 }, topOf), undefined);
});

test("a cursor between two recorded places, and near neither, reads both", () => {
  const axis = overviewOf({ columns: 400 });
  const sparse: Partition = {
    ...none,
    exact: { x: [100, 200, 201], value: [1, 3, 9] },
    smoothed: { exact: { x: [100, 200, 201], value: [2, 4, 8] } },
    before: { x: -100, value: 5 },
    after: { x: 500, value: 6 },
  };
  const read = (partition: Partition, x: number) => {
    const reading = readingAt(partition, axis, x);
    return [reading, reading?.next].map((one) => one && [one.x, one.min, one.smoothed]);
  };
  const [first, second, third] = [
    [100, 1, 2],
    [200, 3, 4],
    [201, 9, 8],
  ];
  assert.deepEqual(read(sparse, 108), [first, undefined]);
  assert.deepEqual(read(sparse, 109), [first, second]);
  assert.deepEqual(read(sparse, 191), [first, second]);
  assert.deepEqual(read(sparse, 192), [second, undefined]);
  // A step that has no other before the next one is that step.
  assert.deepEqual(read(sparse, 200.4), [second, undefined]);
  // Beyond the points in the range the line goes on to those next to it.
  assert.deepEqual(read(sparse, 50), [[-100, 5, undefined], first]);
  assert.deepEqual(read(sparse, 300), [third, [500, 6, undefined]]);
  const { before: _, after: __, ...alone } = sparse;
  assert.deepEqual(read(alone, 50), [first, undefined]);
  assert.deepEqual(read(alone, 300), [third, undefined]);
  // A line that only passes through the range is between its neighbours.
  const passing = { ...none, before: { x: -100, value: 5 }, after: { x: 500, value: 6 } };
  assert.deepEqual(read(passing, 50), [
    [-100, 5, undefined],
    [500, 6, undefined],
  ]);
  const value = [1, 3];
  const columns = { column: [100, 200], first: [0, 7], last: [4, 8], min: value, max: value };
  const dense: Partition = { ...none, reduced: { ...columns, mean: value } };
  assert.deepEqual(read(dense, 150), [
    [100, 4, undefined],
    [200, 7, undefined],
  ]);
  assert.deepEqual(read(dense, 195), [[200, 3, undefined], undefined]);
});

test("a group is between the places where any of its members has a point", () => {
  const axis = overviewOf({ columns: 400 });
  const column = Array.from({ length: 400 }, (_, at) => at);
  const line = { column, first: column, last: column, min: column, max: column, mean: column };
  const recorded = [100, 200].map((x) => ({ column: x, members: 2, x }));
  const group = { members: [], count: column, recorded, around: {} };
  const read = (x: number) => {
    const reading = readingAt({ ...none, reduced: line, group }, axis, x);
    return [reading?.x, reading?.group?.mean, reading?.next?.x, reading?.next?.group?.mean];
  };
  assert.deepEqual(read(150), [100, 100, 200, 200]);
  assert.deepEqual(read(203), [200, 200, undefined, undefined]);
  assert.deepEqual(read(300), [200, 200, undefined, undefined]);
});

test("a line that ended, or begins later, is read as one that is not there, and is never meant", () => {
  const axis = overviewOf({ columns: 400 });
  const short: Partition = { ...none, exact: { x: [100, 120], value: [1, 3] } };
  const text = (partition: Partition, x: number, raster = axis) =>
    readingText(raster, readingAt(partition, raster, x)!, undefined);
  assert.equal(text(short, 97), "first at step 100: 1");
  assert.equal(text(short, 98), "1 at step 100");
  assert.equal(text(short, 122), "3 at step 120");
  assert.equal(text(short, 123), "last at step 120: 3");
  // In a part of the axis a line goes on beyond it.
  const part = { ...short, before: { x: -9, value: 1 }, after: { x: 900, value: 3 } };
  assert.equal(text(part, 300), "3 → 3 between steps 120 and 900");
  const overview = { ...axis, series: [short, { ...none, exact: { x: [0, 399], value: [9, 9] } }] };
  const near = (x: number, top: number) => nearestLine(overview, { x, top }, (value) => -value);
  assert.deepEqual([near(123, -3), near(122, -3), near(97, -1)], [1, 0, 1]);
  // Where a column has many steps, that of the last point is not known.
  const wide = overviewOf({ end: 4_000, columns: 400 });
  const long = { ...none, reduced: { ...reduced.reduced!, column: [10, 20] } };
  assert.equal(text(long, 300, wide), "last before step 210: 8");
  assert.equal(text(long, 0, wide), "first at step 100 or later: 1");
  assert.equal(text(short, 300, { ...axis, xAxis: "elapsed" }), "last after 120 ms: 3");
  assert.equal(text(long, 300, { ...wide, xAxis: "elapsed" }), "last before 210 ms: 8");
});

test("a line whose last values are not finite is read at them, and ends after them", () => {
  const axis = overviewOf({ columns: 400 });
  const diverged: Partition = { ...exact, lastNonfinite: { x: 100, value: "NaN" } };
  const text = (x: number) => readingText(axis, readingAt(diverged, axis, x)!, undefined);
  assert.equal(text(60), "last finite at step 40: 5");
  assert.equal(text(95), "NaN at step 100");
  assert.equal(text(102), "NaN at step 100");
  assert.equal(text(103), "last at step 100: NaN");
});

test("a group ends where its last member does, and not at the edge of a part", () => {
  const axis = overviewOf({ columns: 400 });
  const line = [...Array(200).keys()];
  const places = { column: line, first: line, last: line, min: line, max: line, mean: line };
  const recorded = [100, 199].map((x) => ({ column: x, members: 2, x }));
  const group = { members: [], looks: [], lines: 2, count: line, recorded };
  const read = (around: object) =>
    readingAt({ ...none, reduced: places, group: { ...group, around } }, axis, 300)?.away;
  assert.deepEqual(read({}), { point: "last", columnEnd: undefined });
  assert.equal(read({ after: 900 }), undefined);
});

test("between two points a line is as high as it is drawn there", () => {
  const line = { ...none, exact: { x: [0, 400], value: [0, 40] } };
  const overview = overviewOf({ columns: 400, series: [line] });
  const topOf = (value: number) => 100 - value;
  const near = (x: number, top: number) => nearestLine(overview, { x, top }, topOf);
  assert.deepEqual([near(200, 80), near(200, 100), near(200, 50)], [0, 0, undefined]);
  const reading = readingAt(overview.series[0], overview, 100)!;
  assert.equal(levelOf(reading, overview, 100), 10);
});
