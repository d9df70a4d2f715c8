import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { captionOf } from "./caption.ts";
import { withPasses } from "./lines/passes.ts";
import { viewOf } from "./view.ts";

const view = (parameters: Record<string, string> = {}) => viewOf((name) => parameters[name]);

function overviewOf(...lines: number[][]): OverviewReply {
  const series = lines.map((x) => ({
    experimentId: "a",
    seriesName: "loss",
    metadata: {},
    points: x.length,
    exact: { x, value: x.map((_, at) => at) },
  }));
  const points = series.reduce((sum, line) => sum + line.points, 0);
  const axis = { xAxis: "step", xScale: "linear", start: 0, end: 1_000, columns: 400 } as const;
  return { ...axis, partitions: lines.length, points, series };
}

const steps = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
const resumed = [...steps(0, 300), ...steps(200, 500)].sort((one, other) => one - other);

test("a run that went over steps again says so, on axes of steps", () => {
  const textOf = (overview: OverviewReply) => captionOf(withPasses(overview), view());
  assert.equal(textOf(overviewOf(steps(0, 9))), "9 points, not sampled");
  assert.equal(
    textOf(overviewOf(resumed)),
    "600 points, not sampled, 100 steps from 200 to 299 recorded twice (earlier values faint)",
  );
  assert.match(textOf(overviewOf([1, 7, 7, 9])), /, step 7 recorded twice \(/);
  assert.match(textOf(overviewOf([1, 7, 7, 7])), /, step 7 recorded more than once \(/);
  assert.match(textOf(overviewOf(resumed, steps(0, 9))), /twice, in 1 line \(/);
  const timed = { ...overviewOf(resumed), xAxis: "timestamp" } as const;
  assert.doesNotMatch(textOf(timed), /recorded/);
});

test("a dense run says which stretches it went over again, or only that it did", () => {
  const one = [0];
  const reduced = { column: one, first: one, last: one, min: one, max: one, mean: one };
  const denseOf = (line: object) => {
    const [{ exact: _, ...rest }] = overviewOf([]).series;
    const series = [{ ...rest, reduced, points: 900, ...line }];
    return captionOf(withPasses({ ...overviewOf(), points: 900, series }), view());
  };
  assert.doesNotMatch(denseOf({}), /steps/);
  assert.match(denseOf({ points: 1_200 }), /more points than steps: some steps were recorded more/);
  const stretch = /steps from about 200 to 299 recorded more than once \(shaded\)/;
  assert.match(denseOf({ repeated: steps(80, 120) }), stretch);
  const two = /steps in 2 stretches from about 25 to 299 recorded more than once \(shaded\)/;
  assert.match(denseOf({ repeated: [10, ...steps(80, 120)] }), two);
});

test("along another metric it says that values that are not finite have no place", () => {
  const overview = { ...overviewOf(steps(0, 9)), xAxis: "metric" } as const;
  assert.doesNotMatch(captionOf(overview, view()), /finite/);
  overview.series[0].lastNonfinite = { value: "NaN" };
  assert.match(
    captionOf(overview, view()),
    /, values that are not finite have no place on this axis/,
  );
});

test("smoothing says over how many of its own points a line is smoothed, and of how many", () => {
  const dense = captionOf(overviewOf(steps(0, 900), steps(0, 120)), view({ s: "ema:0.99" }));
  assert.match(dense, /each line is smoothed by itself, over about the last 100 points/);
  assert.match(dense, /\(a line here has 120\)/);
  const one = captionOf(overviewOf(steps(0, 900)), view({ s: "ema:0.9" }));
  assert.match(one, /, smoothed over about the last 10 points$/);
  const byX = captionOf(overviewOf(steps(0, 900), steps(0, 12)), view({ s: "x:0.99" }));
  assert.match(byX, /, each line is smoothed by itself, over about the last 10 % of the axis$/);
  const little = captionOf(overviewOf(steps(0, 900)), view({ s: "x:0.9" }));
  assert.match(little, /, smoothed over about the last 1 % of the axis$/);
  const repeated = captionOf(withPasses(overviewOf(resumed)), view({ s: "ema:0.9" }));
  assert.match(repeated, /, smoothed over about the last 10 points, earlier values included$/);
  const gauss = captionOf(overviewOf(steps(0, 900)), view({ s: "gauss:10" }));
  assert.match(gauss, /, smoothed over 30 points on either side$/);
});

test("points beyond the axis are counted", () => {
  const overview = overviewOf([1, 2]);
  overview.series[0].exact!.value = [1e308, -1e308];
  assert.match(captionOf(overview, view()), /2 places beyond the edges/);
  assert.match(captionOf(overviewOf([1, 2]), view({ y: "log" })), /1 place at or below 0$/);
});
