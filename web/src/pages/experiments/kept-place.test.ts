import assert from "node:assert/strict";
import { test } from "node:test";
import { keptPlace, readKeptPlace } from "./kept-place.ts";

test("what a step remembers is read again, and anything else is nothing", () => {
  const place = { top: 340, row: 11, column: 2, isFocused: true };
  assert.deepEqual(readKeptPlace(keptPlace(place)), place);
  for (const other of [null, undefined, 3, "x", {}, { table: null }, { table: { top: "1" } }])
    assert.equal(readKeptPlace(other), undefined);
});
