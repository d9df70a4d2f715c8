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

const group = { mean: 1.23456, count: 3, recorded: 3, around: {} };
const step = { xAxis: "step" } as const;

test("mean and band of a group have the same digits, and those that tell values apart", () => {
  const reading = { x: 1, min: 1.2345678, max: 1.3, smoothed: undefined, group };
  assert.equal(readingText(step, reading, 1), "1.23456, N 3 (1.23457 … 1.3)");
  const close = { ...reading, min: 123_456_789, max: 123_457_789, group: undefined };
  assert.equal(readingText(step, close, 1), "123,456,789 … 123,457,789");
  const closer = { ...close, min: 0.123456781, max: 0.123456782 };
  assert.equal(readingText(step, closer, 1, 10), "0.123456781 … 0.123456782");
});

test("a group's value between its points is not read as a recorded one", () => {
  const reading = { x: 1, min: 1, max: 2, smoothed: undefined };
  const some = { ...group, mean: 1.5, recorded: 1 };
  assert.equal(
    readingText(step, { ...reading, group: some }, 1),
    "1.5, N 3, 1 recorded here (1 … 2)",
  );
  const around = { before: 1_400, after: 1_600 };
  const none = { ...group, recorded: 0, around };
  const said = readingText(step, { ...reading, group: none }, 1);
  assert.equal(said, "no point between step 1,400 and step 1,600");
});
