import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplyText } from "../../ground/reply-text.ts";
import type { PointSource } from "../../points/search.ts";
import { readOverview } from "./overview.ts";
import { contextOf, readerOf } from "./stored-series.fixture.ts";

test("when nobody waits any more, no further chunk is read", async () => {
  for (const xAxis of ["step", "timestamp"] as const) {
    const left = new AbortController();
    let reads = 0;
    const sources = Array.from({ length: 50 }, (_, at): PointSource => {
      const column = Float64Array.of(at, at + 1_000);
      const bounds = (place: number) => ({ step: place, timestamp: place });
      return {
        count: 2,
        min: bounds(at),
        max: bounds(at + 1_000),
        async read() {
          if (++reads === 10) left.abort();
          return { step: column, timestamp: column, value: column };
        },
      };
    });
    const context = { ...contextOf(sources), signal: left.signal };
    const series = [{ experimentId: "e", seriesName: "loss" }];
    const asked = { organizationId: "o", body: { series, xAxis, columns: 10 } };
    const draw = await readOverview(readerOf(["{}"]), asked, new ReplyText(), context);
    assert.equal(reads, 0, "nothing is decoded while the transaction is open");
    await assert.rejects(draw(), { name: "AbortError" });
    assert.equal(reads, 10);
  }
});
