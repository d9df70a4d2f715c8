import assert from "node:assert/strict";
import { test } from "node:test";
import { axisOfLanes, segmentsOf, stateAt, type TextState } from "./text-segments.ts";

const state = (text: string, step: number, endStep: number | null): TextState => ({
  text,
  isCut: false,
  step,
  endStep,
  timestampMs: 0,
  items: 1,
});
const shown = (segments: ReturnType<typeof segmentsOf>) =>
  segments.map(({ left, right, states }) => [left, right, states.map(({ text }) => text).join()]);

test("each text has the part of the axis where it holds, the last one up to the end", () => {
  const states = [state("warm-up", 0, 20), state("train", 20, 90), state("decay", 90, null)];
  assert.deepEqual(shown(segmentsOf(states, { start: 0, end: 100 }, 0.01)), [
    [0, 0.2, "warm-up"],
    [0.2, 0.9, "train"],
    [0.9, 1, "decay"],
  ]);
  // In a zoom the first one has begun before.
  assert.deepEqual(shown(segmentsOf(states, { start: 10, end: 30 }, 0.01)), [
    [0, 0.5, "warm-up"],
    [0.5, 1, "train"],
  ]);
  const axis = axisOfLanes([{ experimentId: "a", metadata: {}, states }]);
  assert.ok(axis.start === 0 && axis.end > 90 && axis.end < 100);
});

test("texts too short to be told apart are one segment, and long ones stay alone", () => {
  const many = Array.from({ length: 50 }, (_, at) => state(`s${at}`, at, at + 1));
  const states = [state("long", -100, 0), ...many, state("end", 50, null)];
  const segments = segmentsOf(states, { start: -100, end: 200 }, 0.01);
  assert.deepEqual(
    segments[0].states.map(({ text }) => text),
    ["long"],
  );
  assert.deepEqual(
    segments
      .at(-1)!
      .states.map(({ text }) => text)
      .at(-1),
    "end",
  );
  const all = segments.flatMap((one) => one.states.map(({ text }) => text));
  assert.deepEqual(
    all,
    states.map(({ text }) => text),
  );
  assert.ok(segments.length < 30, String(segments.length));
});

test("the text at a step is the last that began before", () => {
  const states = [state("a", 5, 10), state("b", 10, null)];
  assert.deepEqual(
    [4, 5, 9, 10, 99].map((step) => stateAt(states, step)?.text),
    [undefined, "a", "a", "b", "b"],
  );
});
