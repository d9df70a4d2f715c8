import assert from "node:assert/strict";
import { test } from "node:test";
import { defaultColumns } from "./table-address.ts";
import { usualColumns } from "./usual-columns.ts";

function usual(...names: string[]): readonly string[] {
  const fields = names.map((field, at) => ({ field, experiments: at + 8 }));
  return usualColumns(fields).filter((field) => !defaultColumns.includes(field));
}

test("without a choice the losses of most experiments are there, that of validation first", () => {
  assert.deepEqual(usual("metric.train/loss", "metric.val/loss", "meta.loss"), [
    "metric.val/loss.min",
    "metric.train/loss.min",
  ]);
  assert.deepEqual(usual("metric.eval_loss", "metric.eval/loss"), ["metric.eval/loss.min"]);
  assert.deepEqual(usual("metric.reward", "meta.lr"), []);
  const rare = [
    { field: "metric.val/loss", experiments: 9 },
    { field: "metric.loss", experiments: 4 },
  ];
  assert.equal(usualColumns(rare).includes("metric.loss.min"), false);
  assert.deepEqual(usual('metric."my loss"'), ['metric."my loss".min']);
});
