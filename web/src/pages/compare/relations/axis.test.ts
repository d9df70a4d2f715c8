import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOf, type AxisValue, numberAt, placeOf } from "./axis.ts";

const placesOf = (field: string, values: AxisValue[], isLog = false) => {
  const axis = axisOf(field, values, isLog);
  return values.map((value) => placeOf(axis, value));
};

test("numbers stand from the least to the largest, what is missing nowhere", () => {
  assert.deepEqual(placesOf("meta.lr", [1, 3, null, 2]), [0, 1, undefined, 0.5]);
  assert.deepEqual(placesOf("meta.lr", [5, 5]), [0.5, 0.5]);
  assert.deepEqual(placesOf("meta.lr", [0]), [0.5]);
});

test("a logarithmic axis has no place at or below 0, and is linear where nothing is above", () => {
  const places = placesOf("meta.lr", [0.001, 0.1, 0.01, 0, -1], true);
  assert.deepEqual(places.slice(0, 2), [0, 1]);
  assert.ok(Math.abs(places[2]! - 0.5) < 1e-12);
  assert.deepEqual(places.slice(3), [undefined, undefined]);
  assert.deepEqual(placesOf("meta.lr", [-2, 0], true), [0, 1]);
});

test("texts are categories, and so is everything beside one", () => {
  assert.deepEqual(placesOf("meta.a", ["b", "a", null, "c"]), [0.5, 0, undefined, 1]);
  assert.deepEqual(placesOf("meta.a", ["only"]), [0.5]);
  assert.deepEqual(placesOf("meta.a", [true, 2, "2", 10]), [2 / 3, 0, 1, 1 / 3]);
  assert.deepEqual(placesOf("meta.a", [null]), [undefined]);
});

test("a place gives its number back", () => {
  for (const isLog of [false, true]) {
    const axis = axisOf("meta.lr", [1e-5, 3, 7], isLog);
    for (const value of [1e-5, 0.5, 3, 7])
      assert.ok(Math.abs(numberAt(axis, placeOf(axis, value)!) / value - 1) < 1e-9);
  }
});

test("ticks are few, round and inside", () => {
  const ticks = (values: number[], isLog = false) =>
    axisOf("meta.lr", values, isLog).ticks.map(({ text }) => text);
  assert.deepEqual(ticks([0, 10]), ["0", "2", "4", "6", "8", "10"]);
  assert.deepEqual(ticks([0.0003, 0.0036]), ["0.001", "0.002", "0.003"]);
  assert.deepEqual(ticks([32, 64, 128, 128, 64, 32]), ["32", "64", "128"]);
  assert.deepEqual(
    ticks([1, 2, 1e3, 1, 2, 1e3]),
    ["0", "200", "400", "600", "800", "1,000"].slice(1),
  );
  assert.deepEqual(ticks([1e-4, 1], true), ["0.0001", "0.001", "0.01", "0.1", "1"]);
  for (const [least, largest] of [
    [1, 1 + Number.EPSILON],
    [-1e308, 1e308],
    [1e-320, 2e-320],
  ])
    assert.ok(ticks([least, largest]).length <= 12);
  const many = Array.from({ length: 200 }, (_, at) => `word ${at}`);
  assert.ok(axisOf("meta.a", many, false).ticks.length <= 14);
});

test("lengths and moments are told as such", () => {
  assert.deepEqual(
    axisOf("duration", [0, 7_200_000], false).ticks.map(({ text }) => text),
    ["0", "1 h", "2 h"],
  );
  assert.match(axisOf("created", [0, 1e12], false).ticks[2].text, /^2001-09-09/);
});

test("a tick has all of its digits and is like no other, whatever is near to each other", () => {
  const day = 86_400_000;
  const noon = new Date(2026, 2, 1, 12).getTime();
  const axes = [
    axisOf("metric.tokens", [123_456_789, 123_457_689], false),
    axisOf("metric.tokens", [1.2345e-300, 9.87e-300], false),
    axisOf("metric.tokens", [2 ** 53 - 9, 2 ** 53 - 1], false),
    axisOf("metric.tokens", [1, 1.0000000000001], true),
    ...[2, 1_000, 60_000, 1.2 * day, 400 * day].map((ms) =>
      axisOf("created", [noon, noon + ms], false),
    ),
    axisOf("duration", [30 * day, 30 * day + 5_000], false),
  ];
  for (const { ticks, note } of axes) {
    const texts = ticks.map(({ text }) => text);
    assert.equal(new Set(texts).size, texts.length, `${texts.join(" ")} (${note})`);
    assert.ok(
      texts.every((text) => text.length <= 12),
      `${texts.join(" ")} (${note})`,
    );
  }
});
