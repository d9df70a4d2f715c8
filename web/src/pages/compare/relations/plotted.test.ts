import assert from "node:assert/strict";
import { test } from "node:test";
import type { DifferenceReply, TableRow } from "@lossless/protocol";
import { replyOf } from "../difference/reply.fixture.ts";
import type { Compared } from "../use-compared.ts";
import type { Brushes } from "./brushes.ts";
import { drawnOf, missingTexts, plottedText } from "./plotted.ts";
import {
  chosenLog,
  colourField,
  readRelationsView,
  relationsParameters,
  scatterAxes,
  withLog,
} from "./relations-view.ts";
import { textAxes, usualAxes } from "./usual-axes.ts";

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

const choice = {
  chosen: values.fields,
  colour: undefined,
  isLog: (): boolean | undefined => undefined,
  brushes: new Map() as Brushes,
};

test("hidden ones are left out, and those outside a brush are painted first", () => {
  const brushes: Brushes = new Map([["meta.lr", { kind: "range", from: 0, to: undefined }]]);
  const { plotted } = drawnOf(values, { ...choice, brushes }, compared)!;
  assert.deepEqual(
    plotted.map(({ experimentId, kind: own, isOutside, places }) => {
      return [experimentId, own !== undefined, isOutside, places];
    }),
    [
      ["d", false, true, [undefined, 0.5]],
      ["a", true, false, [0, 0.5]],
      ["c", true, false, [1, undefined]],
    ],
  );
});

test("a field gives colours, and the best of a loss is painted last", () => {
  const fields = ["meta.lr", "metric.loss.min"];
  const rows = [row("a", 1, 0.5), row("c", 2, 9), row("d", 3, null), row("e", 4, 3)];
  const order = (colour: string) => {
    const { plotted } = drawnOf({ fields, rows }, { ...choice, chosen: fields, colour }, compared)!;
    return plotted.map(({ experimentId }) => experimentId).join("");
  };
  assert.equal(order("metric.loss.min"), "dcea");
  assert.equal(order("meta.lr"), "acde");
});

test("who has no place is counted and named", () => {
  const isLog = (field: string) => field === "meta.lr";
  const { axes, plotted } = drawnOf(values, { ...choice, isLog }, compared)!;
  assert.deepEqual(missingTexts(plotted, axes), [
    "lr: 1 experiment without a value (slug-d)",
    "lr: 1 value at or below 0 (slug-a)",
    "opt: 1 experiment without a value (slug-c)",
  ]);
  assert.equal(plottedText(plotted[0], axes), "slug-a: lr 0, opt x");
});

test("an answer to other fields draws nothing", () => {
  assert.equal(drawnOf(values, { ...choice, chosen: ["meta.other"] }, compared), undefined);
  assert.equal(drawnOf(values, { ...choice, colour: "meta.other" }, compared), undefined);
});

test("the usual axes are what differs and can be told apart, and the loss", () => {
  const number = (text: string) => ({ kind: "number", text, isCut: false }) as const;
  const text = (word: string) => ({ kind: "text", text: word, isCut: false }) as const;
  const keys: DifferenceReply["keys"] = [
    { field: "meta.path", values: [text("1"), text("2"), text("3")], valueOf: [0, 1, 2] },
    { field: "meta.lr", values: [number("1"), number("2")], valueOf: [0, 1, null] },
    { field: "meta.rare", values: [number("1"), number("2")], valueOf: [0, null, null] },
    { field: "meta._source.command", values: [text("a"), text("b")], valueOf: [0, 0, 1, 1] },
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
  // A scatter plot of them begins with a number.
  const usual = usualAxes(replyOf({ keys, metrics }));
  const texts = textAxes(replyOf({ keys }));
  const view = readRelationsView(() => undefined);
  const loss = "metric.val/loss.min";
  assert.deepEqual(scatterAxes(view, usual, texts), ["meta.lr", loss]);
  assert.deepEqual(scatterAxes({ ...view, x: "meta.opt" }, usual, texts), ["meta.opt", loss]);
  assert.deepEqual(scatterAxes({ ...view, y: "meta.lr" }, usual, texts), [loss, "meta.lr"]);
  assert.deepEqual(scatterAxes(view, ["meta.opt"], texts), ["meta.opt", "meta.opt"]);
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
  assert.deepEqual(scatterAxes(view, view.axes, new Set()), ["duration", 'meta."a,b"']);
  assert.deepEqual(scatterAxes({ ...view, x: "gone" }, ["meta.a"], new Set()), [
    "meta.a",
    "meta.a",
  ]);
  assert.deepEqual(read({ plot: "pie", axes: "(" }).axes, undefined);
  const linear = { ...view, ...withLog(view, "duration", false) };
  assert.deepEqual(read(relationsParameters(linear)), linear);
  assert.deepEqual(
    [view, linear, { ...view, logs: [] }].map((each) => chosenLog(each, "duration")),
    [true, false, undefined],
  );
});

test("colours are those of the metric, or of a third field of a scatter plot", () => {
  const fields = ["meta.lr", "meta.width", "metric.loss.min"];
  const view = readRelationsView(() => undefined);
  assert.equal(colourField(view, fields, fields), "metric.loss.min");
  const scatter = { ...view, plot: "scatter" } as const;
  assert.equal(colourField(scatter, fields, ["meta.lr", "metric.loss.min"]), "meta.width");
  const own = { ...view, colour: "" };
  assert.equal(colourField(own, fields, fields), undefined);
  const parameters: Record<string, string | undefined> = relationsParameters(own);
  assert.deepEqual(
    readRelationsView((name) => parameters[name]),
    own,
  );
});
