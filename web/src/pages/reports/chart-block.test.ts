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
  const pinned = pinnedBlock(block, ["a", "b"], overview, 1_000);
  assert.equal(pinned.query, undefined);
  assert.deepEqual(viewOfBlock(pinned).range, { start: 0, end: 101 });
  assert.deepEqual(askedBy(pinned).asked, { kind: "ids", ids: ["a", "b"] });
  assert.match(standingText(pinned, 100, 1), /^as of \S+ \S+$/);
  assert.match(standingText(pinned, 112, 0), /, 12 points more since$/);
  assert.equal(standingText(block, 1, 0), "live: what “status = running” finds");
  const { query: _, ...rest } = block;
  assert.equal(standingText({ ...rest, experimentIds: ["a"] }, 1, 0), "");
});

test("a chart is added to a report as it is looked at", () => {
  const view = {
    ...viewOfBlock({ ...block, view: "r=3~9" }),
    split: { kind: "key", key: "rank" },
  } as const;
  const members = [{ experimentId: "a" }];
  const choices = [{ key: "rank", value: "0" }];
  const added = chartBlock({ seriesName: "loss", members, choices, view });
  assert.deepEqual(added.experimentIds, ["a"]);
  assert.deepEqual(viewOfBlock(added).range, { start: 3, end: 9 });
  assert.deepEqual(viewOfBlock(added).only, choices);
  assert.deepEqual(viewOfBlock(added).split, { kind: "colour" });
  const live = chartBlock({ seriesName: "loss", members, choices: [], view, query: "" });
  assert.deepEqual([live.query, live.experimentIds], ["", undefined]);
});
