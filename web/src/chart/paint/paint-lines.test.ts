import assert from "node:assert/strict";
import { test } from "node:test";
import type { Canvas, Scale } from "./paint-line.ts";
import type { Partition } from "../lines/line.ts";
import { paintRepeated } from "./paint-repeated.ts";
import { paintEdges, paintLines, paintRaised } from "./paint-lines.ts";

const none = { experimentId: "x", seriesName: "s", metadata: {}, points: 9 };
const dense = (value: number): Partition => ({
  ...none,
  reduced: {
    column: [0, 1],
    first: [value, value],
    last: [value, value],
    min: [value, value],
    max: [value, value + 1],
    mean: [value, value],
  },
});
const sparse: Partition = { ...none, exact: { x: [0, 1], value: [7, 8] } };
const scale: Scale = {
  columnX: (column) => column,
  columnOf: (column) => column,
  left: 0,
  right: 2,
  x: (x) => x,
  y: (value) => 100 - value,
  bottom: 100,
};
const penOf = (colour: string, pattern = 0) => ({ colour, width: 1, pattern, opacity: 1 });

/** Each painting call, with its colour and opacity. */
function painted(paint: (canvas: Canvas) => void): string[] {
  const calls: string[] = [];
  const canvas: Canvas = {
    fillStyle: "",
    strokeStyle: "",
    lineWidth: 0,
    lineJoin: "round",
    globalAlpha: 1,
    setLineDash: (dashes) => void (dashes.length > 0 && calls.push("dashed")),
    fillRect: (left, top) => note(`fill ${left} ${top}`),
    beginPath: () => undefined,
    moveTo: () => undefined,
    lineTo: () => undefined,
    stroke: () => note("stroke"),
    arc: () => undefined,
    fill: () => note("dot"),
  };
  const note = (what: string) =>
    void calls.push(`${String(canvas.fillStyle)} ${Number(canvas.globalAlpha.toFixed(3))} ${what}`);
  paint(canvas);
  return calls;
}

test("few lines are whole; where four dense ones stand together, their means lead", () => {
  const three = ["a", "b", "c"].map((colour) => penOf(colour));
  const lines = [dense(1), dense(2), dense(3)];
  const whole = painted((canvas) => paintLines(canvas, lines, scale, three));
  assert.ok(whole.every((call) => / 1 fill/.test(call)));
  const four = painted((canvas) =>
    paintLines(canvas, [...lines, dense(4)], scale, [...three, penOf("d")]),
  );
  assert.equal(four.filter((call) => / 0\.2 fill/.test(call)).length, 8);
  assert.deepEqual(four.slice(8), ["a 1 stroke", "b 1 stroke", "c 1 stroke", "d 1 stroke"]);
});

test("the original stands behind a smoothed line, fainter", () => {
  const line = { ...sparse, smoothed: { exact: { x: [0, 1], value: [7, 7] } } };
  const calls = painted((canvas) => paintLines(canvas, [line], scale, [penOf("a")]));
  assert.deepEqual(calls, ["a 0.25 stroke", "a 1 stroke"]);
});

test("the raised line is whole, also where it is one of many", () => {
  const smoothed = { exact: { x: [0, 1], value: [7, 7] } };
  const raised = (line: Partition) =>
    painted((canvas) => paintRaised(canvas, line, scale, penOf("a")));
  assert.deepEqual(
    raised(dense(1)).map((call) => call.slice(0, 8)),
    ["a 1 fill", "a 1 fill"],
  );
  assert.deepEqual(raised({ ...sparse, smoothed }), ["a 0.25 stroke", "a 1 stroke"]);
});

test("a pattern leaves no column out, and none of a line", () => {
  const pens = [penOf("a", 2)];
  const wide = dense(1);
  const columns = Array.from({ length: 12 }, (_, at) => at);
  const same = (value: number) => columns.map(() => value);
  wide.reduced = {
    column: columns,
    first: same(1),
    last: same(1),
    min: same(1),
    max: same(2),
    mean: same(1),
  };
  const strengths = painted((canvas) => paintLines(canvas, [wide], scale, pens)).map(
    (call) => call.split(" ")[1],
  );
  const half = (strength: string) => Array<string>(4).fill(strength);
  assert.deepEqual(strengths, [...half("1"), ...half("0.45"), ...half("1")]);
  assert.deepEqual(
    painted((canvas) => paintLines(canvas, [sparse], scale, pens)),
    ["a 0.45 stroke", "dashed", "a 1 stroke"],
  );
});

test("a line that leaves the plot has a tick at that edge", () => {
  const tick = { colour: "black", width: 2, height: 4 };
  const ticksOf = (partition: Partition, low: number, high: number, isLog = false) =>
    painted((canvas) => {
      const edges = { top: 10, bottom: 90, low, high, isLog };
      paintEdges(canvas, [partition], scale, edges, tick);
    });
  assert.deepEqual(ticksOf(sparse, 0, 7.5), ["black 1 fill 0 10"]);
  assert.deepEqual(ticksOf(sparse, 7.5, 9), ["black 1 fill -1 86"]);
  assert.deepEqual(ticksOf(dense(-1), -5, 5, true), ["black 1 fill 0 86", "black 1 fill 1 86"]);
  assert.deepEqual(ticksOf(dense(1), 0, 5, true), []);
});

test("earlier points of repeated steps are fainter, below the line, and the line has its breaks", () => {
  const line: Partition = {
    ...none,
    exact: { x: [0, 1, 2, 3], value: [1, 2, 3, 4] },
    earlier: [
      { x: [0, 1], value: [5, 6] },
      { x: [1], value: [9] },
    ],
    breaks: [3],
  };
  const calls = painted((canvas) => paintLines(canvas, [line], scale, [penOf("a")]));
  assert.deepEqual(calls, ["a 0.4 stroke", "a 0.4 stroke", "a 0.4 dot", "a 1 stroke", "a 1 dot"]);
});

test("stretches gone over again are shaded, with a strip at the lower edge", () => {
  const stretches = [{ first: 1, last: 4 }];
  const calls = painted((canvas) =>
    paintRepeated(canvas, stretches, scale, { top: 10, colour: "t", ratio: 2 }),
  );
  assert.deepEqual(calls, ["t 0.1 fill 1 10", "t 0.6 fill 1 94"]);
});
