import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExperimentRecord } from "@lossless/client";
import { marksOf } from "./marks.ts";

const record: ExperimentRecord = {
  experimentId: "x",
  slug: "run",
  description: "",
  meta: {},
  status: "error",
  error: "out of memory",
  errorMeta: null,
  createdAtMs: 1,
  updatedAtMs: 9,
  startedAtMs: 2,
  doneAtMs: null,
  errorAtMs: 9,
  statusAtMs: 9,
  folderId: null,
};
const annotation = (text: string, meta: Record<string, unknown>) => ({
  annotationId: text,
  annotation: text,
  meta,
  createdAtMs: 5,
});

test("what happened to a run has its place: where its meta says so, else at its time", () => {
  const notes = [
    annotation("looked", {}),
    annotation("halved", { step: 7 }),
    annotation("loss is NaN", { kind: "nonfinite", metricName: "loss", step: 3, value: "NaN" }),
    annotation("many", { kind: "nonfinite", metricName: "loss", step: 4, value: "NaN", count: 9 }),
    annotation("a picture", { kind: "media", _media: { kind: "image", step: 190 } }),
    annotation("imported", { kind: "nonfinite", metricName: "loss", step: 3, timestampMs: 77 }),
  ];
  const marks = marksOf(record, notes, []).map((mark) => [
    mark.kind,
    mark.step,
    mark.timeMs,
    mark.seriesName,
    mark.isLasting,
  ]);
  assert.deepEqual(marks, [
    ["start", undefined, 2, undefined, undefined],
    ["error", undefined, 9, undefined, undefined],
    ["annotation", undefined, 5, undefined, undefined],
    ["annotation", 7, 5, undefined, undefined],
    ["nonfinite", 3, 5, "loss", undefined],
    ["nonfinite", 4, 5, "loss", true],
    ["media", 190, 5, undefined, undefined],
    ["nonfinite", 3, 77, "loss", undefined],
  ]);
  assert.match(marksOf(record, [], [])[1].words, /out of memory/);
});

test("a start and an end stand where the training began and ended, whenever that was told", () => {
  const placesOf = (
    given: Partial<ExperimentRecord>,
    beganAtMs: number,
    endedAtMs: number | null,
  ) =>
    marksOf({ ...record, ...given }, [], [], { beganAtMs, endedAtMs }).map(({ kind, timeMs }) => [
      kind,
      timeMs,
    ]);
  const told = 1_000_000;
  const resumed = { startedAtMs: told };
  // The service was told after the first point.
  assert.deepEqual(placesOf({}, 1, 9), [
    ["start", 1],
    ["error", 9],
  ]);
  assert.deepEqual(placesOf({ ...resumed, errorAtMs: 2 * told }, 1, 2 * told), [
    ["start", told],
    ["error", 2 * told],
  ]);
  // Recorded offline, and transferred later: ended either way, and in two parts.
  const transferred = { createdAtMs: told, startedAtMs: told, errorAtMs: told + 9 };
  assert.deepEqual(placesOf(transferred, 3, 8), [
    ["start", 3],
    ["error", 8],
  ]);
  const done = { ...transferred, status: "done", errorAtMs: null, doneAtMs: told + 9 } as const;
  assert.deepEqual(placesOf(done, 3, 8), [
    ["start", 3],
    ["done", 8],
  ]);
  assert.match(
    marksOf({ ...record, ...done }, [], [], { beganAtMs: 3, endedAtMs: 8 })[1].words,
    /1970/,
  );
  assert.deepEqual(placesOf({ ...done, createdAtMs: 4 }, 3, 8), [
    ["start", 3],
    ["done", 8],
  ]);
  // An end from before stays where it was, and one whose training time is not known, too.
  assert.deepEqual(placesOf({ ...done, errorAtMs: 5 }, 3, 8), [
    ["start", 3],
    ["done", 8],
    ["error", 5],
  ]);
  assert.deepEqual(placesOf(done, 3, null)[1], ["done", told + 9]);
});

test("a version is one mark, also where a client annotated it, and says how it is pulled", () => {
  const note = (version: string) =>
    annotation(`saved ${version}`, { kind: "artifact", artifact: "run/model", version });
  const written = { artifact: "run/model", version: "5", step: 5, committedAtMs: 4 };
  const marks = marksOf(record, [note("5"), note("0 'x")], [written]).slice(2);
  assert.deepEqual(
    marks.map(({ step, timeMs, saved }) => [step, timeMs, saved?.command]),
    [
      [5, 4, "lossless pull run/model --version 5"],
      [undefined, 5, "lossless pull run/model --version '0 '\\''x'"],
    ],
  );
});
