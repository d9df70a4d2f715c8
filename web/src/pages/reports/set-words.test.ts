import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyBlocks } from "./report-draft.ts";
import { chartWords, mediaWords, tableWords } from "./set-words.ts";

test("what is set has words, and nothing else", () => {
  const { chart, table } = emptyBlocks;
  const nameOf = (id: string) => `run ${id}`;
  assert.deepEqual(chartWords(chart, nameOf), []);
  const set = {
    folderId: "f",
    sort: "slug",
    referenceId: "1",
    view: "y=log&s=ema:0.9&m=2&group=lr",
  };
  assert.deepEqual(chartWords({ ...chart, ...set }, nameOf), [
    "in one folder",
    "sorted by slug",
    "marks of run 1",
    "y log",
    "smooth ema:0.9",
    "m 2",
  ]);
  assert.deepEqual(mediaWords(emptyBlocks.media), []);
  assert.deepEqual(tableWords(table), []);
  assert.deepEqual(tableWords({ ...table, folderId: "f", limit: 5 }), ["in one folder", "5 rows"]);
});
