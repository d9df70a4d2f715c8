import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import fc from "fast-check";
import { heightsOf } from "../axes/axis-y.ts";
import { viewOf } from "../view.ts";
import { chartPicture, type PicturedChart } from "./chart-picture.ts";
import { frame } from "./frame.fixture.ts";
import { heightIn } from "./picture-ticks.ts";

const axis = { xAxis: "step", xScale: "linear", start: 0, end: 100 } as const;
const none = { experimentId: "a", seriesName: "loss", metadata: {} };
const columns = Array.from({ length: 50 }, (_, at) => at);

/** A line whose columns are from 1 to 2, but for one. */
function denseOf(peak: { column: number; min: number; max: number }): OverviewReply {
  const values = (usual: number, other: number) =>
    columns.map((column) => (column === peak.column ? other : usual));
  const mean = columns.map(() => 1.5);
  const [min, max] = [values(1, peak.min), values(2, peak.max)];
  const reduced = { column: columns, first: mean, last: mean, min, max, mean };
  const series = [{ ...none, points: 5_000, reduced }];
  return { ...axis, columns: 50, partitions: 1, points: 5_000, series };
}

const chartOf = (overview: OverviewReply, part: Partial<PicturedChart> = {}): PicturedChart => ({
  name: "loss",
  overview,
  looks: overview.series.map((_, at) => ({ name: "", kind: { colour: at % 10, pattern: 0 } })),
  view: viewOf(() => undefined),
  happened: [],
  ...part,
});

/** Corners of the first outline, with the number of units to a pixel and the plot's height. */
function outlineOf(svg: string): { corners: [number, number][]; bottom: number; unit: number } {
  const bottom = Number(/<clipPath id="plot"><rect width="50" height="([\d.]+)"/.exec(svg)![1]);
  const unit = Number(/scale\(([\d.]+)\)"><g clip-path/.exec(svg)![1]);
  const path = /<path fill="#000000"[^>]* d="([^"]+)"/.exec(svg)![1];
  let [x, y] = [0, 0];
  const corners: [number, number][] = [];
  for (const [, kind, first, second] of path.matchAll(/([MHV])(-?[\d.]+)(?: (-?[\d.]+))?/g)) {
    if (kind === "M") [x, y] = [Number(first), Number(second)];
    else if (kind === "H") x = Number(first);
    else y = Number(first);
    corners.push([x, y]);
  }
  return { corners, bottom, unit };
}

test("the extremes of a column are at their exact heights, and it is as wide as a column", () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 48 }),
      fc.double({ min: 2.5, max: 100, noNaN: true }),
      fc.double({ min: -100, max: 0.5, noNaN: true }),
      (column, max, min) => {
        const overview = denseOf({ column, min, max });
        const { corners, bottom, unit } = outlineOf(chartPicture(chartOf(overview), frame));
        const heights = heightsOf(overview, { y: "linear", heights: undefined });
        const half = 0.5 / unit;
        const wanted = (value: number) => bottom * (1 - heightIn(heights, "linear", value));
        const top = Math.min(...corners.map(([, y]) => y));
        const low = Math.max(...corners.map(([, y]) => y));
        assert.ok(Math.abs(top - (wanted(max) - half)) < 0.02);
        assert.ok(Math.abs(low - (wanted(min) + half)) < 0.02);
        const at = corners.filter(([, y]) => y === top).map(([x]) => x);
        assert.deepEqual([Math.min(...at), Math.max(...at)], [column, column + 1]);
      },
    ),
  );
});

test("where a pen covers several columns a peak is as wide as the pen, at its exact height", () => {
  const peak = { column: 20, min: 1, max: 90 };
  const overview = denseOf(peak);
  for (const [lineWidth, wide] of [
    [1, 1],
    [21, 3],
    [36, 5],
  ]) {
    const { corners, bottom, unit } = outlineOf(
      chartPicture(chartOf(overview), { ...frame, lineWidth }),
    );
    const top = Math.min(...corners.map(([, y]) => y));
    const heights = heightsOf(overview, { y: "linear", heights: undefined });
    const wanted = bottom * (1 - heightIn(heights, "linear", 90)) - lineWidth / unit / 2;
    assert.ok(Math.abs(top - wanted) < 0.02);
    const at = corners.filter(([, y]) => y === top).map(([x]) => x);
    const first = 20 - (wide - 1) / 2;
    assert.deepEqual([Math.min(...at), Math.max(...at)], [first, first + wide]);
  }
});

test("a dense line is one path, whatever its length, and the file names nothing outside", () => {
  const svg = chartPicture(chartOf(denseOf({ column: 7, min: 0, max: 9 })), frame);
  const inPlot = /<g clip-path[^>]*>([\s\S]*?)<\/g>/.exec(svg)![1];
  assert.equal(inPlot.match(/<path/g)?.length, 1);
  assert.match(svg, /^<\?xml[^>]+\?>\n<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="400px"/);
  assert.doesNotMatch(
    svg,
    /foreignObject|href|url\((?!#plot)|<style|<script|@import|NaN|undefined/,
  );
  assert.match(svg, /font-family="Helvetica, &quot;Liberation Sans&quot;, sans-serif"/);
});

test("colours are those of the frame and white, in whatever theme a page is drawn", () => {
  const overview = denseOf({ column: 7, min: 0, max: 9 });
  const svg = chartPicture(chartOf(overview), { ...frame, names: ["a"], hasGrid: true });
  const used = new Set([...svg.matchAll(/"(#[0-9a-f]{6})"/g)].map(([, colour]) => colour));
  assert.deepEqual(used, new Set(["#ffffff", "#000000", "#111111", "#dddddd"]));
});

const exactOf = (...lines: number[][]): OverviewReply => {
  const series = lines.map((value) => {
    return { ...none, points: value.length, exact: { x: value.map((_, at) => at), value } };
  });
  return { ...axis, columns: 50, partitions: lines.length, points: 9, series };
};

test("names are text that is no markup, and an empty one is in no legend", () => {
  const hostile = `</text><script>alert(1)</script>&"\u0007\u{D800}`;
  const chart = chartOf(exactOf([1, 2], [2, 1], [3, 3]), { name: hostile });
  const words = { title: hostile, labels: { x: hostile, y: hostile } };
  for (const legend of ["below", "right", "ends", "top-left", "bottom-right"] as const) {
    const svg = chartPicture(chart, { ...frame, ...words, names: [hostile, " ", "other"], legend });
    assert.ok(!svg.includes("<script") && !svg.includes("\u0007") && svg.isWellFormed());
    assert.match(
      svg,
      /&lt;\/text&gt;&lt;script&gt;alert\(1\)&lt;\/script&gt;&amp;&quot;\uFFFD\uFFFD/,
    );
    const shown = [...svg.matchAll(/>(other)<\/text>/g)];
    assert.equal(shown.length, 1, legend);
  }
  const without = chartPicture(chart, { ...frame, names: [hostile, "", "other"], legend: "none" });
  assert.doesNotMatch(without, />other</);
});

test("a legend of many names takes a part of the picture only, and counts the others", () => {
  const lines = Array.from({ length: 100 }, (_, at) => [at, at + 1]);
  const names = lines.map((_, at) => `run ${at}`);
  for (const legend of ["below", "right", "top-right"] as const) {
    const svg = chartPicture(chartOf(exactOf(...lines)), { ...frame, names, legend });
    const shown = svg.match(/>run \d+<\/text>/g)!.length;
    const left = Number(/>and (\d+) more<\/text>/.exec(svg)![1]);
    assert.equal(shown + left, 100, legend);
    for (const [, x, y] of svg.matchAll(/<text x="([-\d.]+)" y="([-\d.]+)"/g)) {
      assert.ok(Number(x) >= 0 && Number(x) <= frame.width, `${legend}: x ${x}`);
      assert.ok(Number(y) >= 0 && Number(y) <= frame.height, `${legend}: y ${y}`);
    }
  }
});

test("what happened is drawn above the plot where it was, one sign for those in one place", () => {
  const version = { kind: "version", words: "" } as const;
  const happened = [20, 20, 80, 200].map((x) => ({ mark: version, x }));
  const chart = chartOf(denseOf({ column: 7, min: 0, max: 9 }), { happened });
  const signs = (svg: string) => svg.match(/translate\([^)]+\) scale\([\d.]+\)" fill/g) ?? [];
  assert.equal(signs(chartPicture(chart, frame)).length, 2);
  assert.equal(signs(chartPicture(chart, { ...frame, hasSigns: false })).length, 0);
});
