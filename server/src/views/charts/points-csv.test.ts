import assert from "node:assert/strict";
import { test } from "node:test";
import { openPointsCsv } from "./points-csv.ts";
import { contextOf, readerOf, sourceAt } from "./stored-series.fixture.ts";

test("the pieces of a file are small however long the metas are", async () => {
  const meta = JSON.stringify({ note: "é".repeat(2_000) });
  const places = Float64Array.from({ length: 2_000 }, (_, at) => at);
  const series = [{ experimentId: "e", seriesName: "loss" }];
  const asked = { organizationId: "o", series, isOfSeveral: false };
  const range = {
    ...asked,
    filter: [],
    hiddenKeys: [],
    xAxis: "step" as const,
    start: 10,
    end: 1_990,
  };
  const context = contextOf([sourceAt(places.length, places)]);
  const open = await openPointsCsv(readerOf([meta]), range, context);
  const [count, ...pieces] = await Array.fromAsync(await open());
  assert.equal(Buffer.from(count).toString(), "1980");
  assert.ok(pieces.every(({ byteLength }) => byteLength < 1024 * 1024));
  const rows = Buffer.concat(pieces).toString().trimEnd().split("\n").slice(1);
  assert.deepEqual(
    rows.map((row) => Number(row.split(",").at(-1))),
    [...places.subarray(10, 1_990)],
  );
});
