import assert from "node:assert/strict";
import { test } from "node:test";
import { sectionsOf } from "./sections.ts";

const many = ["a", "b", "c", "d", "e"].map((name) => `x/${name}`);
const all = [...many, "system/gpu", "val/loss", "train/loss", "train/lr", "loss"];
const texts = (...input: Parameters<typeof sectionsOf>) =>
  sectionsOf(...input).map(({ name, series }) => `${name}: ${series.join(" ")}`);

test("series stand in sections by the first part of their names, few of them together", () => {
  assert.deepEqual(texts(["val/loss", "train/loss"], ""), ["metrics: train/loss val/loss"]);
  assert.deepEqual(texts(all, ""), [
    "train: train/loss train/lr",
    "val: val/loss",
    "metrics: loss",
    "x: x/a x/b x/c x/d x/e",
    "system: system/gpu",
  ]);
});

test("losses and accuracies stand before other series", () => {
  const names = ["train/grad_norm", "train/loss", "train/lr", "val/accuracy", "val/loss"];
  assert.deepEqual(texts(names, ""), [
    "metrics: train/loss val/accuracy val/loss train/grad_norm train/lr",
  ]);
});

test("what the system says stands last and closed, also below few series", () => {
  const sections = sectionsOf(["val/loss", "system/gpu", "train/loss"], "");
  assert.deepEqual(
    sections.map(({ name, isClosed }) => [name, isClosed]),
    [
      ["metrics", false],
      ["system", true],
    ],
  );
});

test("what is searched is open and in one section, whatever the names", () => {
  const isClosed = (pattern: string) => sectionsOf(all, pattern).at(-1)?.isClosed;
  assert.deepEqual([isClosed(""), isClosed(" "), isClosed("gpu")], [true, true, false]);
  assert.deepEqual(texts(all, "l"), ["found: train/loss train/lr val/loss loss"]);
});

test("a pattern finds names anywhere, or whole ones with *", () => {
  assert.deepEqual(texts(all, "x/*"), ["found: x/a x/b x/c x/d x/e"]);
  assert.deepEqual(texts(all, "LOSS"), ["found: train/loss val/loss loss"]);
  assert.deepEqual(texts(all, "(["), []);
});
