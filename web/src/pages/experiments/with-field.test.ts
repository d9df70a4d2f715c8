import assert from "node:assert/strict";
import { test } from "node:test";
import { withField } from "./with-field.ts";

test("a field is replaced wherever the query has it, however it is spelled", () => {
  const query = 'summary.los.min < 3 or not (metric."los".min > 2 los) metric.los';
  assert.equal(
    withField(query, "metric.los.min", "metric.loss.min"),
    "metric.loss.min < 3 or not (metric.loss.min > 2 los) metric.los",
  );
  assert.equal(withField("a b", "meta.a", "meta.b"), "a b");
});
