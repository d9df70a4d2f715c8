import assert from "node:assert/strict";
import { test } from "node:test";
import { clientPlot } from "./client-plot.ts";
import { type Layer, NotDrawn } from "./drawing.ts";
import { plotlyPlot } from "./plotly-plot.ts";
import { scalesOf } from "./scale.ts";

const linesOf = (layers: readonly Layer[]) =>
  layers.map((layer) =>
    layer.kind === "line" || layer.kind === "points" ? [layer.name, layer.x, layer.y] : [],
  );
const base64 = (numbers: number[]) =>
  Buffer.from(new Float64Array(numbers).buffer).toString("base64");

test("a plot has a line for each value of its stroke, in the order of x", () => {
  const drawn = clientPlot({
    plot: "line_series",
    x: "x",
    y: "y",
    stroke: "key",
    title: "t",
    xname: "step",
    table: {
      columns: ["x", "key", "y"],
      data: [
        [2, "a", 20],
        [1, "a", 10],
        [1, "b", { _number: "NaN" }],
      ],
    },
  });
  assert.deepEqual(linesOf(drawn.layers), [
    ["a", [1, 2], [10, 20]],
    ["b", [1], [NaN]],
  ]);
  assert.deepEqual(
    [drawn.title, drawn.x, drawn.y],
    ["t", { title: "step", names: undefined }, { title: "y", names: undefined }],
  );
});

test("what is no number is a name on its axis", () => {
  const drawn = clientPlot({
    plot: "scatter",
    x: "x",
    y: "y",
    table: {
      columns: ["x", "y"],
      data: [
        ["b", 1],
        ["a", 2],
        ["b", 3],
      ],
    },
  });
  assert.deepEqual(drawn.x.names, ["b", "a"]);
  assert.deepEqual(linesOf(drawn.layers), [["", [0, 1, 0], [1, 2, 3]]]);
});

test("bars, counted bars and a confusion matrix have every number once", () => {
  const bar = clientPlot({
    plot: "bar",
    label: "l",
    value: "v",
    table: {
      columns: ["l", "v"],
      data: [
        ["x", 3],
        ["y", -1],
      ],
    },
  });
  assert.deepEqual(bar.y.names, ["x", "y"]);
  assert.deepEqual(
    bar.layers[0].kind === "bars" && bar.layers[0].bars.map(({ to }) => to),
    [3, -1],
  );
  const counted = clientPlot({
    plot: "histogram",
    value: "v",
    table: { columns: ["v"], data: [[1], [1], [2], [3], [null]] },
  });
  const [layer] = counted.layers;
  assert.equal(layer.kind === "bars" && layer.bars.reduce((sum, { to }) => sum + to, 0), 4);
  const confusion = clientPlot({
    plot: "confusion_matrix",
    actual: "A",
    predicted: "P",
    value: "n",
    table: {
      columns: ["A", "P", "n"],
      data: [
        ["cat", "cat", 5],
        ["cat", "dog", 2],
        ["dog", "dog", 7],
      ],
    },
  });
  assert.deepEqual(confusion.layers, [
    {
      kind: "cells",
      rows: [
        [5, 2],
        [0, 7],
      ],
    },
  ]);
  assert.equal(confusion.y.isReversed, true);
});

test("a plot that is not known says so", () => {
  const table = { columns: ["a"], data: [[1]] };
  assert.throws(() => clientPlot({ plot: "wandb/area/v0", table }), NotDrawn);
  assert.throws(() => clientPlot({ plot: "line", x: "gone", y: "a", table }), /no column "gone"/);
  assert.throws(() => clientPlot([]), NotDrawn);
  assert.throws(() => clientPlot({ plot: "line" }), NotDrawn);
});

test("a figure of Plotly: lines and points, also of arrays as bytes", () => {
  const drawn = plotlyPlot({
    data: [
      {
        type: "scatter",
        mode: "lines+markers",
        name: "a",
        x: [1, 2],
        y: { dtype: "f8", bdata: base64([0.5, 0.25]) },
      },
      { type: "scatter", mode: "markers", y: [1, null] },
    ],
    layout: {
      title: { text: "<b>T</b>" },
      xaxis: { title: { text: "epoch" } },
      yaxis: { type: "log" },
    },
  });
  assert.deepEqual(linesOf(drawn.layers), [
    ["a", [1, 2], [0.5, 0.25]],
    ["a", [1, 2], [0.5, 0.25]],
    ["trace 1", [0, 1], [1, NaN]],
  ]);
  assert.deepEqual(
    drawn.layers.map(({ kind }) => kind),
    ["line", "points", "points"],
  );
  assert.deepEqual([drawn.title, drawn.x.title, drawn.y.isLog], ["T", "epoch", true]);
});

test("a figure of Plotly: bars beside each other, histograms, a heat map", () => {
  const bars = plotlyPlot({
    data: [
      { type: "bar", x: ["a", "b"], y: [1, 2] },
      { type: "bar", x: ["a", "b"], y: [3, 4] },
    ],
  });
  const places = bars.layers.map(
    (layer) => layer.kind === "bars" && layer.bars.map(({ left, right }) => [left, right]),
  );
  assert.deepEqual(places, [
    [
      [-0.4, 0],
      [0.6, 1],
    ],
    [
      [0, 0.4],
      [1, 1.4],
    ],
  ]);
  const counted = plotlyPlot({ data: [{ type: "histogram", x: [1, 2, 2, 3], nbinsx: 2 }] });
  assert.deepEqual(
    counted.layers[0].kind === "bars" && counted.layers[0].bars.map(({ to }) => to),
    [1, 3],
  );
  const heat = plotlyPlot({
    data: [
      {
        type: "heatmap",
        z: { dtype: "f8", bdata: base64([1, 2, 3, 4, 5, 6]), shape: "2, 3" },
        x: ["a", "b", "c"],
      },
    ],
  });
  assert.deepEqual(heat.layers, [
    {
      kind: "cells",
      rows: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    },
  ]);
  assert.deepEqual(
    [heat.x.names, heat.y.names],
    [
      ["a", "b", "c"],
      ["0", "1"],
    ],
  );
  const gap = plotlyPlot({ data: [{ type: "heatmap", z: [[1, null]] }] });
  assert.deepEqual(gap.layers, [{ kind: "cells", rows: [[1, NaN]] }]);
});

test("a figure of which only a part could be drawn is not drawn", () => {
  const refused: [object, RegExp][] = [
    [
      {
        data: [
          { type: "scatter", y: [1] },
          { type: "surface", z: [[1]] },
        ],
      },
      /surface cannot be drawn/,
    ],
    [{ data: [{ type: "scatter", y: [1], yaxis: "y2" }] }, /one pair of axes/],
    [{ data: [{ type: "scatter", mode: "text", y: [1] }] }, /text cannot be drawn/],
    [
      { data: [{ type: "scatter", y: [1] }], layout: { xaxis: { type: "date" } } },
      /times cannot be drawn/,
    ],
    [{ data: [{ type: "heatmap", z: [[1, 2], [3]] }] }, /different lengths/],
    [{ data: [{ type: "scatter", y: { dtype: "c16", bdata: "" } }] }, /c16 cannot be read/],
    [{ data: [] }, /empty/],
    [{ data: [{ type: "scatter", visible: "legendonly", y: [1] }] }, /empty/],
  ];
  for (const [figure, words] of refused) assert.throws(() => plotlyPlot(figure), words);
});

test("an axis has its values with some room, and bars stand on it", () => {
  const axis = { title: "" };
  const of = (layers: Layer[], more = {}) =>
    scalesOf({ title: "", x: axis, y: { ...axis, ...more }, layers }).up;
  const line = of([{ kind: "line", name: "", x: [0, 1], y: [10, 20] }]);
  assert.ok(line.placeOf(10) > 0 && line.placeOf(20) < 1);
  const bars = of([
    { kind: "bars", name: "", isAcross: false, bars: [{ left: 0, right: 1, from: 0, to: 5 }] },
  ]);
  assert.equal(bars.placeOf(0), 0);
  const log = of([{ kind: "line", name: "", x: [0, 1, 2], y: [-1, 1, 100] }], { isLog: true });
  assert.deepEqual([log.placeOf(1), log.placeOf(10), log.placeOf(100)], [0, 0.5, 1]);
  const names = of([{ kind: "cells", rows: [[1], [2]] }], { names: ["a", "b"], isReversed: true });
  assert.deepEqual(names.ticks, [
    { place: 0.75, text: "a" },
    { place: 0.25, text: "b" },
  ]);
  const one = of([{ kind: "points", name: "", x: [0], y: [5] }]);
  assert.equal(one.placeOf(5), 0.5);
});
