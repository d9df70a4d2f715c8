import assert from "node:assert/strict";
import { test } from "node:test";
import type {
  GroupsReply,
  OverviewBody,
  SeriesOperator,
  ViewPointsReply,
} from "@lossless/protocol";
import { ok } from "../../http.ts";
import { Random } from "../../random.ts";
import { type ExperimentCaller, observed } from "../callers.ts";
import { topic } from "../topic.ts";
import { overview, postOverview } from "./overview-calls.ts";
import {
  assertDrawn,
  plainDrawing,
  plainLine,
  plainSmooth,
  randomPoints,
  type RecordedPoint,
  seed,
} from "./plain-lines.ts";

const axes = ["step", "offset", "elapsed", "timestamp", "metric"] as const;
const operators: Record<SeriesOperator, (one: number, other: number) => number> = {
  plus: (one, other) => one + other,
  minus: (one, other) => one - other,
  times: (one, other) => one * other,
  dividedBy: (one, other) => one / other,
};

topic(
  `two series combined (seed ${seed})`,
  (system) => {
    test("columns are what all pairs say: every operator, axis, range and smoothing", async () => {
      const experiment = await system.acme.open();
      const random = new Random(seed);
      const [losses, others, tokens]: RecordedPoint[][] = [[], [], []];
      const firstMs = 1_000_000;
      for (let round = 0; round < 3; round++) {
        const own = randomPoints(random, 300, firstMs);
        // Small whole numbers: many are 0, of either sign.
        const second = randomPoints(random, 300, firstMs, 1_100).map((point) => ({
          ...point,
          metricValue: Math.round(point.metricValue / 20),
        }));
        const third = randomPoints(random, 390, firstMs, 1_000);
        await experiment.send(
          ...own.map((point) => experiment.metric({ ...point })),
          ...second.map((point) => experiment.metric({ ...point, metricName: "val" })),
          ...third.map((point) => experiment.metric({ ...point, metricName: "tokens" })),
        );
        losses.push(...own);
        others.push(...second);
        tokens.push(...third);
      }
      const all = [...losses, ...others, ...tokens];
      const beganMs = Math.min(...all.map(({ timestampMs }) => timestampMs));
      const firstStep = Math.min(...losses.map(({ step }) => step));
      for (const operator of Object.keys(operators) as SeriesOperator[]) {
        const { points, unpaired, nonfinite } = plainPairs(losses, others, operator);
        if (operator === "dividedBy") assert.ok(nonfinite > 0, "no division by 0");
        for (const xAxis of axes) {
          const { line: placed } = plainLine(points, xAxis, tokens, beganMs);
          // An offset counts from the series' first step, which may have no pair.
          const moved = points.length === 0 ? 0 : Math.min(...points.map(({ step }) => step));
          const line =
            xAxis === "offset"
              ? placed.map(({ x, value }) => ({ x: x + moved - firstStep, value }))
              : placed;
          const at = (share: number) => line[Math.floor(share * (line.length - 1))].x;
          for (const range of [{}, { start: at(0.3), end: at(0.6) + 1 }])
            for (const columns of [7, 2_000])
              for (const smooth of [undefined, { kind: "ema", weight: 0.9 } as const]) {
                const asked = { ...bodyOf(experiment, operator, xAxis), ...range, columns };
                const body = { ...asked, ...(smooth && { smooth }) };
                const reply = await overview(system, system.acme, body);
                const [partition] = reply.series;
                assertDrawn(partition, plainDrawing(line, reply), 0);
                if (smooth !== undefined)
                  assertDrawn(
                    partition.smoothed ?? {},
                    plainDrawing(plainSmooth(line, smooth), reply),
                    1e-9,
                  );
                assert.deepEqual(partition.combined, {
                  operator,
                  seriesName: "val",
                  unpaired,
                  nonfinite,
                });
                assert.equal(
                  partition.points,
                  line.filter(({ x }) => x >= reply.start && x < reply.end).length,
                );
              }
        }
      }
    });

    test("steps without a partner, divisions by 0 and overflows have no point, and are counted", async () => {
      const experiment = await system.acme.open();
      const metric = (
        metricName: string,
        step: number,
        metricValue: number,
        timestampMs = step,
        meta = {},
      ) => experiment.metric({ metricName, step, metricValue, timestampMs, meta });
      await experiment.send(
        metric("loss", 1, 10),
        metric("loss", 2, 0),
        metric("loss", 3, 12),
        metric("loss", 4, 1e308),
        metric("loss", 5, -6),
        // Recorded again: the last value counts.
        metric("loss", 5, 0, 50),
        metric("loss", 6, 1),
        metric("val", 1, 4, 900),
        metric("val", 2, 0),
        metric("val", 3, 0),
        metric("val", 4, 1e-10),
        metric("val", 5, -3),
        metric("val", 7, 1),
        metric("loss", 1, 3, 1, { rank: "1" }),
      );
      const read = async (operator: SeriesOperator) => {
        const body = { ...bodyOf(experiment, operator, "step"), pointsMax: 100 };
        const path = "/api/views/v1/points";
        const { credential } = system.acme;
        const reply = ok<ViewPointsReply>(await observed(system, { path, credential, body }));
        return reply.series.map(({ step, value, timestampMs, combined }) => ({
          points: step.map((each, at) => [each, value[at], timestampMs[at]]),
          counts: [combined?.unpaired, combined?.nonfinite],
        }));
      };
      assert.deepEqual(await read("dividedBy"), [
        { points: [], counts: [1, 0] },
        {
          points: [
            [1, 2.5, 900],
            [5, 0, 50],
          ],
          counts: [2, 3],
        },
      ]);
      const [, { points, counts }] = await read("minus");
      assert.deepEqual(points, [
        [1, 6, 900],
        [2, 0, 2],
        [3, 12, 3],
        [4, 1e308, 4],
        [5, 3, 50],
      ]);
      assert.deepEqual(counts, [2, 0]);
      const query = new URLSearchParams({
        experimentId: experiment.experimentId,
        seriesName: "loss",
        operator: "dividedBy",
        otherSeriesName: "val",
        xAxis: "step",
      });
      const file = await observed(system, {
        path: `/api/views/v1/points.csv?${query.toString()}`,
        credential: system.acme.credential,
        method: "GET",
      });
      assert.equal(file.text, 'metadata,step,timestampMs,value\n"{}",1,900,2.5\n"{}",5,50,0\n');
      query.delete("otherSeriesName");
      const refused = await observed(system, {
        path: `/api/views/v1/points.csv?${query.toString()}`,
        credential: system.acme.credential,
        method: "GET",
      });
      assert.equal(refused.status, 400);
    });

    test("a value that is not finite is no point, and the end of the line says that one may follow", async () => {
      const experiment = await system.acme.open();
      const metric = (metricName: string, step: number) =>
        experiment.metric({ metricName, step, metricValue: step + 1 });
      await experiment.send(
        metric("loss", 0),
        metric("loss", 1),
        metric("val", 0),
        metric("val", 1),
        metric("val", 2),
      );
      const body = { ...bodyOf(experiment, "dividedBy", "step"), columns: 10 };
      const ends = async () =>
        (await overview(system, system.acme, body)).series.map((line) => [
          line.exact,
          line.mayEndNonfinite,
          line.lastNonfinite,
        ]);
      assert.deepEqual(await ends(), [[{ x: [0, 1], value: [1, 1] }, undefined, undefined]]);
      const meta = {
        kind: "nonfinite",
        metricName: "loss",
        step: 2,
        timestampMs: 1_700_000_000_000,
        value: "NaN",
      };
      await experiment.send(experiment.event("annotate", { annotation: "not finite", meta }));
      assert.deepEqual(await ends(), [[{ x: [0, 1], value: [1, 1] }, true, undefined]]);
    });

    test("groups are means of the combined lines of all that a query finds", async () => {
      const name = `grouped-${seed}`;
      for (const [at, ratio] of [2, 5, 11].entries()) {
        const experiment = await system.acme.open(`${name}-${at}`);
        const points = [0, 1, 2, 3].flatMap((step) => {
          const at = { step, timestampMs: step };
          // Steps 2 and 3 have no partner.
          const own = experiment.metric({ ...at, metricValue: ratio * (step + 1) });
          const metricValue = step + 1;
          const other = experiment.metric({ ...at, metricName: "val", metricValue });
          return step < 2 ? [own, other] : [own];
        });
        await experiment.send(...points);
      }
      const lone = await system.acme.open(`${name}-lone`);
      await lone.send(lone.metric({ metricValue: 9 }));
      await system.told();
      const body = {
        query: `slug ~ ${name}-*`,
        seriesName: "loss",
        combined: { operator: "dividedBy", seriesName: "val" },
        by: [],
        xAxis: "step",
        columns: 2,
      };
      const { credential } = system.acme;
      const path = "/api/views/v1/groups";
      const reply = ok<GroupsReply>(await observed(system, { path, credential, body }));
      const [{ column, count, mean, min, max, experiments }] = reply.groups;
      assert.deepEqual([reply.start, reply.end], [0, 2]);
      assert.deepEqual(
        { column, count, mean, min, max },
        {
          column: [0, 1],
          count: [3, 3],
          mean: [6, 6],
          min: [2, 2],
          max: [11, 11],
        },
      );
      assert.deepEqual([reply.experiments, experiments, reply.withoutSeries], [4, 3, 1]);
    });

    test("what is drawn follows both series, and other experiments and names have nothing", async () => {
      const experiment = await system.acme.open();
      const metric = (metricName: string, step: number, metricValue: number) =>
        experiment.metric({ metricName, step, metricValue });
      await experiment.send(metric("loss", 0, 1), metric("loss", 1, 2), metric("val", 0, 4));
      const body = { ...bodyOf(experiment, "dividedBy", "step"), columns: 10 };
      const read = async () => (await overview(system, system.acme, body)).series[0].exact?.value;
      assert.deepEqual(await read(), [0.25]);
      await experiment.send(metric("val", 1, 16));
      assert.deepEqual(await read(), [0.25, 0.125]);
      const missing = { operator: "plus", seriesName: "none" } as const;
      const series = [{ ...body.series[0], combined: missing }];
      const reply = await overview(system, system.acme, { ...body, series });
      assert.deepEqual(reply.series[0].combined, { ...missing, unpaired: 2, nonfinite: 0 });
      assert.equal(reply.series[0].exact, undefined);
      const foreign = await overview(system, system.rival, body);
      assert.deepEqual(foreign.series, []);
      const unknown = { ...missing, operator: "modulo" };
      const wrong = { ...body, series: [{ ...body.series[0], combined: unknown }] };
      assert.equal((await postOverview(system, system.acme, wrong)).status, 400);
    });
  },
  { alone: false, flags: ["--seal-points", "500"] },
);

function bodyOf(
  { experimentId }: ExperimentCaller,
  operator: SeriesOperator,
  xAxis: OverviewBody["xAxis"],
) {
  const combined = { operator, seriesName: "val" };
  return {
    series: [{ experimentId, seriesName: "loss", combined }],
    xAxis,
    ...(xAxis === "metric" && { xSeriesName: "tokens" }),
  };
}

/** The last value of each step with the other's there, one by one. */
function plainPairs(
  own: readonly RecordedPoint[],
  others: readonly RecordedPoint[],
  operator: SeriesOperator,
) {
  const [one, other] = [own, others].map(
    (points) =>
      new Map(
        points
          .toSorted((left, right) => left.timestampMs - right.timestampMs)
          .map((point) => [point.step, point]),
      ),
  );
  const steps = [...one.keys()].filter((step) => other.has(step));
  const results = steps.map((step): RecordedPoint => {
    const pair = [one.get(step)!, other.get(step)!];
    return {
      step,
      timestampMs: Math.max(...pair.map(({ timestampMs }) => timestampMs)),
      metricValue: operators[operator](pair[0].metricValue, pair[1].metricValue) + 0,
    };
  });
  const points = results.filter(({ metricValue }) => Number.isFinite(metricValue));
  return {
    points,
    unpaired: one.size + other.size - 2 * steps.length,
    nonfinite: results.length - points.length,
  };
}
