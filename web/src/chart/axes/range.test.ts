import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { panned, rangeOf, wholeRange, zoomed } from "./range.ts";
import { viewOf } from "../view.ts";

const none = { experimentId: "x", seriesName: "s", metadata: {}, points: 9 };
const overview: OverviewReply = {
  xAxis: "step",
  xScale: "linear",
  start: 0,
  end: 1_024,
  columns: 100,
  partitions: 1,
  points: 0,
  series: [
    { ...none, reduced: { column: [0], first: [1], last: [1], min: [1], max: [1], mean: [1] } },
  ],
};
const exact: OverviewReply = {
  ...overview,
  end: 100,
  series: [{ ...none, exact: { x: [0, 99], value: [1, 2] } }],
};
const viewAt = (r: string) => viewOf((name) => (name === "r" ? r : undefined));

test("a picture has its own range, also where the service moved its ends; until it comes, the one asked for", () => {
  const view = viewAt("0~1000");
  assert.deepEqual(rangeOf({ overview, isCurrent: true, view }), [0, 1_024]);
  assert.deepEqual(rangeOf({ overview, isCurrent: false, view: viewAt("200~300") }), [200, 300]);
  assert.deepEqual(rangeOf({ overview, isCurrent: false, view: viewAt("") }), [0, 1_024]);
  const log = { ...overview, xScale: "log" as const, start: 1 };
  assert.deepEqual(rangeOf({ overview: log, isCurrent: false, view }), [1, 1_024]);
});

test("zooming keeps what is under the pointer, within whole steps from 0 on", () => {
  assert.deepEqual(zoomed(overview, [0, 1_000], 0.25, 0.5), { start: 125, end: 625 });
  assert.deepEqual(zoomed(overview, [0, 1_000], 0.25, 4), { start: 0, end: 3_250 });
  assert.deepEqual(zoomed(overview, [5, 6], 0.5, 0.01), { start: 5, end: 6 });
  const log = { ...overview, xScale: "log" as const };
  assert.deepEqual(zoomed(log, [1, 10_000], 0.5, 0.5), { start: 10, end: 1_000 });
  assert.deepEqual(zoomed(log, [1, 10_000], 0, 2), { start: 1, end: 100_000_000 });
  const metric = { ...overview, xAxis: "metric" as const };
  assert.deepEqual(wholeRange(metric, [-1, 1], 0.25, 0.5), { start: -0.5, end: 0 });
});

test("points that came as they are stay where the right edge is part of what is selected", () => {
  const drawn = rangeOf({ overview: exact, isCurrent: true, view: viewAt("") });
  assert.deepEqual(drawn, [0, 99]);
  assert.deepEqual(wholeRange(exact, drawn, 0.5, 1), { start: 49, end: 100 });
  assert.deepEqual(wholeRange(exact, drawn, 0.5, 1 - 1e-16), { start: 49, end: 100 });
  assert.deepEqual(zoomed(exact, drawn, 1, 0.5), { start: 49, end: 100 });
  assert.deepEqual(wholeRange(exact, drawn, 0, 0.505), { start: 0, end: 50 });
  const stretched = rangeOf({ overview: exact, isCurrent: false, view: viewAt("50~100") });
  assert.deepEqual(zoomed(exact, stretched, 1, 0.5), { start: 74, end: 100 });
  const log = { ...exact, xScale: "log" as const };
  assert.equal(wholeRange(log, [3, 100], 0, 1).end, 101);
  const metric = { ...exact, xAxis: "metric" as const, start: -1, end: 1.000_000_000_000_000_2 };
  const own = rangeOf({ overview: metric, isCurrent: true, view: viewAt("") });
  assert.equal(wholeRange(metric, own, 0, 1).end, metric.end);
});

test("a moved range keeps its width: at 0, at the ends of points, and where the answer is wider", () => {
  const at = (picture: OverviewReply, r: string) => {
    const view = viewAt(r);
    return {
      overview: picture,
      view,
      range: rangeOf({ overview: picture, isCurrent: true, view }),
    };
  };
  assert.equal(panned(at(exact, ""), 0), undefined);
  assert.deepEqual(panned(at(exact, ""), 1 / 99), { start: 1, end: 101 });
  assert.deepEqual(panned(at(exact, ""), -0.5), { start: 0, end: 100 });
  const part = at({ ...exact, start: 40, end: 60 }, "40~60");
  assert.deepEqual(panned(part, 0), { start: 40, end: 60 });
  assert.deepEqual(panned(part, -1), { start: 21, end: 41 });
  assert.deepEqual(panned(part, -9), { start: 0, end: 20 });
  assert.deepEqual(panned(at(overview, "10~1010"), 0.5), { start: 522, end: 1_522 });
  const log = at({ ...overview, xScale: "log", start: 10, end: 1_000 }, "10~1000");
  assert.deepEqual(panned(log, 0.5), { start: 100, end: 10_000 });
  assert.deepEqual(panned(log, -2), { start: 1, end: 100 });
  const metric = at({ ...overview, xAxis: "metric", start: -1, end: 1 }, "-1~1");
  assert.deepEqual(panned(metric, -0.5), { start: -2, end: 0 });
});
