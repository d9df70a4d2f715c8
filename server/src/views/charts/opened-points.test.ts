import assert from "node:assert/strict";
import { test } from "node:test";
import { limits } from "@lossless/protocol/limits";
import { ReplyText } from "../../ground/reply-text.ts";
import { readOverview } from "./overview.ts";
import { openPointsCsv } from "./points-csv.ts";
import { readPoints } from "./points.ts";
import { contextOf, readerOf, sourceAt } from "./stored-series.fixture.ts";

const most = limits.overviewPointsMax;
const series = [
  { experimentId: "e", seriesName: "loss" },
  { experimentId: "e", seriesName: "accuracy" },
];
const tooMany = { code: "bad_request", message: /points would have to be read/ };

test("points of all lines together are bounded, also without a place", async () => {
  const read = async (count: number) => {
    const body = { series, xAxis: "step", pointsMax: 10 } as const;
    const context = contextOf([sourceAt(count, Float64Array.of(1, 2))]);
    const asked = { organizationId: "o", body };
    await (
      await readPoints(readerOf(["{}"]), asked, new ReplyText(), context)
    )();
  };
  await read(most / 2);
  await assert.rejects(read(most / 2 + 1), tooMany);
});

test("looking for where a logarithmic axis begins is bounded", async () => {
  const read = async (count: number) => {
    const body = { series, xAxis: "step", xScale: "log", columns: 10, end: 5 } as const;
    const context = contextOf([
      sourceAt(count, Float64Array.of(0, 0)),
      sourceAt(1, Float64Array.of(7)),
    ]);
    const asked = { organizationId: "o", body };
    await (
      await readOverview(readerOf(["{}"]), asked, new ReplyText(), context)
    )();
  };
  await read(most / 2 - 1);
  await assert.rejects(read(most / 2 + 1), tooMany);
});

test("a file of points counts so many before it begins, and goes on with any", async () => {
  const open = async (start: number) => {
    const asked = {
      organizationId: "o",
      series: [{ experimentId: "e", seriesName: "loss" }],
      isOfSeveral: false,
    };
    const context = contextOf([sourceAt(most + 1, Float64Array.of(1, 2))]);
    const range = {
      ...asked,
      filter: [],
      hiddenKeys: [],
      xAxis: "timestamp" as const,
      start,
      end: Infinity,
    };
    return Array.fromAsync(await (await openPointsCsv(readerOf(["{}"]), range, context))());
  };
  assert.equal((await open(-Infinity)).length, 2);
  await assert.rejects(open(2), tooMany);
});
