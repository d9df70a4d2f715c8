import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewReply } from "@lossless/client";
import { lastOf, readingAt } from "../cursor/reading.ts";
import { groupRows } from "./group-rows.ts";
import { groupLines } from "./group-lines.ts";
import { nextPlace } from "../cursor/nearest.ts";

const overview: OverviewReply = {
  xAxis: "step",
  xScale: "linear",
  start: 0,
  end: 4,
  columns: 2,
  partitions: 2,
  points: 4,
  series: ["a", "b"].map((experimentId, at) => ({
    experimentId,
    seriesName: "loss",
    metadata: {},
    points: 2,
    exact: { x: [0, 2], value: [1 + at, 3 + at] },
  })),
};
const members = ["a", "b"].map((experimentId) => ({
  experimentId,
  revision: 1,
  meta: new Map([["meta.name", 'x, "y"']]),
}));

test("groups as a file: their means, bands and members, column by column", () => {
  const { overview: drawn, looks } = groupLines(
    overview,
    members,
    { kind: "by", keys: ["meta.name"] },
    "minmax",
  );
  assert.deepEqual(groupRows(drawn, looks, { band: "minmax" }), [
    ["group", "step", "mean", "min", "max", "members", "recorded"],
    ['name=x, "y"', 0, 1.5, 1, 2, 2, 2],
    ['name=x, "y"', 2, 3.5, 3, 4, 2, 2],
  ]);
});

test("lines that are no groups make no such file", () => {
  assert.deepEqual(groupRows(overview, [], { band: "std" }), []);
  assert.deepEqual(groupRows(undefined, [], { band: "std" }), []);
});

test("a damaged line stands beside the groups with its problem", () => {
  const error = { code: "data_corrupted", message: "its checksum" } as const;
  const [one, other] = overview.series;
  const series = [{ ...one, exact: undefined, error } as never, other];
  const { overview: drawn } = groupLines(
    { ...overview, series },
    members,
    { kind: "without", keys: ["meta.seed"] },
    "minmax",
  );
  assert.deepEqual(
    drawn.series.map(({ error: problem, points }) => [problem?.code, points]),
    [
      [undefined, 2],
      ["data_corrupted", 2],
    ],
  );
});

test("the partitions of an experiment, put together, look like the experiment", () => {
  const kind = { colour: 3, pattern: 1 };
  const among = members.map((member, at) => ({ ...member, among: { name: `run ${at}`, kind } }));
  const { looks } = groupLines(overview, among, { kind: "without", keys: ["rank"] }, "minmax");
  assert.deepEqual(looks, [
    { name: "run 0", kind },
    { name: "run 1", kind },
  ]);
});

test("a group is read at the steps that were recorded, between which its line is only drawn", () => {
  const axis = { ...overview, start: 0, end: 2_001, columns: 200 };
  const lineOf = (id: string, x: number[]) => ({
    ...overview.series[0],
    experimentId: id,
    exact: { x, value: x.map((one) => one / 1_000) },
  });
  const drawn = (one: number[], other: number[]) => {
    const both = { ...axis, series: [lineOf("a", one), lineOf("b", other)] };
    return groupLines(both, members, { kind: "by", keys: ["meta.name"] }, "minmax").overview;
  };
  const every = [0, 200, 400, 600, 800, 1_000, 1_200, 1_400, 1_600, 1_800, 2_000];
  const [together] = drawn(every, every).series;
  const read = readingAt(together, axis, 1_511);
  assert.deepEqual([read?.x, read?.group?.count, read?.group?.recorded], [1_600, 2, 2]);
  assert.equal(read?.group?.mean, 1.6);
  // A member without a point there counts with its interpolated value.
  const [staggered] = drawn(every, [0, 700, 2_000]).series;
  const alone = readingAt(staggered, axis, 1_511);
  assert.deepEqual([alone?.x, alone?.group?.count, alone?.group?.recorded], [1_600, 2, 1]);
  assert.equal(lastOf(together)?.group?.mean, 2);
  assert.equal(nextPlace(drawn(every, every), 1_450, 1), 1_600);
});

test("the last mean of a group with a member that diverged is told as one of finite values", () => {
  const grouping = { kind: "by", keys: ["meta.name"] } as const;
  const lastIn = (of: OverviewReply) =>
    lastOf(groupLines(of, members, grouping, "minmax").overview.series[0])?.isLastFinite;
  assert.equal(lastIn(overview), undefined);
  const [one, other] = overview.series;
  const diverged = { ...other, lastNonfinite: { value: "NaN" } } as const;
  assert.equal(lastIn({ ...overview, series: [one, diverged] }), true);
});
