import assert from "node:assert/strict";
import { test } from "node:test";
import { metaLines } from "./meta-tree.ts";

const meta = {
  lr: 0.1,
  optimizer: { name: "muon", "beta one": 0.9, steps: [5, { k: null }] },
  note: 'he said "no"',
  empty: {},
};
const paths = (search: string) => metaLines(meta, search).map(({ path }) => path.join(" / "));

test("a tree has a line for every key, with what finds the same in other experiments", () => {
  assert.deepEqual(
    metaLines(meta, "").map(({ path, text, filter }) => [path.join("/"), text, filter]),
    [
      ["lr", "0.1", "meta.lr = 0.1"],
      ["optimizer", undefined, "meta.optimizer"],
      ["optimizer/name", '"muon"', "meta.optimizer.name = muon"],
      ["optimizer/beta one", "0.9", 'meta.optimizer."beta one" = 0.9'],
      ["optimizer/steps", undefined, "meta.optimizer.steps"],
      ["optimizer/steps/0", "5", "meta.optimizer.steps = 5"],
      ["optimizer/steps/1", undefined, "meta.optimizer.steps"],
      ["optimizer/steps/1/k", "null", "meta.optimizer.steps = null"],
      ["note", '"he said \\"no\\""', 'meta.note = "he said \\"no\\""'],
      ["empty", "{}", "meta.empty"],
    ],
  );
});

test("a search keeps what has it in key or value, all above it, and all below a key", () => {
  assert.deepEqual(paths("MUON"), ["optimizer", "optimizer / name"]);
  assert.deepEqual(paths("beta"), ["optimizer", "optimizer / beta one"]);
  assert.deepEqual(paths("steps").slice(1), [
    "optimizer / steps",
    "optimizer / steps / 0",
    "optimizer / steps / 1",
    "optimizer / steps / 1 / k",
  ]);
  assert.deepEqual(paths("nowhere"), []);
});

test("a compact tree has a short list of plain values on one line", () => {
  const meta = { betas: [0.9, 0.95], deep: [[1]], long: Array(50).fill("word"), none: [] };
  const lines = metaLines(meta, "", true).map(({ path, text }) => `${path.join(".")} ${text}`);
  assert.deepEqual(lines.slice(0, 4), [
    "betas [0.9, 0.95]",
    "deep undefined",
    "deep.0 [1]",
    "long undefined",
  ]);
  assert.deepEqual([lines.length, lines.at(-1)], [55, "none []"]);
  const found = metaLines(meta, "0.95", true);
  assert.deepEqual(
    found.map(({ filter }) => filter),
    ["meta.betas = 0.9 and meta.betas = 0.95"],
  );
});
