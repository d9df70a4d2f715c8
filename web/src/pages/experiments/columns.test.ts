import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { askedFields, columnsOf } from "./columns.ts";

test("where an extreme lies is asked for behind the columns", () => {
  const fields = ["metric.loss.min", "status", "metric.acc{subset=val}.max", "metric.loss"];
  assert.deepEqual(askedFields(columnsOf(fields)), [
    ...fields,
    "metric.loss.minstep",
    "metric.acc{subset=val}.maxstep",
  ]);
  const chosen = ["metric.loss.minstep", "metric.loss.min"];
  assert.deepEqual(askedFields(columnsOf(chosen)), chosen);
});

test("no more columns are asked for than one request may have", () => {
  const fields = Array.from({ length: limits.tableColumnsMax }, (_, at) => `metric.m${at}.min`);
  assert.deepEqual(askedFields(columnsOf(fields)), fields);
});
