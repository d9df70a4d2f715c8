import assert from "node:assert/strict";
import { test } from "node:test";
import type { ViewPointsReply } from "@lossless/protocol";
import type { DrawnSource } from "../../points/drawn-sources.ts";
import { ReplyText } from "../../ground/reply-text.ts";
import { readPoints } from "./points.ts";
import { contextOf, readerOf, sourceAt } from "./stored-series.fixture.ts";

const places = Array.from({ length: 100 }, (_, at) => at * 100 + 30);

test("a hundred places sort once what is not sealed, and leave others turns in between", async (context) => {
  const steps = Float64Array.from({ length: 10_000 }, (_, step) => step);
  // A run that was resumed: one point goes back.
  [steps[4_000], steps[4_001]] = [steps[4_001], steps[4_000]];
  const sealed = Array.from({ length: 50 }, (_, at) =>
    sourceAt(2, Float64Array.of(at * 200 + 0.25, at * 200 + 0.5)),
  );
  const sort = context.mock.method(Uint32Array.prototype, "sort");
  const tail: DrawnSource = { ...sourceAt(steps.length, steps), isGrowing: true };
  for (const sources of [[tail], [...sealed, tail]]) {
    const before = sort.mock.callCount();
    const { series, turns } = await ask(sources);
    assert.deepEqual(series[0].step, places);
    const sorts = sort.mock.callCount() - before;
    // Chunks that lie within what is not sealed are put in order with it, stretch by stretch.
    const most = sources.length === 1 ? 1 : 2 * sources.length + 2;
    assert.ok(sorts <= most, `${sorts} sorts`);
    assert.ok(turns >= 2, `${turns} turns`);
  }
});

test("each source is read as often as stretches lie in it, not as places do", async () => {
  let reads = 0;
  const sources = Array.from({ length: 10 }, (_, at) => {
    const steps = Float64Array.from({ length: 1_000 }, (__, row) => at * 1_000 + row);
    const plain = sourceAt(steps.length, steps);
    const read = () => {
      reads++;
      return plain.read();
    };
    return { ...plain, read };
  });
  const { series } = await ask(sources);
  assert.deepEqual(series[0].step, places);
  assert.ok(reads <= 4 * sources.length, `${reads} reads`);
});

async function ask(sources: DrawnSource[]): Promise<ViewPointsReply & { turns: number }> {
  const text = new ReplyText();
  const series = [{ experimentId: "e", seriesName: "loss" }];
  const body = { series, xAxis: "step" as const, places, pointsMax: 1_000 };
  const asked = { organizationId: "o", body };
  const rest = await readPoints(readerOf(["{}"]), asked, text, contextOf(sources));
  let turns = 0;
  let isOver = false;
  const others = (async () => {
    for (; !isOver; turns++) await new Promise(setImmediate);
  })();
  await rest();
  isOver = true;
  await others;
  return { ...(JSON.parse(text.end().toString()) as ViewPointsReply), turns };
}
