import assert from "node:assert/strict";
import { test } from "node:test";
import { idIn } from "./path.ts";

test("a path is of a pattern when each part is, and says what stands for the braces", () => {
  assert.equal(idIn("/experiments", "/experiments"), "");
  assert.equal(idIn("/experiments/{id}", "/experiments/a%2Fb"), "a/b");
  assert.equal(idIn("/experiments/{id}", "/experiments/100%"), "100%");
  assert.equal(idIn("/experiments/{id}", "/experiments/"), undefined);
  assert.equal(idIn("/experiments/{id}", "/experiments"), undefined);
  assert.equal(idIn("/experiments", "/experiments/a"), undefined);
  assert.equal(idIn("/experiments/{id}", "/experiments/a/b"), undefined);
});
