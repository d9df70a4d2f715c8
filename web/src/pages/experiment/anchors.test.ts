import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import type { Mark } from "../../chart/lane/marks.ts";
import { timesOf } from "./anchors.ts";

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
