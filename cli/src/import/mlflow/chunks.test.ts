import assert from "node:assert/strict";
import { test } from "node:test";
import { chunksOf } from "./chunks.ts";

test("chunks keep the order, and have neither too many items nor too many bytes", () => {
  assert.deepEqual(chunksOf([], 2), []);
  assert.deepEqual(chunksOf([1, 2, 3], 2), [[1, 2], [3]]);
  // As JSON each letter has two bytes, and there are quotes and a comma.
  const items = ["é".repeat(10), "é", "é".repeat(3), "é".repeat(40), "é"];
  const chunks = chunksOf(items, 100, 30);
  assert.deepEqual(chunks, [[items[0], items[1]], [items[2]], [items[3]], [items[4]]]);
  assert.deepEqual(chunks.flat(), items);
});
