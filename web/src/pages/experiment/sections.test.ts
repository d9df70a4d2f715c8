import assert from "node:assert/strict";
import { test } from "node:test";
import { sectionsOf } from "./sections.ts";

const many = ["a", "b", "c", "d", "e"].map((name) => `x/${name}`);
const all = [...many, "system/gpu", "val/loss", "train/loss", "train/lr", "loss"];
const texts = (...input: Parameters<typeof sectionsOf>) =>
  sectionsOf(...input).map(({ name, series }) => `${name}: ${series.join(" ")}`);

test("series stand in sections by the first part of their names, few of them together", () => {
  assert.deepEqual(texts(["val/loss", "train/loss"], ""), ["series: train/loss val/loss"]);
  assert.deepEqual(texts(all, ""), [
    "train: train/loss train/lr",
    "val: val/loss",
    "series: loss",
    "x: x/a x/b x/c x/d x/e",
    "system: system/gpu",
  ]);
});

test("what the system says stands last and closed, also below few series", () => {
  const sections = sectionsOf(["val/loss", "system/gpu", "train/loss"], "");
  assert.deepEqual(
    sections.map(({ name, isClosed }) => [name, isClosed]),
    [
      ["series", false],
      ["system", true],
    ],
  );
});

test("what is searched is open, whatever its section", () => {
  const isClosed = (pattern: string) => sectionsOf(all, pattern).at(-1)?.isClosed;
  assert.deepEqual([isClosed(""), isClosed(" "), isClosed("gpu")], [true, true, false]);
});

test("a pattern finds names anywhere, or whole ones with *", () => {
  assert.deepEqual(texts(all, "x/*"), ["x: x/a x/b x/c x/d x/e"]);
  assert.deepEqual(texts(all, "LOSS"), ["series: train/loss val/loss loss"]);
  assert.deepEqual(texts(all, "(["), []);
});

test("pinned series stand above all others, as they were pinned, if they are found", () => {
  const pinned = ["val/loss", "gone", "train/loss"];
  assert.deepEqual(texts(all, "", pinned).slice(0, 2), [
    "pinned: val/loss train/loss",
    "train: train/lr",
  ]);
  assert.deepEqual(texts(all, "x/a", pinned), ["x: x/a"]);
});
