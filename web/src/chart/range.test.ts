import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { rangeOf, wholeRange, zoomed } from "./range.ts";
import { viewOf } from "./view.ts";

const overview: OverviewReply = {
  xAxis: "step",
  xScale: "linear",
  start: 0,
  end: 1_024,
  columns: 100,
  partitions: 1,
  points: 0,
  series: [
    {
      experimentId: "x",
      seriesName: "s",
      metadata: {},
      points: 9,
      reduced: { column: [0], first: [1], last: [1], min: [1], max: [1], mean: [1] },
    },
  ],
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
  const metric = { xAxis: "metric", xScale: "linear" } as const;
  assert.deepEqual(wholeRange(metric, [-1, 1], 0.25, 0.5), { start: -0.5, end: 0 });
});
