import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText, foundRows, mediaOf, nextOrder } from "./table-rows.ts";

const nan = { _number: "NaN" };
const rows = [
  [3, "b"],
  [null, "a"],
  [nan, "c"],
  [-1, "B2"],
  ["x", "B10"],
  [{ _number: "Infinity" }, ""],
];

test("rows are found by a text in any cell, and stay in order", () => {
  const found = (search: string) => foundRows(rows, search, undefined).map((row) => row[1]);
  assert.deepEqual(found(""), ["b", "a", "c", "B2", "B10", ""]);
  assert.deepEqual(found(" b "), ["b", "B2", "B10"]);
  assert.deepEqual(found("infin"), [""]);
});

test("a column orders numbers before texts, and rows without a value last", () => {
  const first = (column: number, isDescending: boolean) =>
    foundRows(rows, "", { column, isDescending }).map((row) => cellText(row[0]));
  assert.deepEqual(first(0, false), ["-1", "3", "Infinity", "x", "", "NaN"]);
  assert.deepEqual(first(0, true), ["x", "Infinity", "3", "-1", "", "NaN"]);
  assert.deepEqual(
    foundRows(rows, "b", { column: 1, isDescending: false }).map((row) => row[1]),
    ["b", "B2", "B10"],
  );
});

test("a head is clicked for up, down, and the order of the log", () => {
  const up = nextOrder(undefined, 1);
  assert.deepEqual(up, { column: 1, isDescending: false });
  const down = nextOrder(up, 1);
  assert.deepEqual(down, { column: 1, isDescending: true });
  assert.equal(nextOrder(down, 1), undefined);
  assert.deepEqual(nextOrder(down, 0), { column: 0, isDescending: false });
});

test("cells say what was logged", () => {
  assert.deepEqual([1.5, "a", null, true, [1], { a: 1 }, nan].map(cellText), [
    "1.5",
    "a",
    "",
    "true",
    "[1]",
    '{"a":1}',
    "NaN",
  ]);
  const picture = { _media: { kind: "image", path: "media/x.png", caption: "a cat" } };
  assert.equal(cellText(picture), "a cat");
  assert.deepEqual(mediaOf(picture), { kind: "image", path: "media/x.png", caption: "a cat" });
  assert.equal(mediaOf({ _media: { kind: "image", path: null } }), undefined);
});
