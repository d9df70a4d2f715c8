import assert from "node:assert/strict";
import { test } from "node:test";
import { withoutShared } from "./shared-words.ts";

const shown = (...names: string[]) => [
  ...withoutShared(names, (text) => Array.from(text).length).values(),
];

test("neighbouring words that all names have are one sign, in their place", () => {
  const names = [1, 2].map((seed) => `resnet-soap-lr1e-3-${seed}-bs64-${seed * seed}-of-many`);
  assert.deepEqual(shown(...names), ["…1-…1-…", "…2-…4-…"]);
});

test("words are counted from either end, where names have more of them than others", () => {
  assert.deepEqual(shown("soap-lr0.1-bs64-of-us", "muon-wd-lr0.2-bs64-of-us"), [
    "soap-lr0.1-…",
    "muon-wd-lr0.2-…",
  ]);
  assert.deepEqual(shown("a-long-word", "a-long-word-b"), ["…word", "…word-b"]);
});

test("words that are no longer than a sign stay, and a number is one word", () => {
  assert.deepEqual(shown("lr 1e-3 of all", "lr 1e-4 of all"), ["…1e-3 …", "…1e-4 …"]);
  assert.deepEqual(shown("soap wd0.1 1", "soap wd0.2 1"), ["…wd0.1 1", "…wd0.2 1"]);
});

test("names that are told by nothing else stay whole", () => {
  assert.deepEqual(shown("alone"), ["alone"]);
  assert.deepEqual(shown("x-word-y", "x-word-word-y"), ["x-word-y", "x-word-word-y"]);
});
