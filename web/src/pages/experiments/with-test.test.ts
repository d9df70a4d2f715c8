import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { withTest } from "./with-test.ts";

suite("a test added to a query", () => {
  test("it stands behind the query, which keeps its spelling", () => {
    assert.equal(withTest("", "tag = a"), "tag = a");
    assert.equal(withTest("status=done", "tag = a"), "status=done tag = a");
    assert.equal(withTest("status=done && tag=b", "tag = a"), "status=done && tag=b tag = a");
  });

  test("alternatives are put in brackets, as and binds more", () => {
    assert.equal(withTest("tag = b or tag = c", "tag = a"), "(tag = b or tag = c) tag = a");
  });

  test("one that the query has already, in any spelling, is not added", () => {
    assert.equal(withTest("tag=a", "tag = a"), "tag=a");
    assert.equal(withTest('status = done tag == "a"', "tag = a"), 'status = done tag == "a"');
  });
});
