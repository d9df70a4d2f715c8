import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { chartBlock, viewText } from "../../saved/chart-block.ts";
import { askedBy, pinnedBlock, standingText, titleOf, viewOfBlock } from "./chart-block.ts";

const block = {
  kind: "chart",
  query: "status = running",
  seriesName: "loss",
  title: "",
  view: "x=elapsed&s=ema%3A0.99&only=split%3Dval",
} as const;

test("a block's view is that of an address, both ways", () => {
  const view = viewOfBlock(block);
  assert.deepEqual(view.x, { kind: "elapsed" });
  assert.deepEqual(view.smooth, { kind: "ema", weight: 0.99 });
  assert.deepEqual(view.only, [{ key: "split", value: "val" }]);
  assert.deepEqual(viewOfBlock({ ...block, view: viewText(view) }), view);
  assert.equal(viewText(viewOfBlock({ ...block, view: "" })), "");
  assert.equal(titleOf(block), "loss · split=val");
});

test("what is pinned names the experiments and the range of then, and says what came since", () => {
  const overview = { start: 0, end: 101, points: 100 } as OverviewReply;
  const pinned = pinnedBlock(block, ["a", "b"], overview, undefined, 1_000);
  assert.equal(pinned.query, undefined);
  assert.deepEqual(viewOfBlock(pinned).range, { start: 0, end: 101 });
  assert.deepEqual(askedBy(pinned).asked, { kind: "ids", ids: ["a", "b"] });
  const standing = (points: number, running = 0) => ({ points, running, folder: "a/b" });
  assert.match(standingText(pinned, standing(100, 1)), /^as of \S+ \S+$/);
  assert.match(standingText(pinned, standing(112)), /, 12 more points since$/);
  assert.equal(standingText(block, standing(1)), "live: experiments found by “status = running”");
  const { query: _, ...rest } = block;
  assert.equal(standingText({ ...rest, experimentIds: ["a"] }, standing(1)), "");
  const filed = { ...block, query: "", folderId: "f", sort: "metric.loss.min" };
  const words = "live: all experiments in a/b, sorted by metric.loss.min";
  assert.equal(standingText(filed, standing(1)), words);
});

test("experiments that a query names by ids are counted, and unreadable queries are as written", () => {
  const words = (query: string, sort?: string) =>
    standingText(
      { ...block, query, ...(sort !== undefined && { sort }) },
      { points: 1, running: 0, folder: "" },
    );
  assert.equal(words("id in (m8q15t, m8q15u, m8q15v)"), "live: 3 chosen experiments");
  assert.equal(words("id = m8q15t", "slug"), "live: 1 chosen experiment, sorted by slug");
  assert.equal(words("not id in (m8q15t)"), "live: all experiments except 1");
  const excluded = "status = done and not id in (m8q15t, m8q15u)";
  assert.equal(words(excluded), "live: experiments found by “status = done” except 2");
  assert.equal(words("id in (m8q15t) or a"), "live: experiments found by “id in (m8q15t) or a”");
  assert.equal(words("status ="), "live: experiments found by “status =”");
});

test("a query is asked again in its folder and order; what is kept as of a moment has neither", () => {
  const live = { ...block, folderId: "f", sort: "points desc", referenceId: "b" };
  const sort = [{ field: "points", descending: true }];
  const { asked, reference } = askedBy(live);
  assert.deepEqual(asked, { kind: "query", query: "status = running", sort, folder: "f" });
  assert.equal(reference, "b");
  const overview = { start: 0, end: 9, points: 9 } as OverviewReply;
  const { view: _, pinned, ...kept } = pinnedBlock(live, ["a", "b"], overview, undefined, 1);
  assert.deepEqual(pinned, { atMs: 1, points: 9 });
  const experimentIds = ["a", "b"];
  const named = { kind: "chart", seriesName: "loss", title: "" };
  assert.deepEqual(kept, { ...named, experimentIds, referenceId: "b" });
});

test("a chart is added to a report as it is looked at", () => {
  const view = {
    ...viewOfBlock({ ...block, view: "r=3~9" }),
    split: { kind: "key", key: "rank" },
  } as const;
  const members = [{ experimentId: "a" }, { experimentId: "b" }];
  const choices = [{ key: "rank", value: "0" }];
  const shown = { seriesName: "loss", members, choices, view };
  const added = chartBlock({ ...shown, marked: "a" });
  assert.deepEqual([added.experimentIds, added.referenceId], [["a", "b"], undefined]);
  assert.deepEqual(viewOfBlock(added).range, { start: 3, end: 9 });
  assert.deepEqual(viewOfBlock(added).only, choices);
  assert.deepEqual(viewOfBlock(added).split, { kind: "colour" });
  const live = chartBlock({ ...shown, live: { query: "", folderId: "f" }, marked: "b" });
  assert.deepEqual([live.query, live.folderId, live.experimentIds], ["", "f", undefined]);
  assert.equal(live.referenceId, "b");
});
