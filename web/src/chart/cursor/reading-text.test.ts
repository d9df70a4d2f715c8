import assert from "node:assert/strict";
import { test } from "node:test";
import { readingPlace, readingText } from "./reading-text.ts";

test("a value says where it is, unless that is told already or nothing is pointed at", () => {
  const step = { xAxis: "step" } as const;
  const reading = { x: 1_200, min: 1, max: 2, smoothed: undefined };
  assert.equal(readingText(step, reading, "step 1,200"), "1 … 2");
  assert.equal(readingText(step, reading, "step 700"), "1 … 2 at step 1,200");
  const metric = { xAxis: "metric", xSeriesName: "tokens" } as const;
  assert.equal(
    readingText(metric, { ...reading, smoothed: 1.5 }, "tokens 3"),
    "1.5 (1 … 2) at tokens 1,200",
  );
  assert.equal(readingText(step, { ...reading, x: NaN, min: 2 }, undefined), "2");
});

const group = { mean: 1.23456, count: 3, recorded: 3, around: {} };
const step = { xAxis: "step" } as const;

test("mean and band of a group have the same digits, and those that tell values apart", () => {
  const reading = { x: 1, min: 1.2345678, max: 1.3, smoothed: undefined, group };
  assert.equal(readingText(step, reading, "step 1"), "1.23456, N 3 (1.23457 … 1.3)");
  const close = { ...reading, min: 123_456_789, max: 123_457_789, group: undefined };
  assert.equal(readingText(step, close, "step 1"), "123,456,789 … 123,457,789");
  const closer = { ...close, min: 0.123456781, max: 0.123456782 };
  assert.equal(readingText(step, closer, "step 1", 10), "0.123456781 … 0.123456782");
});

test("a group's value between its points is not read as a recorded one", () => {
  const reading = { x: 1, min: 1, max: 2, smoothed: undefined };
  const some = { ...group, mean: 1.5, recorded: 1 };
  assert.equal(
    readingText(step, { ...reading, group: some }, "step 1"),
    "1.5, N 3, 1 recorded here (1 … 2)",
  );
  const around = { before: 1_400, after: 1_600 };
  const none = { ...group, recorded: 0, around };
  const said = readingText(step, { ...reading, group: none }, "step 1");
  assert.equal(said, "no point between step 1,400 and step 1,600");
});

test("a place between two recorded ones is said to be between them, with the values of both", () => {
  const point = (x: number, value: number) => ({ x, min: value, max: value, smoothed: undefined });
  const reading = { ...point(1_400, 3.5), next: point(1_600, 3.25) };
  assert.equal(
    readingText(step, reading, "step 1,511"),
    "3.5 → 3.25 between steps 1,400 and 1,600",
  );
  assert.equal(readingText(step, reading, "between steps 1,400 and 1,600"), "3.5 → 3.25");
  const smooth = { ...point(0, 3), smoothed: 4, next: { ...point(9, 1), smoothed: 2 } };
  assert.equal(
    readingText({ xAxis: "offset" }, smooth, undefined),
    "4 → 2 (3 → 1) between steps + 0 and + 9",
  );
  const grouped = { ...point(0, 3), group, next: { ...point(9, 1), group: { ...group, mean: 1 } } };
  assert.equal(
    readingText({ xAxis: "metric", xSeriesName: "tokens" }, grouped, undefined),
    "1.23456 → 1, N 3 between tokens 0 and 9",
  );
  const places = (xAxis: "elapsed" | "timestamp") => readingPlace({ xAxis }, smooth);
  assert.equal(places("elapsed"), "between 0 and 9 ms after the first point");
  assert.match(places("timestamp"), /^between [-0-9]+ [:0-9]+ and [-0-9]+ [:0-9]+$/);
});
