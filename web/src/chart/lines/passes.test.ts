import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { withPasses } from "./passes.ts";

const overviewOf = (
  points: [x: number, value: number][],
  part: Partial<OverviewReply["series"][number]> = {},
  xAxis: OverviewReply["xAxis"] = "step",
): OverviewReply => ({
  xAxis,
  xScale: "linear",
  start: 0,
  end: 10,
  columns: 400,
  partitions: 1,
  points: points.length,
  series: [
    {
      experimentId: "a",
      seriesName: "loss",
      metadata: {},
      points: points.length,
      exact: { x: points.map(([x]) => x), value: points.map(([, value]) => value) },
      ...part,
    },
  ],
});
const shownOf = (overview: OverviewReply) => {
  const [{ exact, earlier, breaks, smoothed }] = withPasses(overview).series as never as {
    exact: unknown;
    earlier: unknown;
    breaks: unknown;
    smoothed: unknown;
  }[];
  return { exact, earlier, breaks, smoothed };
};

/** Resumed from step 2, and again from step 3. */
const resumed: [number, number][] = [
  [1, 10],
  [2, 20],
  [2, 21],
  [3, 30],
  [3, 31],
  [3, 32],
  [4, 40],
  [4, 42],
  [5, 52],
];

test("the last point of each step is the line, and each earlier pass is a line of its own", () => {
  const { exact, earlier, breaks } = shownOf(overviewOf(resumed));
  assert.deepEqual(exact, { x: [1, 2, 3, 4, 5], value: [10, 21, 32, 42, 52] });
  assert.deepEqual(earlier, [
    { x: [2, 3, 4], value: [20, 31, 40] },
    { x: [3], value: [30] },
  ]);
  assert.deepEqual(breaks, []);
});

test("earlier points are not joined across steps that have only one", () => {
  const { earlier } = shownOf(
    overviewOf([
      [1, 10],
      [1, 11],
      [2, 20],
      [3, 30],
      [3, 31],
    ]),
  );
  assert.deepEqual(earlier, [
    { x: [1], value: [10] },
    { x: [3], value: [30] },
  ]);
});

test("the line is broken where a resumed run has got to, and a clock set back breaks nothing", () => {
  // The steps from 4 on are still those of the pass before.
  const behind: [number, number][] = [
    [1, 10],
    [2, 20],
    [2, 21],
    [3, 30],
    [3, 31],
    [4, 40],
    [5, 50],
  ];
  assert.deepEqual(shownOf(overviewOf(behind, { back: [5] })).breaks, [3]);
  assert.deepEqual(shownOf(overviewOf(behind, { back: [1, 6] })).breaks, []);
});

test("smoothed lines keep the value at the last point, with the same breaks", () => {
  const smoothed = { exact: { x: [1, 1, 2], value: [5, 6, 7] } };
  const overview = overviewOf(
    [
      [1, 0],
      [1, 0],
      [2, 0],
    ],
    { smoothed, back: [2] },
  );
  assert.deepEqual(shownOf(overview).smoothed, {
    exact: { x: [1, 2], value: [6, 7] },
    breaks: [1],
  });
});

test("without repeated steps, and along other axes, lines stay as they are", () => {
  for (const overview of [overviewOf([[1, 2]], { back: [0] }), overviewOf(resumed, {}, "elapsed")])
    assert.deepEqual(withPasses(overview), overview);
});
