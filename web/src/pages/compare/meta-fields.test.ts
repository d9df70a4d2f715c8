import assert from "node:assert/strict";
import { test } from "node:test";
import { differingFields, metaFieldsOf } from "./meta-fields.ts";

test("a meta is its leaves, by the fields of the query language", () => {
  const meta = {
    lr: 0.1,
    optimizer: { name: "adamw", betas: [0.9, 0.95], "a.b": null },
    empty: {},
    digits: "1",
    word: "true",
    _host: "x",
    nested: { _x: 1 },
  };
  assert.deepEqual(
    [...metaFieldsOf(meta)],
    [
      ["meta.lr", "0.1"],
      ["meta.optimizer.name", "adamw"],
      ["meta.optimizer.betas", "[0.9,0.95]"],
      ['meta.optimizer."a.b"', "null"],
      ["meta.empty", "{}"],
      ["meta.digits", '"1"'],
      ["meta.word", '"true"'],
    ],
  );
  assert.equal(metaFieldsOf(null).size, 0);
});

test("what differs is also what some do not have", () => {
  const metas = [
    { lr: 1, seed: 1 },
    { lr: 1, seed: 2, extra: null },
  ].map(metaFieldsOf);
  assert.deepEqual(differingFields(metas), ["meta.extra", "meta.seed"]);
});
