import assert from "node:assert/strict";
import { test } from "node:test";
import { didYouMean, meantNames, nearNames } from "./near-names.ts";

const names = ["experiments list", "experiments show", "export", "import", "push", "pull", "audit"];

test("slips are found, nearest first", () => {
  assert.deepEqual(nearNames("expotr", names), ["export"]);
  assert.deepEqual(nearNames("pul", names), ["pull"]);
  assert.deepEqual(nearNames("expriments lst", names), ["experiments list"]);
  assert.deepEqual(nearNames("IMPORT", names)[0], "import");
});

test("the beginning of a longer name is enough", () => {
  assert.deepEqual(nearNames("experiments", names), ["experiments list", "experiments show"]);
});

test("what is near nothing suggests nothing", () => {
  assert.deepEqual(nearNames("quantum", names), []);
  assert.deepEqual(nearNames("", names), []);
  assert.equal(didYouMean("quantum", names), "");
});

test("the sentence shows names as they are typed", () => {
  assert.equal(
    didYouMean("pul", names, (name) => `lossless ${name}`),
    "; did you mean lossless pull?",
  );
});

test("a word may mean a name by its last part, misspelt too", () => {
  const metrics = ["train/loss", "val/loss", "val/accuracy", "lr", "optim.lr"];
  assert.deepEqual(meantNames("loss", metrics), ["train/loss", "val/loss"]);
  assert.deepEqual(meantNames("lr", metrics), ["lr", "optim.lr"]);
  assert.deepEqual(meantNames("acuracy", metrics), ["val/accuracy"]);
  assert.deepEqual(meantNames("vall/loss", metrics)[0], "val/loss");
  assert.deepEqual(meantNames("", metrics), []);
});
