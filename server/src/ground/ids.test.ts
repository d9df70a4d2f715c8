import assert from "node:assert/strict";
import { test } from "node:test";
import { newId } from "./ids.ts";

test("ids are short, distinct, and sort by their time", () => {
  const times = [0, 1, 31, 32, 1_000_000, 1_800_000_000_000, 1_800_000_000_001, 2 ** 48 - 1];
  const ids = times.map(newId);
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids) assert.match(id, /^[0-9a-z]{26}$/);
  assert.equal(new Set(Array.from({ length: 10_000 }, () => newId(5))).size, 10_000);
});
