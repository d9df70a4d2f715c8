import assert from "node:assert/strict";
import { test } from "node:test";
import { checkTargetNames, clashingNames } from "./target-names.ts";

test("a file that would have to be a directory too, and a name that stands twice", () => {
  checkTargetNames(["a", "b/c", "b/d", "ab"]);
  assert.throws(() => checkTargetNames(["a", "a/b"]), /needs a to be a directory/);
  assert.throws(() => checkTargetNames(["b/c/d", "b/c"]), /needs b\/c to be a directory/);
  assert.throws(() => checkTargetNames(["a", "a"]), /occurs twice/);
  assert.throws(() => checkTargetNames(["a\u001b[31m"]), /"a\\u001b\[31m" has control characters/);
});

test("names that are one without regard to case or composition, in any word", () => {
  assert.equal(clashingNames(["a", "b", "c/a", "d/a"]), undefined);
  assert.deepEqual(clashingNames(["Weights", "weights"]), ["Weights", "weights"]);
  assert.deepEqual(clashingNames(["A/x", "a/y"]), ["A", "a"]);
  assert.deepEqual(clashingNames(["\u00e9", "e\u0301"]), ["\u00e9", "e\u0301"]);
});
