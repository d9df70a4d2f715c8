import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blocksOf,
  draftOf,
  emptyBlocks,
  inserted,
  missingIn,
  moved,
  newBlock,
  removed,
  replaced,
  restored,
} from "./report-draft.ts";

const text = (markdown: string) => ({ kind: "text", markdown }) as const;
const words = (draft: ReturnType<typeof draftOf>) =>
  blocksOf(draft).map((block) => (block.kind === "text" ? block.markdown : ""));

test("blocks are inserted, moved, replaced and removed by their keys, which stay theirs", () => {
  let draft = draftOf([text("a"), text("b"), text("c")]);
  draft = inserted(draft, text("a2"), 0);
  assert.deepEqual(words(draft), ["a", "a2", "b", "c"]);
  draft = inserted(draft, text("end"));
  assert.equal(new Set(draft.map(({ key }) => key)).size, 5);
  const { key } = draft[1];
  draft = [...moved(draft, key, 1)];
  assert.deepEqual(words(draft), ["a", "b", "a2", "c", "end"]);
  draft = [...moved(draft, key, -1)];
  assert.deepEqual(words(draft), ["a", "a2", "b", "c", "end"]);
  assert.equal(moved(draft, draft[0].key, -1), draft);
  assert.equal(moved(draft, draft[4].key, 1), draft);
  draft = replaced(draft, key, text("new"));
  assert.deepEqual([words(draft)[1], draft[1].key], ["new", key]);
  assert.deepEqual(words(removed(draft, key)), ["a", "b", "c", "end"]);
});

test("a removed block comes back to its place, with a key of its own", () => {
  const draft = draftOf([text("a"), text("b"), text("c")]);
  const gone = { one: draft[2], at: 2 };
  const later = inserted(removed(draft, draft[2].key), text("new"));
  const back = restored(later, gone);
  assert.deepEqual(words(back), ["a", "b", "c", "new"]);
  assert.equal(new Set(back.map(({ key }) => key)).size, 4);
});

test("a new chart or table is about the experiments of the last one", () => {
  const { text: empty, chart, table } = emptyBlocks;
  const after = (...blocks: Parameters<typeof draftOf>[0]) => draftOf(blocks);
  assert.deepEqual(newBlock("chart", []), chart);
  const asked = { ...chart, query: "tag = best", folderId: "f", seriesName: "loss" };
  const draft = after(table, asked, empty);
  assert.deepEqual(newBlock("table", draft), { ...table, query: "tag = best", folderId: "f" });
  assert.deepEqual(newBlock("text", draft), empty);
  const { query: _, ...unasked } = chart;
  const chosen = after({ ...unasked, experimentIds: ["a"] });
  assert.deepEqual(newBlock("chart", chosen), { ...unasked, experimentIds: ["a"] });
  assert.deepEqual(newBlock("table", chosen), table);
});

test("blocks that would show nothing are told, with what is missing", () => {
  const { text: empty, chart, table, media } = emptyBlocks;
  const of = (...blocks: Parameters<typeof draftOf>[0]) => missingIn(draftOf(blocks));
  assert.equal(of(empty, table), undefined);
  assert.match(of(empty, chart)!, /^Block 2, chart, is not complete: choose a series, or/);
  assert.match(of(media)!, /^Block 1, media, .*: choose experiments and what they logged, or/);
  assert.match(of({ ...media, experimentIds: ["a"] })!, /: choose what they logged, or/);
  assert.match(of({ ...media, name: "samples" })!, /: choose experiments, or/);
  const full = { ...media, experimentIds: ["a"], name: "samples" };
  assert.equal(of({ ...chart, seriesName: "loss" }, full), undefined);
});
