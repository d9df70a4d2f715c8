import assert from "node:assert/strict";
import { test } from "node:test";
import { frame } from "../../chart/picture/frame.fixture.ts";
import { heatPicture } from "./heat-drawing.ts";

test("a picture of a heat map has a cell for each bin with values, in the accent's shades of its share", () => {
  const column = { items: 1, below: 0, above: 0, nonfinite: 0, timestampMs: 0 };
  const columns = [
    { ...column, step: 0, lastStep: 0, counts: [4, 0] },
    { ...column, step: 10, lastStep: 10, counts: [1, 3] },
  ];
  const map = { columns };
  const svg = heatPicture(
    {
      map,
      grid: { low: 0, high: 1, bins: 2 },
      axis: { start: -5, end: 15 },
      largest: 1,
      name: "weights",
    },
    frame,
  );
  const cells = [...svg.matchAll(/<path fill="([^"]+)" fill-opacity="([^"]+)" d="([^"]+)"/g)];
  // The square root of a share, in sixteenths.
  assert.deepEqual(
    cells.map(([, colour, opacity, path]) => [colour, Number(opacity), path.split("M").length - 1]),
    [
      ["#2200bb", 0.5, 1],
      ["#2200bb", 0.875, 1],
      ["#2200bb", 1, 1],
    ],
  );
  assert.match(svg, />step<\/text>/);
  assert.match(svg, />loss<\/text>/);
});
