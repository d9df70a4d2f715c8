import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { isSamePointed, meantLine, pointedLine } from "./pointed.ts";

const line = (experimentId: string, metadata = {}) => ({
  experimentId,
  seriesName: "loss",
  metadata,
  points: 0,
});
const grouped = (...ids: string[]) => ({
  ...line(ids[0]),
  group: { members: ids.map((id) => line(id)), looks: [], lines: 0, count: [], recorded: [] },
});
const overviewOf = (series: object[]) => ({ series }) as unknown as OverviewReply;

test("a line of another chart is that of the same experiment, or of the same partition", () => {
  const pointed = pointedLine(overviewOf([line("a"), line("b")]), 1, "loss")!;
  assert.equal(meantLine(overviewOf([line("b"), line("c")]), pointed), 0);
  assert.equal(meantLine(overviewOf([line("c"), line("d")]), pointed), undefined);
  // A single line of a chart is never raised.
  assert.equal(meantLine(overviewOf([line("b")]), pointed), undefined);
  const parts = overviewOf([line("b", { rank: "1" }), line("b", { rank: "2" })]);
  assert.equal(meantLine(parts, pointed), undefined);
  assert.equal(meantLine(parts, { experimentIds: ["b"] }), 0);
  const second = pointedLine(parts, 1, "loss")!;
  assert.equal(meantLine(overviewOf([line("b"), line("b", { rank: "2" })]), second), 1);
  assert.equal(meantLine(overviewOf([line("a"), line("b")]), second), 1);
});

test("a group is the one of another chart that has any of its members", () => {
  const pointed = pointedLine(overviewOf([grouped("a", "b"), grouped("c")]), 0, "loss")!;
  assert.deepEqual(pointed.experimentIds, ["a", "b"]);
  assert.equal(meantLine(overviewOf([grouped("c"), grouped("b")]), pointed), 1);
  assert.equal(meantLine(overviewOf([line("a"), line("b")]), pointed), undefined);
  assert.equal(meantLine(overviewOf([grouped("c"), grouped("b")]), { experimentIds: ["b"] }), 1);
});

test("while the pointer stays at a line nothing is told again", () => {
  const overview = overviewOf([line("a"), line("a", { rank: "1" }), line("b")]);
  const at = (place: number | undefined, chart = "loss") => pointedLine(overview, place, chart);
  assert.ok(isSamePointed(at(0), at(0)) && isSamePointed(undefined, at(undefined)));
  for (const [one, other] of [
    [at(0), at(1)],
    [at(0), at(2)],
    [at(0), at(0, "norm")],
    [at(0), undefined],
    [at(0), { experimentIds: ["a"] }],
  ] as const)
    assert.ok(!isSamePointed(one, other));
});
