import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { movedColumn, readWidths, widthsOf, widthsText } from "./column-widths.ts";

suite("widths and places of columns", () => {
  test("an address has the widths that a person gave", () => {
    assert.deepEqual(readWidths("20,,9.5"), [20, undefined, 9.5]);
    assert.equal(widthsText([20, undefined, 9.5, undefined]), "20,,9.5");
    assert.equal(widthsText([undefined, undefined]), undefined);
    assert.deepEqual(readWidths("1e9,x,-4,0.25"), [60, undefined, 3, 3]);
    assert.deepEqual(readWidths(undefined), []);
  });

  test("widths stay with their columns", () => {
    const before = ["a", "b", "c"];
    assert.deepEqual(widthsOf(["c", "d", "a"], before, [9, 1, 2, 3]), [9, 3, undefined, 1]);
  });

  test("a column is moved to the place of another, on either side", () => {
    assert.deepEqual(movedColumn(["a", "b", "c"], "a", "c"), ["b", "c", "a"]);
    assert.deepEqual(movedColumn(["a", "b", "c"], "c", "a"), ["c", "a", "b"]);
    assert.deepEqual(movedColumn(["a"], "x", "a"), ["a"]);
  });
});
