import assert from "node:assert/strict";
import { test } from "node:test";
import { chartsOf, keysOf } from "./partitions.ts";

const loss = { seriesName: "loss", metadata: { rank: ["0", "1", "10", "2"], split: ["val"] } };
const lr = { seriesName: "lr", metadata: {} };
const colour = { kind: "colour" as const };

test("keys have all values of all series, numbers in their order", () => {
  const other = { seriesName: "x", metadata: { rank: ["3"] } };
  assert.deepEqual(
    [...keysOf([loss, lr, other])],
    [
      ["rank", ["0", "1", "2", "3", "10"]],
      ["split", ["val"]],
    ],
  );
});

test("a series has a chart, or one for each value of a key that it has", () => {
  const byRank = { kind: "key" as const, key: "rank" };
  assert.deepEqual(chartsOf(loss, { split: colour, only: [] }), [[]]);
  assert.deepEqual(chartsOf(lr, { split: byRank, only: [{ key: "rank", value: "1" }] }), [[]]);
  assert.deepEqual(
    chartsOf(loss, { split: byRank, only: [{ key: "split", value: "val" }] }).map((choices) =>
      choices.map(({ key, value }) => `${key}=${value}`).join(" "),
    ),
    ["split=val rank=0", "split=val rank=1", "split=val rank=2", "split=val rank=10"],
  );
  assert.deepEqual(chartsOf(loss, { split: byRank, only: [{ key: "rank", value: "2" }] }), [
    [{ key: "rank", value: "2" }],
  ]);
  assert.deepEqual(chartsOf(undefined, { split: byRank, only: [] }), [[]]);
});
