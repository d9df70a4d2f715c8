import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import type { Mark } from "../../chart/lane/marks.ts";
import { nearestIn, timesOf } from "./anchors.ts";

test("the start and the newest times are looked for, and who is left out is counted", () => {
  const most = limits.viewPlacesMax;
  const marks: Mark[] = [
    { kind: "start", words: "", timeMs: 1 },
    ...Array.from({ length: most }, (_, at): Mark => ({
      kind: "version",
      words: "",
      timeMs: 2 + at,
    })),
    { kind: "annotation", words: "", timeMs: 9_000 },
    { kind: "annotation", words: "", timeMs: 9_000 },
    { kind: "annotation", words: "", timeMs: 9_500, step: 3 },
  ];
  const { times, unplaced } = timesOf(marks, "step");
  assert.deepEqual(times.slice(0, 3), [1, 9_000, most + 1]);
  assert.deepEqual([times.length, unplaced], [most, 2]);
  assert.deepEqual(timesOf(marks, "timestamp"), { times: [], unplaced: 0 });
});

test("of points at one time the first is where a run starts, the last where it had got to", () => {
  const line = { x: [5, 5, 5, 9], step: [0, 1, 2, 3], timestampMs: [5, 5, 5, 9] };
  const place = nearestIn(line as unknown as Parameters<typeof nearestIn>[0], 4);
  assert.deepEqual(place, { x: 5, step: 2, firstStep: 0, timestampMs: 5 });
});
