import assert from "node:assert/strict";
import { test } from "node:test";
import { ReplyText } from "../../ground/reply-text.ts";
import { BoundedCache } from "../../points/bounded-cache.ts";
import type { PointSource } from "../../points/search.ts";
import { readOverview } from "./overview.ts";
import type { DrawnLine } from "./selected-partitions.ts";
import { contextOf, readerOf } from "./stored-series.fixture.ts";

test("a line that is unchanged is read and drawn once for each way of looking at it", async () => {
  const drawnLines = new BoundedCache<DrawnLine>(2 ** 20);
  const column = Float64Array.from({ length: 1_000 }, (_, at) => at);
  let reads = 0;
  const source: PointSource = {
    count: column.length,
    min: { step: 0, timestamp: 0 },
    max: { step: 999, timestamp: 999 },
    async read() {
      reads++;
      return { step: column, timestamp: column, value: column };
    },
  };
  const draw = async (state: string, more: object) => {
    const context = { ...contextOf([source], state), drawnLines };
    const series = [{ experimentId: "e", seriesName: "loss" }];
    const body = { series, xAxis: "step" as const, columns: 10, ...more };
    const text = new ReplyText();
    await (
      await readOverview(readerOf(["{}"]), { organizationId: "o", body }, text, context)
    )();
    return text.end().toString();
  };
  const smooth = { kind: "ema", weight: 0.9 } as const;
  const ways = [{}, { smooth }, { columns: 20 }, { end: 500 }];
  const drawnAs = async (state: string) => {
    const texts: string[] = [];
    for (const way of ways) texts.push(await draw(state, way));
    return texts;
  };
  const first = await drawnAs("as it was");
  assert.equal(reads, ways.length);
  assert.deepEqual(await drawnAs("as it was"), first);
  assert.equal(reads, ways.length, "what is kept is given");
  assert.deepEqual(await drawnAs("grown"), first);
  assert.equal(reads, 2 * ways.length);
});

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
