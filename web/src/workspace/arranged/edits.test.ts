import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layout } from "@lossless/client";
import {
  withChart,
  withHidden,
  withMoved,
  withMovedSection,
  withoutChart,
  withoutSection,
  withSection,
} from "./edits.ts";
import { placedCharts } from "./placed.ts";

const names = ["a/1", "a/2", "a/3", "a/4", "b/1", "b/2", "c/1", "c/2", "c/3"];
const sectionsIn = (layout: Layout, of: readonly string[] = names) =>
  placedCharts(of, "", layout).sections;
const texts = (layout: Layout, of: readonly string[] = names) =>
  sectionsIn(layout, of).map(({ name, series }) => `${name}: ${series.join(" ")}`);
const moved = (layout: Layout, key: string, section: string, at: number) =>
  withMoved(layout, sectionsIn(layout), key, { section, at });

test("a chart is moved within its section, and later metrics come behind those that were placed", () => {
  const first = moved({}, "a/4", "a", 0);
  assert.deepEqual(first.order, ["a/4"]);
  assert.equal(texts(first)[0], "a: a/4 a/1 a/2 a/3");
  const second = moved(first, "a/4", "a", 2);
  assert.equal(texts(second)[0], "a: a/1 a/2 a/4 a/3");
  assert.equal(texts(second, [...names, "a/0"].sort())[0], "a: a/1 a/2 a/4 a/0 a/3");
});

test("any order is reached by moves", () => {
  let layout: Layout = {};
  for (const [at, key] of ["a/3", "a/1", "a/4", "a/2"].entries())
    layout = moved(layout, key, "a", at);
  assert.equal(texts(layout)[0], "a: a/3 a/1 a/4 a/2");
});

test("a chart is moved into another section, among the pins, and back", () => {
  const away = moved({}, "b/1", "c", 1);
  assert.deepEqual(texts(away), ["a: a/1 a/2 a/3 a/4", "b: b/2", "c: c/1 b/1 c/2 c/3"]);
  const pinned = moved({ pinned: ["c/1"] }, "a/1", "pinned", 0);
  assert.deepEqual(pinned.pinned, ["a/1", "c/1"]);
  const back = moved(pinned, "a/1", "a", 1);
  assert.deepEqual(texts(back).slice(0, 2), ["pinned: c/1", "a: a/2 a/1 a/3 a/4"]);
  assert.deepEqual(texts(moved(pinned, "a/1", "b", 0))[2], "b: a/1 b/1 b/2");
});

test("what is nowhere, or goes to where nothing is put, changes nothing", () => {
  assert.deepEqual(moved({}, "gone", "a", 0), {});
  assert.deepEqual(moved({}, "a/1", "gone", 0), {});
});

test("settings of a chart come and go", () => {
  const one = withChart({}, "a/1", { title: "One", columns: 2 });
  assert.deepEqual(one.charts, [{ key: "a/1", title: "One", columns: 2 }]);
  assert.deepEqual(withChart(one, "a/1", { title: "" }).charts, [{ key: "a/1", columns: 2 }]);
  assert.deepEqual(withChart(one, "a/1", { title: "", columns: undefined }).charts, []);
  const own = withChart({ pinned: ["x"], order: ["x"] }, "x", { lines: ["a/1", "b/1"] });
  assert.deepEqual(withoutChart(own, "x"), { pinned: [], hidden: [], order: [], charts: [] });
});

test("a chart is hidden, and shown again, also where a pattern hides it", () => {
  const hidden = withHidden({ hidden: ["b/*"] }, "a/1", true);
  assert.deepEqual(hidden.hidden, ["b/*", "a/1"]);
  assert.deepEqual(withHidden(hidden, "a/1", false).hidden, ["b/*"]);
  assert.deepEqual(withHidden(hidden, "b/1", false, (each) => each === "b/*").hidden, ["a/1"]);
});

test("sections are named, moved and removed", () => {
  const named = withSection({}, "Firsts", { patterns: ["*/1"] });
  assert.deepEqual(texts(named).slice(0, 2), ["Firsts: a/1 b/1 c/1", "a: a/2 a/3 a/4"]);
  const own = withChart(named, "a/2", { section: "Firsts" });
  const renamed = withSection(own, "Firsts", { name: "Ones" });
  assert.equal(texts(renamed)[0], "Ones: a/1 a/2 b/1 c/1");
  assert.deepEqual(texts(withoutSection(renamed, "Ones")), texts({}));
  const down = withMovedSection({}, sectionsIn({}), "a", 1);
  assert.deepEqual(
    sectionsIn(down).map(({ name }) => name),
    ["b", "a", "c"],
  );
  assert.deepEqual(withMovedSection({}, sectionsIn({}), "a", -1), {});
});
