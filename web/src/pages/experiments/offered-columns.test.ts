import assert from "node:assert/strict";
import { test } from "node:test";
import type { CellValue } from "./cell-text.ts";
import { offeredShown } from "./offered-columns.ts";

/** The columns shown for rows of these columns. */
function shown(columns: Record<string, readonly CellValue[]>, deciding = 99): readonly string[] {
  const fields = Object.keys(columns);
  const [column] = Object.values(columns);
  const rows = column.map((_, at) => ({ values: fields.map((field) => columns[field][at]) }));
  const keys = fields.filter((field) => field !== "tag");
  return offeredShown({ keys }, { rows, first: rows.slice(0, deciding), fields });
}

test("tags are shown when a row that is read has one, keys by the first rows", () => {
  assert.deepEqual(shown({ tag: [null, "[]"] }), []);
  assert.deepEqual(shown({ tag: [null, '["good"]'] }), ["tag"]);
  assert.deepEqual(shown({ tag: ["good", null] }), ["tag"]);
  assert.deepEqual(shown({ tag: [] }), []);
  const late = { tag: [null, null, "good"], "meta.lr": [1, 1, 2] };
  assert.deepEqual(shown(late, 2), ["tag"]);
});

test("keys are shown whose values differ, a few, what several rows share before the rest", () => {
  const all = {
    "meta.lr": [0.1, 0.2, 0.3, 0.4, 0.5, 0.6],
    "meta.epochs": [9, 9, 9, 9, 9, 9],
    "meta.alpha": [1, 2, 3, 4, 5, 6],
    "meta.data": ["a", "b", "a", "b", "a", "b"],
    "meta.out": ["r/1", "r/2", "r/3", "r/4", "r/5", "r/6"],
    "meta.prompt": ["x".repeat(50), "y", "z", "y", "z", "y"],
    "meta.rare": [1, 2, null, null, null, null],
    "meta.only": [true, null, null, null, null, null],
    "meta.augment": [true, false, true, false, true, false],
  };
  assert.deepEqual(shown(all), ["meta.lr", "meta.data", "meta.augment", "meta.alpha"]);
  const one = Object.fromEntries(Object.entries(all).map(([field, [value]]) => [field, [value]]));
  assert.deepEqual(shown(one), []);
  // The texts of a few runs may be choices, though each has another.
  assert.deepEqual(shown({ "meta.data": ["a", "b"] }), ["meta.data"]);
  const many = Array.from({ length: 9 }, (_, at) => [`meta.k${at}`, [at, at, at + 1]] as const);
  assert.equal(shown(Object.fromEntries(many)).length, 4);
});
