import assert from "node:assert/strict";
import { test } from "node:test";
import {
  blocksOf,
  draftOf,
  dropped,
  duplicated,
  emptyBlocks,
  inserted,
  lastFolderOf,
  missingIn,
  moved,
  newBlock,
  removed,
  replaced,
  restored,
  withColumns,
  withMedia,
  withSeries,
} from "./report-draft.ts";

test("a copy stands behind its block, with a key of its own", () => {
  const draft = draftOf([text("a"), text("b")]);
  const made = duplicated(draft, 0, { key: 2, block: draft[0].block });
  assert.deepEqual(words(made), ["a", "a", "b"]);
  assert.deepEqual(
    made.map(({ key }) => key),
    [0, 2, 1],
  );
});

test("media get what was logged first, and lists begin with the last folder", () => {
  const first = { kind: "image", name: "samples" } as const;
  const draft = draftOf([emptyBlocks.media, { ...emptyBlocks.media, name: "own" }]);
  const named = (key: number) =>
    blocksOf(withMedia(draft, key, first)).map((block) => "name" in block && block.name);
  assert.deepEqual(
    [named(0), named(1)],
    [
      ["samples", "own"],
      ["", "own"],
    ],
  );
  assert.equal(lastFolderOf(draft), undefined);
  const inFolder = { ...emptyBlocks.chart, folderId: "f" };
  assert.equal(lastFolderOf(draftOf([inFolder, emptyBlocks.table])), "f");
});

const text = (markdown: string) => ({ kind: "text", markdown }) as const;
const words = (draft: ReturnType<typeof draftOf>) =>
  blocksOf(draft).map((block) => (block.kind === "text" ? block.markdown : ""));

test("blocks are inserted, moved, replaced and removed by their keys, which stay theirs", () => {
  let draft = draftOf([text("a"), text("b"), text("c")]);
  draft = inserted(draft, { key: 3, block: text("a2") }, 1);
  assert.deepEqual(words(draft), ["a", "a2", "b", "c"]);
  draft = inserted(draft, { key: 4, block: text("end") });
  assert.equal(new Set(draft.map(({ key }) => key)).size, 5);
  const { key } = draft[1];
  draft = [...moved(draft, key, 1)];
  assert.deepEqual(words(draft), ["a", "b", "a2", "c", "end"]);
  draft = [...moved(draft, key, -1)];
  assert.deepEqual(words(draft), ["a", "a2", "b", "c", "end"]);
  assert.equal(moved(draft, draft[0].key, -1), draft);
  assert.equal(moved(draft, draft[4].key, 1), draft);
  const last = draft[4].key;
  assert.deepEqual(words([...dropped(draft, key, last, true)]), ["a", "b", "c", "end", "a2"]);
  assert.deepEqual(words([...dropped(draft, last, key, false)]), ["a", "end", "a2", "b", "c"]);
  assert.equal(dropped(draft, key, key, true), draft);
  draft = replaced(draft, key, text("new"));
  assert.deepEqual([words(draft)[1], draft[1].key], ["new", key]);
  assert.deepEqual(words(removed(draft, key)), ["a", "b", "c", "end"]);
});

test("columns that are read meanwhile change nothing else, and none that were chosen since", () => {
  const [one] = draftOf([{ ...emptyBlocks.table }]);
  const queried = replaced([one], one.key, { ...emptyBlocks.table, query: "slug = a" });
  const [{ block }] = withColumns(queried, one.key, emptyBlocks.table.columns, "status, tag");
  assert.deepEqual(block, { ...emptyBlocks.table, query: "slug = a", columns: "status, tag" });
  const chosen = replaced([one], one.key, { ...emptyBlocks.table, columns: "points" });
  assert.deepEqual(withColumns(chosen, one.key, emptyBlocks.table.columns, "status"), chosen);
});

test("a chart without a series gets one, and keeps the query that was typed meanwhile", () => {
  const typed = { ...emptyBlocks.chart, query: "slug = a" };
  const draft = draftOf([typed, text("a")]);
  const [{ block }, other] = withSeries(draft, 0, "loss");
  assert.deepEqual([block, other], [{ ...typed, seriesName: "loss" }, draft[1]]);
  const chosen = draftOf([{ ...typed, seriesName: "acc" }]);
  assert.deepEqual(withSeries(chosen, 0, "loss"), chosen);
});

test("a removed block comes back to its place", () => {
  const draft = draftOf([text("a"), text("b"), text("c")]);
  const gone = { one: draft[2], at: 2 };
  const later = inserted(removed(draft, draft[2].key), { key: 3, block: text("new") });
  const back = restored(later, gone);
  assert.deepEqual(words(back), ["a", "b", "c", "new"]);
  assert.equal(new Set(back.map(({ key }) => key)).size, 4);
});

test("a new chart or table is about the experiments of the last one", () => {
  const { text: empty, chart, table, media } = emptyBlocks;
  const after = (...blocks: Parameters<typeof draftOf>[0]) => draftOf(blocks);
  assert.deepEqual(newBlock("chart", []), chart);
  const asked = { ...chart, query: "tag = best", folderId: "f", seriesName: "loss" };
  const draft = after(table, asked, empty);
  assert.deepEqual(newBlock("table", draft), { ...table, query: "tag = best", folderId: "f" });
  assert.deepEqual(newBlock("text", draft), empty);
  assert.deepEqual(newBlock("media", draft), { ...media, query: "tag = best", folderId: "f" });
  assert.deepEqual(newBlock("formula", draft), emptyBlocks.formula);
  const { query: _, ...unasked } = chart;
  const chosen = after({ ...unasked, experimentIds: ["a"] });
  assert.deepEqual(newBlock("chart", chosen), { ...unasked, experimentIds: ["a"] });
  assert.deepEqual(newBlock("table", chosen), table);
});

test("blocks that would show nothing are told, with what is missing", () => {
  const { text: empty, chart, table, media } = emptyBlocks;
  const of = (...blocks: Parameters<typeof draftOf>[0]) => missingIn(draftOf(blocks));
  assert.equal(of(empty, table), undefined);
  const told = (...blocks: Parameters<typeof draftOf>[0]) => of(...blocks)!.sentence;
  assert.match(told(empty, chart), /^Block 2, chart, is not complete: choose a series, or/);
  assert.equal(of(empty, chart)!.key, 1);
  const { query: _, ...unasked } = media;
  const none = { ...unasked, experimentIds: [] };
  assert.match(told(none), /^Block 1, media, .*: choose experiments and what they logged, or/);
  assert.match(told({ ...none, experimentIds: ["a"] }), /: choose what they logged, or/);
  assert.match(told(media), /: choose what they logged, or/);
  assert.match(told({ ...none, name: "samples" }), /: choose experiments, or/);
  const full = { ...none, experimentIds: ["a"], name: "samples" };
  const found = { ...media, name: "samples" };
  assert.equal(of({ ...chart, seriesName: "loss" }, full, found), undefined);
});
