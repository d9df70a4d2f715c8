import assert from "node:assert/strict";
import { test } from "node:test";
import { foundPairs, writtenPairs } from "./written.ts";

const record = {
  slug: "run",
  description: "what it is",
  meta: { seed: 3, opt: { name: "adam", betas: [0.9, 0.95], none: {} } },
};

test("what the experiment says itself is left out, what was written beside it is kept", () => {
  const params = [
    { key: "lr", value: "1e-05" },
    { key: "opt.name", value: "sgd" },
    { key: "seed", value: "3" },
    { key: "opt.betas", value: "[0.9,0.95]" },
    { key: "opt.none", value: "{}" },
  ];
  const tags = [
    { key: "mlflow.note.content", value: "what it is" },
    { key: "mlflow.runName", value: "named" },
    { key: "team", value: 'the "best"' },
  ];
  const written = writtenPairs({ params, tags }, record);
  assert.deepEqual(
    written.params.map(({ key, filter }) => [key, filter]),
    [
      ["lr", "meta.param.lr = 0.00001"],
      ["opt.name", "meta.param.opt.name = sgd"],
    ],
  );
  assert.deepEqual(
    written.tags.map(({ key, filter }) => [key, filter]),
    [
      ["mlflow.runName", "meta.tag.mlflow.runName = named"],
      ["team", 'meta.tag.team = "the \\"best\\""'],
    ],
  );
});

test("a param that was cut from a long leaf is that leaf, and long texts are not compared", () => {
  const text = "x".repeat(7_000);
  const params = [{ key: "text", value: text.slice(0, 6_000) }];
  assert.deepEqual(writtenPairs({ params, tags: [] }, { ...record, meta: { text } }).params, []);
  const paired = `${"x".repeat(5_999)}\u{1f600}`;
  const short = [{ key: "text", value: paired.slice(0, 5_999) }];
  assert.deepEqual(
    writtenPairs({ params: short, tags: [] }, { ...record, meta: { text: paired } }).params,
    [],
  );
  const [{ filter }] = writtenPairs({ params, tags: [] }, record).params;
  assert.equal(filter, "meta.param.text");
});

test("a search finds keys and values, whatever their case", () => {
  const pairs = [
    { key: "Optimizer", value: "Adam" },
    { key: "lr", value: "0.1" },
  ];
  assert.deepEqual(foundPairs(pairs, " adam "), [pairs[0]]);
  assert.deepEqual(foundPairs(pairs, "LR"), [pairs[1]]);
  assert.deepEqual(foundPairs(pairs, ""), pairs);
});
