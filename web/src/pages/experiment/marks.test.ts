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
    ["annotation", 190, 5, undefined, undefined],
    ["nonfinite", 3, 77, "loss", undefined],
  ]);
  assert.match(marksOf(record, [], [])[1].words, /out of memory/);
  assert.equal(
    marksOf(record, [], [], 1)[0].timeMs,
    1,
    "the service was told after its first point",
  );
  const resumed = { ...record, startedAtMs: 1_000_000 };
  assert.equal(marksOf(resumed, [], [], 1)[0].timeMs, 1_000_000);
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
