import assert from "node:assert/strict";
import { test } from "node:test";
import { correlationText, directionText, explainedText, scopeText } from "./importance-text.ts";

const key = { field: "meta.lr", correlation: 0.1, mean: 0.7, spread: 0.1 };
const found = { experiments: 210, explained: { mean: 0.83, spread: 0.06 }, keys: [key] };

test("words say how much the keys explain, and when nothing can be said", () => {
  assert.match(
    explainedText(found, "loss.min"),
    /explains 83 ± 6 % of the differences in loss\.min/,
  );
  const weak = { ...found, explained: { mean: 0.04, spread: 0.06 } };
  assert.match(explainedText(weak, "loss.min"), /only slightly better than their mean/);
  const chance = { ...weak, keys: [{ ...key, mean: 0.05 }] };
  assert.match(explainedText(chance, "loss.min"), /do not explain.*may show chance/);
  assert.equal(
    explainedText({ ...found, experiments: 12 }, "loss.min"),
    "Only 12 experiments have loss.min: too few to compute importance. It takes 20.",
  );
  assert.match(explainedText({ ...found, experiments: 1 }, "a"), /^Only 1 experiment has a/);
  assert.match(explainedText({ ...found, keys: [] }, "a"), /No key differs/);
});

test("who is not counted is told", () => {
  const fields = ["meta.lr"];
  assert.equal(
    scopeText(found, { fields, found: 210, read: 210 }, "loss.min"),
    "Over 210 experiments.",
  );
  assert.equal(
    scopeText(found, { fields, found: 9_000, read: 211 }, "loss.min"),
    "Over 210 experiments, of 9,000 found, the newest that are not hidden, 1 has no finite loss.min.",
  );
});

test("a key has a direction, none, or is not said to have one", () => {
  assert.equal(directionText(key), "not in one direction");
  assert.equal(directionText({ ...key, correlation: -0.8 }), "falls with it");
  assert.equal(directionText({ ...key, correlation: 0.3 }), "rises with it");
  assert.equal(directionText({ ...key, correlation: undefined }), "");
  assert.equal(directionText({ ...key, mean: 0.01 }), "");
  const turned = { ...key, correlation: -0.4, middle: "least" } as const;
  assert.equal(directionText(turned), "least in the middle");
  assert.equal(directionText({ ...turned, mean: 0.01 }), "");
  assert.deepEqual([0.314, -0.8, undefined].map(correlationText), ["+0.31", "−0.80", "–"]);
});
