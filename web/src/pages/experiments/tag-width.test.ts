import assert from "node:assert/strict";
import { test } from "node:test";
import { tagWidths } from "./tag-width.ts";

test("a column of tags is as wide as the row with most of them, up to a limit", () => {
  assert.equal(tagWidths([[], []]), undefined);
  assert.deepEqual(tagWidths([["a"], []]), { least: 5, width: 5 });
  const two = tagWidths([["baseline"], ["long-warmup", "needs-rerun"]])!;
  assert.ok(two.width > 13 && two.width < 15, `${two.width}`);
  const many = Array.from({ length: 9 }, (_, at) => `a tag of a run ${at}`);
  assert.deepEqual(tagWidths([many]), { least: 17.5, width: 22 });
});
