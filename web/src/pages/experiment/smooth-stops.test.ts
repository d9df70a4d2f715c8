import assert from "node:assert/strict";
import { test } from "node:test";
import { smoothKinds, type Smooth } from "../../chart/view.ts";
import { positionOf, smoothAt, stopsOf } from "./smooth-stops.ts";

test("each stop of the slider is a smoothing of its own, and has its place", () => {
  for (const kind of smoothKinds) {
    const stops = stopsOf(kind);
    for (let position = 0; position <= stops.length; position++)
      assert.equal(positionOf(smoothAt(kind, position)), position, kind);
    for (const [at, stop] of stops.entries()) assert.ok(at === 0 || stop > stops[at - 1]);
    assert.deepEqual(smoothAt(kind, 1_000), smoothAt(kind, stops.length));
  }
  assert.equal(smoothAt("x", 0), undefined);
});

test("the slider has the usual amounts, to the most that there are", () => {
  for (const weight of [0.5, 0.9, 0.99, 0.999]) {
    const smooth: Smooth = { kind: "x", weight };
    assert.deepEqual(smoothAt("x", positionOf(smooth)), smooth);
  }
  assert.deepEqual(smoothAt("gauss", 1_000), { kind: "gauss", points: 1_000 });
  for (const points of [1, 10, 100])
    assert.deepEqual(smoothAt("gauss", positionOf({ kind: "gauss", points })), {
      kind: "gauss",
      points,
    });
});

test("an amount between two stops is at the nearer one", () => {
  const position = positionOf({ kind: "ema", weight: 0.9512 });
  const { weight } = smoothAt("ema", position) as { weight: number };
  assert.ok(Math.abs(weight - 0.9512) < 0.004, String(weight));
});
