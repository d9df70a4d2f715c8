import assert from "node:assert/strict";
import { test } from "node:test";
import { readingText } from "./reading-text.ts";

test("a value says where it is, unless that is told already or nothing is pointed at", () => {
  const step = { xAxis: "step" } as const;
  const reading = { x: 1_200, min: 1, max: 2, smoothed: undefined };
  assert.equal(readingText(step, reading, 1_200), "1 … 2");
  assert.equal(readingText(step, reading, 700), "1 … 2 at step 1,200");
  const metric = { xAxis: "metric", xSeriesName: "tokens" } as const;
  assert.equal(
    readingText(metric, { ...reading, smoothed: 1.5 }, 3),
    "1.5 (1 … 2) at tokens 1,200",
  );
  assert.equal(readingText(step, { ...reading, x: NaN, min: 2 }, undefined), "2");
});
