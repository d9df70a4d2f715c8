import assert from "node:assert/strict";
import { test } from "node:test";
import { frame } from "../../../chart/picture/frame.fixture.ts";
import { axisOf } from "./axis.ts";
import { colourScaleOf } from "./colour-scale.ts";
import { colourNames, parallelPicture, scatterPicture } from "./drawn-picture.ts";
import { nearestLine, nearestPoint, opacityOf } from "./paint.ts";
import type { Drawn, Plotted } from "./plotted.ts";

const one = (experimentId: string, places: (number | undefined)[], isOutside = false): Plotted => {
  const values = places.map((place) => place ?? null);
  return {
    experimentId,
    title: experimentId,
    kind: undefined,
    isOutside,
    shade: values[0],
    values,
    places,
  };
};
const place = (at: number, share: number) => ({ x: 100 * at, y: 100 * (1 - share) });

test("the nearest line is found by its distance, and one inside the brushes first", () => {
  const plotted = [one("low", [0, 0, 0]), one("high", [1, 1, undefined]), one("steep", [0, 1, 1])];
  const at = (x: number, y: number) => nearestLine(plotted, place, 3, { x, y })?.experimentId;
  assert.equal(at(50, 98), "low");
  assert.equal(at(50, 3), "high");
  assert.equal(at(50, 52), "steep");
  assert.equal(at(150, 2), "steep");
  assert.equal(at(150, 50), undefined);
  const behind = [one("outside", [0.5, 0.5], true), one("inside", [0.46, 0.46])];
  assert.equal(nearestLine(behind, place, 2, { x: 50, y: 51 })?.experimentId, "inside");
});

test("the nearest point is found, of two in one place the one painted last", () => {
  const across = (axis: number, share: number) =>
    axis === 0 ? { x: 100 * share, y: 0 } : { x: 0, y: 100 * share };
  const plotted = [one("a", [0.5, 0.5]), one("b", [0.5, 0.5]), one("c", [0, undefined])];
  assert.equal(nearestPoint(plotted, across, { x: 52, y: 48 })?.experimentId, "b");
  assert.equal(nearestPoint(plotted, across, { x: 2, y: 2 }), undefined);
});

test("a thousand lines are less opaque than ten, and never unseen", () => {
  assert.equal(opacityOf(10), 1);
  assert.ok(opacityOf(1_000) < 0.5 && opacityOf(1e6) >= 0.3);
});

function drawnOf(count: number): Drawn {
  const values = Array.from({ length: count }, (_, at) => [
    at / count,
    1 - at / count,
    (at % 3) / 2,
  ]);
  const fields = ["meta.lr", 'meta."<b>"', "metric.loss.min"];
  const axes = fields.map((field, at) =>
    axisOf(
      field,
      values.map((row) => row[at]),
      false,
    ),
  );
  const plotted = values.map((row, at) => one(String(at), row));
  return { axes, plotted, colours: colourScaleOf("metric.loss.min", [0, 1], false, true) };
}

test("pictures have each line and point, a scale of colours, and nothing that is markup", () => {
  const parallel = parallelPicture(drawnOf(50), { ...frame, title: "Sweep" });
  assert.equal(parallel.match(/M[\d.]+ [\d.]+L[\d.]+ [\d.]+L[\d.]+ [\d.]+/g)?.length, 50);
  const { axes, ...drawn } = drawnOf(50);
  const scatter = scatterPicture({ ...drawn, axes: axes.slice(0, 2) }, frame);
  assert.equal(scatter.match(/a3\.?\d* 3\.?\d* 0 1 1 |a4\.?\d* 4\.?\d* 0 1 1 /g)?.length, 100);
  for (const svg of [parallel, scatter]) {
    assert.match(svg, />loss\.min \(low is best\)<\/text>/);
    assert.doesNotMatch(svg, /<b>|NaN|undefined|href|foreignObject/);
  }
  assert.deepEqual(colourNames(colourScaleOf("meta.opt", ["b", "a"], false, undefined), 10), [
    "a",
    "b",
  ]);
  assert.deepEqual(colourNames(drawnOf(1).colours, 10), []);
});
