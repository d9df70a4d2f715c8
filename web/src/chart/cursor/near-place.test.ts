import assert from "node:assert/strict";
import { test } from "node:test";
import { nearPlace, type PlotBox } from "./near-place.ts";

/** A plot of three beside each other, right of a list of experiments. */
const plotAt = (left: number, part: Partial<PlotBox> = {}): PlotBox => ({
  left,
  right: left + 260,
  top: 300,
  bottom: 500,
  head: 240,
  foot: 530,
  start: 340,
  window: { width: 1_440, height: 900 },
  ...part,
});
const widths = [460, 300];
/** The places of a list for all places of the pointer. */
const placesOf = (plot: PlotBox) => {
  const found = new Map<string, { pointers: number[]; left: number; width: number; top: number }>();
  for (let left = plot.left; left <= plot.right; left++) {
    const place = nearPlace(plot, { left, top: plot.top }, widths);
    const end = place.left + place.width;
    const isOver = left > place.left - 16 && left < end + 16;
    assert.ok(!isOver || place.top > plot.foot || place.top < plot.head, `${left}, ${place.left}`);
    assert.ok(place.left >= 8 && end <= plot.window.width - 8);
    const { pointers } = found.get(String(place.left)) ?? { pointers: [] };
    found.set(String(place.left), { ...place, pointers: [...pointers, left] });
  }
  return [...found.values()];
};

test("a list is as wide as its names need, and changes sides at one place at most", () => {
  for (const left of [390, 740, 1_090, 1_170]) {
    const places = placesOf(plotAt(left));
    assert.ok(places.length <= 2);
    for (const { width, left: start } of places) {
      assert.equal(width, 460);
      assert.ok(start >= 340, "the list of experiments is left free");
    }
  }
  assert.equal(placesOf(plotAt(740)).length, 2);
});

test("where it fits in a half of its plot it stays there", () => {
  const wide = plotAt(400, { right: 1_400 });
  assert.deepEqual(
    placesOf(wide).map(({ left }) => left),
    [1_400 - 8 - 460, 400 + 8],
  );
});

test("in a smaller window it has no ranges, and then it is over the list of experiments", () => {
  const window = { width: 1_024, height: 900 };
  const one = (start: number) => placesOf(plotAt(350, { right: 820, start, window }));
  assert.deepEqual([...new Set(one(290).map(({ width }) => width))], [300]);
  assert.deepEqual([...new Set(one(400).map(({ width }) => width))], [460]);
});

test("on a phone it is above or below the chart, where there is more room", () => {
  const phone = { left: 70, right: 350, start: 12, window: { width: 390, height: 844 } };
  const at = (top: number) => {
    const plot = plotAt(70, { ...phone, top, bottom: top + 200, head: top - 60, foot: top + 230 });
    return nearPlace(plot, { left: 200, top: 0 }, widths);
  };
  assert.deepEqual(at(500), { left: 70, width: 300, rows: 12, top: 440 - 8 - 282 });
  assert.deepEqual(at(100), { left: 70, width: 300, rows: 12, top: 338 });
});

test("in a plot that fills a phone it is in the other half", () => {
  const screen = { left: 70, right: 380, top: 60, bottom: 800, head: 0, foot: 840, start: 0 };
  const plot = plotAt(70, { ...screen, window: { width: 390, height: 844 } });
  const { top, rows } = nearPlace(plot, { left: 200, top: 500 }, widths);
  assert.ok(top >= 0 && top + rows * 20 + 42 <= 430 - 30);
  assert.equal(nearPlace(plot, { left: 200, top: 300 }, widths).top, 430 + 30);
});
