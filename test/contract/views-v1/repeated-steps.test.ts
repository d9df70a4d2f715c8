import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewBody } from "@lossless/protocol";
import type { ExperimentCaller } from "../callers.ts";
import { topic } from "../topic.ts";
import { overview } from "./overview-calls.ts";

topic(
  "steps gone over again",
  (system) => {
    const begun = 1_700_000_000_000;
    /** Every `apart`-th step from `start` to before `end`, a millisecond each from `fromMs` on. */
    const record = async (
      experiment: ExperimentCaller,
      [start, end, apart]: [number, number, number],
      fromMs: number,
    ) => {
      const points = Array.from({ length: Math.ceil((end - start) / apart) }, (_, at) =>
        experiment.metric({
          step: start + at * apart,
          timestampMs: begun + fromMs + at,
          metricValue: at,
        }),
      );
      for (let at = 0; at < points.length; at += 1_000)
        await experiment.send(...points.slice(at, at + 1_000));
    };
    const lineOf = async ({ experimentId }: ExperimentCaller, body: Partial<OverviewBody> = {}) => {
      const series = [{ experimentId, seriesName: "loss" }];
      const columns = 100;
      const reply = await overview(system, system.acme, {
        series,
        xAxis: "step",
        columns,
        ...body,
      });
      return { ...reply.series[0], stepsAColumn: (reply.end - reply.start) / reply.columns };
    };

    test("of exact points those are told that were recorded before the one ahead", async () => {
      const experiment = await system.acme.open();
      await record(experiment, [0, 30, 1], 0);
      await record(experiment, [20, 26, 1], 1_000);
      // 20 and 20 again, 21 before it, and so on; 26 is of the first time, behind the second 25.
      assert.deepEqual((await lineOf(experiment)).back, [22, 24, 26, 28, 30, 32]);
      assert.deepEqual(
        (await lineOf(experiment, { xAxis: "offset", start: 21 })).back,
        [2, 4, 6, 8, 10],
      );
      assert.equal((await lineOf(experiment, { xAxis: "elapsed" })).back, undefined);
    });

    test("columns of stretches that a run went over again are told, however they are made", async () => {
      for (const apart of [1, 10]) {
        const experiment = await system.acme.open();
        await record(experiment, [0, 6_000 * apart, apart], 0);
        await record(experiment, [2_000 * apart, 3_000 * apart, apart], 10_000);
        for (const body of [
          {},
          { align: true },
          { smooth: { kind: "ema", weight: 0.9 } },
        ] as const) {
          const { repeated = [], stepsAColumn } = await lineOf(experiment, body);
          const [first, last] = [2_000, 2_999].map((at) => Math.floor((at * apart) / stepsAColumn));
          const name = JSON.stringify({ apart, body, repeated });
          assert.equal(repeated[0], first, name);
          // The end of the last column may have been recorded only once.
          assert.ok(repeated.at(-1) === last || repeated.at(-1) === last - 1, name);
          assert.equal(repeated.length, repeated.at(-1)! - first + 1, name);
        }
        assert.equal((await lineOf(experiment, { xAxis: "elapsed" })).repeated, undefined);
      }
    });

    test("a clock that is set back repeats no step", async () => {
      const experiment = await system.acme.open();
      await record(experiment, [0, 3_000, 1], 50_000);
      await record(experiment, [3_000, 6_000, 1], 0);
      for (const columns of [100, 2_000]) {
        const { repeated, back } = await lineOf(experiment, { columns });
        assert.deepEqual([repeated, back], [undefined, undefined]);
      }
    });
  },
  { alone: false, flags: ["--seal-points", "500"] },
);
