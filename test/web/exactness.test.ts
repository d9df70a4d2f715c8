import assert from "node:assert/strict";
import { before, test } from "node:test";
import type { LosslessClient, OverviewReply } from "@lossless/client";
import { pagesSuite } from "./pages-suite.ts";
import { looks, Painters, type Points } from "./painters.ts";

/** More than four a column at every width below, so that columns are what is drawn. */
const pointCount = 40_000;
const waitingMax = 10_000;
const narrow = { width: 1_000, ratio: 1 };

/** All above 0, so that a logarithmic axis shows them, too. */
const shapes: Record<string, (at: number, before: number) => number> = {
  noise: () => 1 + random(),
  spikes: (at) => (at % 4_999 === 17 ? 90 : 2 + random() / 10),
  ema: (_, before) => 0.99 * (before || 3) + 0.01 * (1 + 4 * random()),
  cosine: (at) => 2 + Math.cos((at / pointCount) * 20),
  steps: (at) => 1 + (Math.floor(at / 1_111) % 7) ** 3,
  constant: () => 7,
};

/** The same numbers in every run. */
let seed = 20_240_606;
function random(): number {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  return seed / 2 ** 32;
}

pagesSuite("what a canvas shows, byte for byte", (pages) => {
  let painters: Painters;
  let client: LosslessClient;
  let experimentId: string;
  const values = new Map<string, number[]>();

  before(async () => {
    ({ client } = pages);
    experimentId = await recordAll(client, values);
    painters = await Painters.on((await pages.newPage()).page);
  });

  const take = (name: string, stepOf = (at: number) => at) => {
    const value = values.get(name)!;
    return painters.take({ step: value.map((_, at) => stepOf(at)), value });
  };
  const overview = (seriesName: string, columns: number, range = {}) =>
    client.views.overview({
      series: [{ experimentId, seriesName }],
      xAxis: "step",
      columns,
      ...range,
    });

  for (const shape of Object.keys(shapes)) {
    test(`${shape}: columns of the service are the picture of every point`, async () => {
      await take(shape);
      const differing: string[] = [];
      for (const { width, ratio } of looks) {
        for (const isLog of [false, true]) {
          const reply = await overview(shape, width * ratio);
          assert.ok(reply.series[0].reduced !== undefined, "columns, not points");
          const count = await painters.differing({ width, ratio, isLog }, reply);
          if (count > 0) differing.push(`${width} at ${ratio}: ${count}`);
        }
      }
      assert.deepEqual(differing, []);
    });
  }

  for (const shape of Object.keys(shapes)) {
    test(`${shape}: a part of it is cut out of the picture of every point`, async () => {
      await take(shape);
      const differing: string[] = [];
      for (const { width, ratio } of looks) {
        for (const [start, end] of [
          [10_001, 29_989],
          // So few that they come as they are.
          [17_003, 17_403],
          [20_000, 20_002],
        ]) {
          const reply = await overview(shape, width * ratio, { start, end });
          const { before, after } = reply.series[0];
          assert.deepEqual([before?.x, after?.x], [start - 1, end]);
          const count = await painters.differing({ width, ratio }, reply);
          if (count > 0) differing.push(`${width} at ${ratio}, ${start} to ${end}: ${count}`);
        }
      }
      assert.deepEqual(differing, []);
    });
  }

  test("gaps are the same picture, too, and so are their edges and nothing but one", async () => {
    await take("gaps", gapStep);
    const whole = await overview("gaps", 1_000);
    assert.ok(whole.series[0].reduced!.column.length < 700, "there are empty columns");
    assert.equal(await painters.differing(narrow, whole), 0);
    for (const [start, end, form] of [
      [5_000, 29_000, "reduced"],
      [3_000, 23_999, "reduced"],
      [3_990, 10_010, "exact"],
      [4_500, 9_001, "none"],
    ] as const) {
      const reply = await overview("gaps", 1_000, { start, end });
      const { reduced, exact } = reply.series[0];
      assert.equal(reduced ? "reduced" : exact ? "exact" : "none", form);
      assert.equal(await painters.differing(narrow, reply), 0, `${start} to ${end}`);
    }
  });

  test("a hundred lines over each other are the picture of all their points", async () => {
    const { id, lines } = await recordLines(client);
    await painters.takeLines(lines);
    const ask = async (range = {}) => {
      const replies: OverviewReply[] = [];
      for (let from = 0; from < lineCount; from += 25) {
        const series = Array.from({ length: 25 }, (_, at) => {
          return { experimentId: id, seriesName: `line-${from + at}` };
        });
        replies.push(
          await client.views.overview({ series, xAxis: "step", columns: 500, ...range }),
        );
      }
      return { ...replies[0], series: replies.flatMap(({ series }) => series) };
    };
    const [whole, part] = [await ask(), await ask({ start: 501, end: 2_601 })];
    const look = { width: 500, ratio: 1 };
    for (const isLog of [false, true])
      for (const raised of [undefined, 37])
        assert.equal(await painters.differingLines({ ...look, isLog }, whole, raised), 0);
    assert.equal(await painters.differingLines(look, part), 0);
    // One line of a hundred, a column of one line, and the order of two are seen.
    const { series } = whole;
    const without = { ...whole, series: series.with(50, { ...series[50], reduced: none }) };
    assert.ok((await painters.differingLines(look, without)) > 500);
    const swapped = { ...whole, series: series.with(0, series[1]).with(1, series[0]) };
    assert.ok((await painters.differingLines(look, swapped)) > 500);
    series[99].reduced!.mean[250] += 1;
    assert.ok((await painters.differingLines(look, whole)) > 0);
  });

  test("a spike that is missing, and a join that is left out, are seen", async () => {
    const reply = await overview("spikes", 1_000);
    await take("spikes");
    const { reduced } = reply.series[0];
    const at = reduced!.max.indexOf(90);
    reduced!.max[at] = 2.1;
    assert.ok((await painters.differing(narrow, reply)) > 50);
    // Five points a column, so that a spike stands at the edge of one.
    const wide = { width: 8_000, ratio: 1 };
    const whole = await overview("spikes", 8_000);
    assert.ok((await painters.differingWithoutJoins(wide, whole)) > 50);
    // The point before the range is a spike.
    for (const end of [20_000, 1_000]) {
      const part = await overview("spikes", 1_000, { start: 18, end });
      assert.equal(await painters.differing(narrow, part), 0);
      delete part.series[0].before;
      assert.ok((await painters.differing(narrow, part)) > 10, String(end));
    }
  });
});

const lineCount = 100;
const pointsOfLine = 3_000;
const none = { column: [], first: [], last: [], min: [], max: [], mean: [] };

/** A double adds these values without rounding, so their mean is the same in any order. */
async function recordLines(client: LosslessClient): Promise<{ id: string; lines: Points[] }> {
  const recorder = await client.record({ slug: "lines", meta: {} });
  const lines: Points[] = [];
  for (let line = 0; line < lineCount; line++) {
    const points: Points = { step: [], value: [] };
    for (let step = 0; step < pointsOfLine; step++) {
      const value = 3 + Math.sin(step / 300 + line) + random() / 2 + line / 50;
      points.step.push(step);
      points.value.push(Math.round(value * 64) / 64);
      recorder.record(`line-${line}`, points.value[step], step);
    }
    lines.push(points);
    await recorder.ready();
  }
  await recorder.finish();
  return { id: recorder.experimentId, lines };
}

/** Many points stand together, and then there are none for a while. */
function gapStep(at: number): number {
  return at + 6_000 * Math.floor(at / 4_000);
}

async function recordAll(client: LosslessClient, values: Map<string, number[]>): Promise<string> {
  const recorder = await client.record({ slug: "shapes", meta: {} });
  for (const [name, shape] of Object.entries({ ...shapes, gaps: shapes.noise })) {
    const all: number[] = [];
    for (let at = 0; at < pointCount; at++) {
      all.push(shape(at, all.at(-1) ?? 0));
      recorder.record(name, all[at], name === "gaps" ? gapStep(at) : at);
      if (at % waitingMax === 0) await recorder.ready();
    }
    values.set(name, all);
  }
  await recorder.finish();
  return recorder.experimentId;
}
