import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { nameTest } from "@lossless/protocol/name-search";
import { defaultColumns } from "./table-address.ts";
import { firstKeysSearch, offeredKeys, usualColumns, withOffered } from "./usual-columns.ts";

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

test("keys that people look for first are offered before common ones, a seed last", () => {
  const known = [
    "meta.seed",
    "meta.alpha",
    "meta.model.name",
    "meta.train.batch_size",
    "meta.optimizer",
    "meta.optimizer.learning_rate",
    "metric.lr",
  ].map((field) => ({ field, experiments: 5 }));
  const more = [
    { field: "meta.common", experiments: 9 },
    { field: "meta.once", experiments: 1 },
    { field: "meta.import.rows", experiments: 9 },
    { field: "meta._source.lr", experiments: 9 },
  ];
  assert.deepEqual(offeredKeys([...known, ...known, ...more]), [
    "meta.optimizer.learning_rate",
    "meta.optimizer",
    "meta.train.batch_size",
    "meta.model.name",
    "meta.common",
    "meta.alpha",
    "meta.seed",
  ]);
  assert.deepEqual(withOffered(["status", "metric.loss.min", "points"], ["tag", "meta.lr"]), [
    "status",
    "metric.loss.min",
    "tag",
    "meta.lr",
    "points",
  ]);
  assert.deepEqual(withOffered(["status", "points"], ["tag"]), ["status", "tag", "points"]);
});

test("the search for the first keys is one that the service takes, and finds no part of a word", () => {
  assert.ok(firstKeysSearch.length <= limits.patternCharactersMax);
  const isFirst = nameTest(firstKeysSearch);
  assert.ok(["lr", "a.lr", "optimizer.name", "max_lr", "n_layers", "Batch_Size"].every(isFirst));
  assert.ok(!["lrx", "solr", "optimizer.beta", "layers.norm"].some(isFirst));
});
