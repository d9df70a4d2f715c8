import assert from "node:assert/strict";
import { test } from "node:test";
import type { Layout } from "@lossless/client";
import { placedCharts, titleOf } from "./placed.ts";

const names = [
  "lr",
  "system/cpu",
  "train/acc",
  "train/grad",
  "train/loss",
  "train/norm",
  "val/acc",
  "val/loss",
  "x/a",
  "x/b",
];

function texts(layout: Layout, wanted = "", of: readonly string[] = names): string[] {
  const { sections } = placedCharts(of, wanted, layout);
  return sections.map(
    ({ name, series, isClosed }) => `${name}${isClosed ? " (closed)" : ""}: ${series.join(" ")}`,
  );
}

test("without a layout charts stand as pages place them by themselves", () => {
  assert.deepEqual(texts({}), [
    "train: train/acc train/loss train/grad train/norm",
    "val: val/acc val/loss",
    "metrics: lr",
    "x: x/a x/b",
    "system (closed): system/cpu",
  ]);
});

test("pins stand first in their order, hidden ones last and closed, others in the given order", () => {
  const layout = {
    pinned: ["val/loss", "gone", "train/loss"],
    hidden: ["x/*", "lr", "gone"],
    order: ["train/norm", "train/acc"],
  };
  assert.deepEqual(texts(layout), [
    "pinned: val/loss train/loss",
    "train: train/norm train/acc train/grad",
    "val: val/acc",
    "system (closed): system/cpu",
    "hidden (closed): lr x/a x/b",
  ]);
});

test("a new metric finds its place by the patterns of sections", () => {
  const layout = {
    sections: [
      { name: "Losses", patterns: ["*/loss", "loss"] },
      { name: "train", isClosed: true },
    ],
    order: ["val/loss"],
  };
  assert.deepEqual(texts(layout).slice(0, 3), [
    "Losses: val/loss train/loss",
    "train (closed): train/acc train/grad train/norm",
    "val: val/acc",
  ]);
  const later = texts(layout, "", [...names, "test/loss"].sort());
  assert.equal(later[0], "Losses: val/loss test/loss train/loss");
});

test("a section of a layout that has no chart is not shown", () => {
  assert.deepEqual(texts({ sections: [{ name: "Empty", patterns: ["nothing"] }] }), texts({}));
});

test("a chart may have several metrics, by names and patterns, and stand where it is put", () => {
  const layout = {
    charts: [
      { key: "losses", lines: ["val/loss", "*/loss"], title: "Losses" },
      { key: "none", lines: ["gone", "gone/*"] },
      { key: "train/acc", lines: ["train/acc", "val/acc"], section: "Accuracy" },
      { key: "lr", view: "y=log" },
    ],
  };
  const { charts } = placedCharts(names, "", layout);
  assert.deepEqual(charts.get("losses")?.names, ["val/loss", "train/loss"]);
  assert.deepEqual(charts.get("train/acc")?.names, ["train/acc", "val/acc"]);
  assert.deepEqual([charts.get("lr")?.names, charts.get("lr")?.view], [["lr"], "y=log"]);
  assert.ok(!charts.has("none"));
  // Its metrics keep their own charts.
  assert.deepEqual(texts(layout).slice(0, 4), [
    "own charts: losses",
    "Accuracy: train/acc",
    "train: train/loss train/grad train/norm",
    "val: val/acc val/loss",
  ]);
});

test("what is searched stands in one grid, hidden or not, found by its title too", () => {
  const layout = {
    hidden: ["val/loss"],
    charts: [{ key: "both", lines: ["*/acc"], title: "Accuracies" }],
  };
  assert.deepEqual(texts(layout, "loss"), ["found: train/loss val/loss"]);
  assert.deepEqual(texts(layout, "Accurac"), ["found: both"]);
  assert.deepEqual(texts(layout, "nothing"), []);
});

test("a chart of two combined metrics is not there where one is missing, and a metric's own is plain", () => {
  const layout: Layout = {
    charts: [
      { key: "gap", lines: ["train/loss", "val/loss"], operator: "minus" },
      { key: "lr", lines: ["lr", "none"], operator: "dividedBy", height: 300 },
    ],
  };
  const { charts } = placedCharts(names, "", layout);
  assert.deepEqual(charts.get("gap")?.names, ["train/loss", "val/loss"]);
  assert.equal(titleOf(charts.get("gap")!), "train/loss − val/loss");
  const { operator, names: own, height } = charts.get("lr")!;
  assert.deepEqual([operator, own, height], [undefined, ["lr"], 300]);
  const without = names.filter((name) => name !== "val/loss");
  assert.equal(placedCharts(without, "", layout).charts.has("gap"), false);
});
