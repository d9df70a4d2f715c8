import assert from "node:assert/strict";
import { test } from "node:test";
import { parseField } from "@lossless/protocol/query-field";
import { nearFields } from "./unknown-fields.ts";

test("the same name comes before those that end with it, and these before slips", () => {
  const known = {
    metas: ["lr", "optimizer.lr", "optimizer.name", "loss"],
    metrics: ["train/loss", "val/loss", "lr", "val loss"],
  };
  const near = (text: string) => nearFields(parseField(text), known);
  assert.deepEqual(near("meta.loss"), ["meta.loss", "metric.train/loss", "metric.val/loss"]);
  assert.deepEqual(near("metric.lr.max"), ["meta.lr", "metric.lr.max", "meta.optimizer.lr"]);
  assert.deepEqual(near("meta.val/loss"), ["metric.val/loss", 'metric."val loss"', "meta.loss"]);
  assert.deepEqual(near("metric.val/los.min"), ["metric.val/loss.min", 'metric."val loss".min']);
  assert.deepEqual(near("meta.optimizer.nmae"), ["meta.optimizer.name"]);
  assert.deepEqual(near("metric.accuracy"), []);
});
