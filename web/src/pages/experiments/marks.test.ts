import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { columnOf } from "./columns.ts";
import { betterOf, differenceOf, directionOf } from "./marks.ts";

const loss = columnOf("metric.val/loss.min")!;
const accuracy = columnOf("metric.accuracy")!;
const other = columnOf("metric.other")!;
const none = new Map();

suite("marks of a table", () => {
  test("the goal of a column is that of its metric, unless the reader chose one", () => {
    assert.equal(directionOf(loss, none), "least");
    assert.equal(directionOf(accuracy, none), "most");
    assert.equal(directionOf(other, none), "none");
    assert.equal(directionOf(other, new Map([["other", "least"]])), "least");
    assert.equal(directionOf(columnOf("metric.val/loss.minstep")!, none), "none");
    assert.equal(directionOf(columnOf("points")!, none), "none");
  });

  test("what is not finite is never best", () => {
    assert.equal(betterOf("least", [3, "NaN", null, 2, "-Infinity"]), 2);
    assert.equal(betterOf("most", ["NaN", "Infinity"]), undefined);
    assert.equal(betterOf("none", [1, 2]), undefined);
  });

  test("a difference is better or worse by the goal, and not by its sign", () => {
    assert.deepEqual(differenceOf(loss, 2, 3, none), { value: -1, word: "better" });
    assert.deepEqual(differenceOf(accuracy, 2, 3, none), { value: -1, word: "worse" });
    assert.deepEqual(differenceOf(other, 2, 3, none), { value: -1, word: undefined });
    assert.deepEqual(differenceOf(loss, 2, 2, none), { value: 0, word: undefined });
    assert.equal(differenceOf(loss, "NaN", 3, none), undefined);
    assert.equal(differenceOf(loss, 2, undefined, none), undefined);
    assert.equal(differenceOf(columnOf("points")!, 2, 3, none), undefined);
  });
});
