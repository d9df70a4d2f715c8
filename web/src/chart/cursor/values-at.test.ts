import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { dotsAt } from "./dots.ts";
import { awayTexts, partAround, placeOfMost, valuesAt, valuesNamed } from "./values-at.ts";

const kind = { colour: 0, pattern: 0 };
const points = (value: number[]) => ({
  experimentId: "x",
  seriesName: "loss",
  metadata: {},
  points: value.length,
  exact: { x: value.map((_, at) => 100 * at), value },
});
const none = { experimentId: "x", seriesName: "loss", metadata: {}, points: 0 };
const overview: OverviewReply = {
  xAxis: "step",
  xScale: "linear",
  start: 0,
  end: 201,
  columns: 201,
  partitions: 5,
  points: 9,
  series: [
    points([1, 5, 9]),
    points([8, 2, 0]),
    none,
    { ...none, lastNonfinite: { x: 100, value: "NaN" } },
    points([3, 3, 3]),
  ],
};
const looks = ["lr=1 seed=1", "lr=1 seed=2", "empty", "broken", "lr=2 seed=1"].map((name) => ({
  kind,
  name,
}));

test("values are sorted as the lines lie at the cursor, and what is no number comes last", () => {
  const linesAt = (x: number | undefined, order: "ascending" | "descending") =>
    valuesAt(overview, looks, x, order).map(({ line }) => line);
  assert.deepEqual(linesAt(0, "descending"), [1, 4, 0, 3]);
  assert.deepEqual(linesAt(0, "ascending"), [0, 4, 1, 3]);
  assert.deepEqual(linesAt(200, "descending"), [0, 4, 1, 3]);
  // Between two points: 1 … 5 has reached 3.4, 8 … 2 has come down to 4.4.
  assert.deepEqual(linesAt(60, "descending"), [1, 0, 4, 3]);
  assert.deepEqual(linesAt(undefined, "descending"), [0, 4, 1, 3]);
});

test("lines that end before the place, or begin after it, come last, and are counted", () => {
  const at = (x: number[], value: number) => ({
    ...none,
    exact: { x, value: x.map(() => value) },
  });
  const series = [at([0, 50], 9), at([0, 200], 1), at([190, 200], 8), at([0, 40], 7)];
  const some = { ...overview, series };
  const values = valuesAt(some, looks, 120, "descending");
  assert.deepEqual(
    values.map(({ line }) => line),
    [1, 0, 2, 3],
  );
  assert.deepEqual(awayTexts(values), ["2 end before here", "1 begins later"]);
  assert.deepEqual(awayTexts(valuesAt(some, looks, 42, "descending")), ["1 begins later"]);
  assert.equal(placeOfMost(some, values, 120), "between steps 0 and 200");
  assert.deepEqual(dotsAt(some, looks, 120, 0, 8), []);
});

test("the place of a list is the one that most of its values have", () => {
  const at = (x: number | undefined) =>
    placeOfMost(overview, valuesAt(overview, looks, x, "descending"), x);
  assert.equal(at(101), "step 100");
  assert.equal(at(60), "between steps 0 and 100");
  assert.equal(at(undefined), undefined);
  assert.equal(placeOfMost(overview, [], 60.4), "step 60");
});

test("a filter finds names that contain all of its words", () => {
  const values = valuesAt(overview, looks, 0, "descending");
  const found = (filter: string) => valuesNamed(values, filter).map(({ line }) => line);
  assert.deepEqual(found("seed=1"), [4, 0]);
  assert.deepEqual(found(" SEED=1  lr=2 "), [4]);
  assert.deepEqual(found(""), [1, 4, 0, 3]);
  assert.deepEqual(found("nothing"), []);
});

test("a part of the list is around the raised line, and full at both ends", () => {
  const values = valuesAt(overview, looks, 0, "descending");
  const part = (line: number | undefined) => partAround(values, line, 3);
  assert.deepEqual(part(undefined), { from: 0, to: 3 });
  assert.deepEqual(part(1), { from: 0, to: 3 });
  assert.deepEqual(part(0), { from: 1, to: 4 });
  assert.deepEqual(part(3), { from: 1, to: 4 });
  assert.deepEqual(partAround(values, 4, 9), { from: 0, to: 4 });
});

test("dots are on what is read: of few lines all, of many the raised one", () => {
  const dots = (x: number | undefined, raised: number | undefined, linesMax: number) =>
    dotsAt(overview, looks, x, raised, linesMax).map((dot) => [dot.x, dot.value]);
  assert.deepEqual(dots(undefined, undefined, 8), []);
  assert.deepEqual(dots(101, undefined, 8), [
    [100, 5],
    [100, 2],
    [100, 3],
  ]);
  assert.deepEqual(dots(101, 1, 8), [[100, 2]]);
  assert.deepEqual(dots(101, undefined, 4), []);
  // Between two recorded places both are marked.
  assert.deepEqual(dots(60, 0, 4), [
    [0, 1],
    [100, 5],
  ]);
});
