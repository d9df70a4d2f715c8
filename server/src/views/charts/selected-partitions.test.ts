import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { selectPartitions } from "./selected-partitions.ts";
import { contextOf, readerOf } from "./stored-series.fixture.ts";

const named = { experimentId: "e", seriesName: "loss" };
const noFilter = { organizationId: "o", xAxis: "step", linesMax: 1_000 } as const;
const noneMatches = [{ metadataKey: "rank" }];

test("a series that is named again is not looked up again", async () => {
  let looks = 0;
  const reader = readerOf(["{}"], () => looks++);
  const series = Array<typeof named>(100).fill(named);
  const { matching } = await selectPartitions(reader, { ...noFilter, series }, contextOf([]));
  assert.deepEqual({ looks, matching }, { looks: 1, matching: 100 });
});

test("between two series it notices that nobody waits", async () => {
  const left = new AbortController();
  const reader = readerOf(["{}"], () => setImmediate(() => left.abort()));
  const series = [named, named].map((one) => ({ ...one, filter: noneMatches }));
  const context = { ...contextOf([]), signal: left.signal };
  const selected = selectPartitions(reader, { ...noFilter, series }, context);
  await assert.rejects(selected, { name: "AbortError" });
});

test("partitions that are looked through are bounded together", async () => {
  const reader = readerOf(Array<string>(limits.viewPartitionsMax / 10).fill("{}"));
  const select = (count: number) => {
    const series = Array.from({ length: count }, () => ({ ...named, filter: noneMatches }));
    return selectPartitions(reader, { ...noFilter, series }, contextOf([]));
  };
  assert.equal((await select(10)).matching, 0);
  await assert.rejects(select(11), { code: "bad_request", message: /partitions together/ });
});
