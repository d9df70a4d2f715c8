import assert from "node:assert/strict";
import { test } from "node:test";
import type { DifferenceReply, TableRow } from "@lossless/protocol";
import { replyOf } from "../difference/reply.fixture.ts";
import type { Compared } from "../use-compared.ts";
import { drawnOf, missingTexts, plottedText } from "./plotted.ts";
import { readRelationsView, relationsParameters, scatterAxes } from "./relations-view.ts";
import { usualAxes } from "./usual-axes.ts";

const row = (id: string, ...values: TableRow["values"]) =>
  ({ experimentId: id, slug: `slug-${id}`, name: null, values }) as TableRow;
const kind = { colour: 1, pattern: 0 };
const compared = {
  experiments: [
    { experimentId: "a", kind, isHidden: false },
    { experimentId: "b", kind, isHidden: true },
    { experimentId: "c", kind, isHidden: false },
  ],
} as unknown as Compared;
const values = {
  fields: ["meta.lr", "meta.opt"],
  behind: 0,
  rows: [row("a", 0, "x"), row("b", 1, "y"), row("c", 10, null), row("d", null, "x")],
};

test("hidden ones are left out, others are there and stand behind", () => {
  const { plotted } = drawnOf(values, values.fields, [], compared)!;
  assert.deepEqual(
    plotted.map(({ experimentId, kind: own, places }) => [experimentId, own !== undefined, places]),
    [
      ["d", false, [undefined, 0.5]],
      ["a", true, [0, 0.5]],
      ["c", true, [1, undefined]],
    ],
  );
});

test("who has no place is counted and named", () => {
  const { axes, plotted } = drawnOf(values, values.fields, ["meta.lr"], compared)!;
  assert.deepEqual(missingTexts(plotted, axes), [
    "lr: 1 experiment without a value (slug-d)",
    "lr: 1 value at or below 0 (slug-a)",
    "opt: 1 experiment without a value (slug-c)",
  ]);
  assert.equal(plottedText(plotted[1], axes), "slug-a: lr 0, opt x");
});

test("an answer to other fields draws nothing", () => {
  assert.equal(drawnOf(values, ["meta.other"], [], compared), undefined);
});

test("the usual axes are what differs and can be told apart, and the loss", () => {
  const number = (text: string) => ({ kind: "number", text, isCut: false }) as const;
  const text = (word: string) => ({ kind: "text", text: word, isCut: false }) as const;
  const keys: DifferenceReply["keys"] = [
    { field: "meta.path", values: [text("1"), text("2"), text("3")], valueOf: [0, 1, 2] },
    { field: "meta.lr", values: [number("1"), number("2")], valueOf: [0, 1, null] },
    { field: "meta.rare", values: [number("1"), number("2")], valueOf: [0, null, null] },
    { field: "meta.opt", values: [text("a"), text("b")], valueOf: [0, 0, 1, 1] },
  ];
  const metrics = ["acc", "train/loss", "val/loss"].map((name) => {
    return { name, experiments: 3, summaries: [] };
  });
  assert.deepEqual(usualAxes(replyOf({ keys, metrics })), [
    "meta.opt",
    "meta.lr",
    "metric.val/loss.min",
  ]);
  assert.deepEqual(usualAxes(replyOf({ metrics: metrics.slice(0, 1) })), ["metric.acc"]);
});

test("the address has the axes, and two of them for a scatter plot", () => {
  const read = (address: Record<string, string | undefined>) =>
    readRelationsView((name) => address[name]);
  const view = read({
    plot: "scatter",
    axes: 'meta."a,b",duration',
    logs: "duration",
    px: "duration",
  });
  assert.deepEqual(view.axes, ['meta."a,b"', "duration"]);
  assert.deepEqual(read(relationsParameters(view)), view);
  assert.deepEqual(scatterAxes(view, view.axes), ["duration", 'meta."a,b"']);
  assert.deepEqual(scatterAxes({ ...view, x: "gone" }, ["meta.a"]), ["meta.a", "meta.a"]);
  assert.deepEqual(read({ plot: "pie", axes: "(" }).axes, undefined);
});
