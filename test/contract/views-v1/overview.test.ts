import assert from "node:assert/strict";
import { test } from "node:test";
import { columnOf, type OverviewBody, type OverviewReply } from "@lossless/protocol";
import type { HttpReply } from "../../http.ts";
import { observed, type ExperimentCaller, type OrganizationCaller } from "../callers.ts";
import { topic, type System } from "../topic.ts";

interface Point {
  step: number;
  timestampMs: number;
  metricValue: number;
}

topic(
  "overview",
  (system) => {
    test("columns are what all points say, sealed and not, on both axes and in any range", async () => {
      const experiment = await system.acme.open();
      const points: Point[] = [];
      // Several requests, so that points lie in overlapping segments and in the log.
      for (let round = 0; round < 4; round++) points.push(...(await record(experiment, 300)));
      for (const xAxis of ["step", "timestamp"] as const) {
        for (const range of [
          {},
          { start: 100 },
          { end: 900 },
          { start: 333, end: 334 },
          { end: 1 },
          { start: 2_000 },
        ]) {
          for (const columns of [1, 7, 64, 2_000]) {
            const selection = { experimentId: experiment.experimentId, seriesName: "loss" };
            const body = { series: [selection], xAxis, columns, ...range };
            const reply = await overview(system, system.acme, body);
            assert.deepEqual(reply.series[0], { ...expected(points, reply), ...selection });
            assert.equal(reply.points, reply.series[0].points);
          }
        }
      }
    });

    test("each partition is reduced by itself, in the order of the request", async () => {
      const experiment = await system.acme.open();
      const metric = (metricName: string, meta: Record<string, string>, metricValue: number) =>
        experiment.metric({ metricName, meta, metricValue, step: 5 });
      await experiment.send(
        metric("b", { rank: "1" }, 1),
        metric("b", { rank: "0" }, 2),
        metric("a", {}, 3),
      );
      const { experimentId } = experiment;
      const filter = [{ metadataKey: "rank", metadataValue: "1" }];
      const reply = await overview(system, system.acme, {
        series: [
          { experimentId, seriesName: "b" },
          { experimentId, seriesName: "none" },
          { experimentId, seriesName: "a" },
          { experimentId, seriesName: "b", filter },
        ],
        xAxis: "step",
        columns: 10,
      });
      assert.deepEqual(
        reply.series.map(({ seriesName, metadata, exact }) => [seriesName, metadata, exact?.value]),
        [
          ["b", { rank: "0" }, [2]],
          ["b", { rank: "1" }, [1]],
          ["a", {}, [3]],
          ["b", { rank: "1" }, [1]],
        ],
      );
      assert.deepEqual(
        { start: reply.start, end: reply.end, points: 4 },
        { start: 5, end: 6, points: 4 },
      );
    });

    test("an unknown experiment and another organization's have no series", async () => {
      const { experimentId } = await system.acme.open();
      for (const [caller, id] of [
        [system.rival, experimentId],
        [system.acme, "unknown"],
      ] as const) {
        const series = [{ experimentId: id, seriesName: "loss" }];
        const reply = await overview(system, caller, { series, xAxis: "step", columns: 10 });
        assert.deepEqual([reply.series, reply.points], [[], 0]);
      }
    });

    test("what is asked wrongly is refused with a sentence", async () => {
      const { experimentId } = await system.acme.open();
      const series = [{ experimentId, seriesName: "loss" }];
      const wrong: [unknown, RegExp][] = [
        [{ series, xAxis: "step", columns: 10, start: 5, end: 5 }, /`end` must be above `start`/],
        [{ series, xAxis: "time", columns: 10 }, /xAxis/],
        [{ series, xAxis: "step", columns: 0 }, /columns/],
        [{ series, xAxis: "step", columns: 8_193 }, /columns/],
        [{ series: [], xAxis: "step", columns: 10 }, /series/],
        [{ series, xAxis: "step", columns: 10, rows: 4 }, /rows/],
      ];
      for (const [body, sentence] of wrong) {
        const reply = await post(system, system.acme, body);
        assert.equal(reply.status, 400, reply.text);
        const { error, message } = JSON.parse(reply.text) as { error: string; message: string };
        assert.equal(error, "bad_request");
        assert.match(message, sentence);
      }
    });

    test("more columns than one reply may have are refused before anything is read", async () => {
      const experiment = await system.acme.open();
      const points = Array.from({ length: 50 }, (_, rank) =>
        experiment.metric({ meta: { rank: String(rank) } }),
      );
      await experiment.send(...points);
      const series = [{ experimentId: experiment.experimentId, seriesName: "loss" }];
      const reply = await post(system, system.acme, { series, xAxis: "step", columns: 8_192 });
      assert.equal(reply.status, 400);
      assert.match(reply.text, /50 partitions or more in 8192 columns each/);
      const often = Array.from({ length: 90 }, () => series[0]);
      const repeated = await post(system, system.acme, {
        series: often,
        xAxis: "step",
        columns: 100,
      });
      assert.match(repeated.text, /40\d\d partitions or more in 100 columns each/);
    });
  },
  { flags: ["--seal-points", "500"] },
);

async function record(experiment: ExperimentCaller, count: number): Promise<Point[]> {
  const points = Array.from({ length: count }, () => ({
    step: Math.floor(Math.random() * 1_000),
    timestampMs: Math.floor(Math.random() * 1_000),
    metricValue: Math.random() - 0.5,
  }));
  await experiment.send(...points.map((point) => experiment.metric({ ...point })));
  return points;
}

function post(system: System, caller: OrganizationCaller, body: unknown): Promise<HttpReply> {
  const { credential } = caller;
  return observed(system, { path: "/api/views/v1/overview", credential, body });
}

async function overview(
  system: System,
  caller: OrganizationCaller,
  body: OverviewBody,
): Promise<OverviewReply> {
  const reply = await post(system, caller, body);
  assert.equal(reply.status, 200, reply.text);
  return JSON.parse(reply.text) as OverviewReply;
}

/** What the reply must say of these points, by looking at each column's own. */
function expected(points: readonly Point[], { xAxis, start, end, columns }: OverviewReply): object {
  const [axis, other] =
    xAxis === "step" ? (["step", "timestampMs"] as const) : (["timestampMs", "step"] as const);
  const inside = points
    .filter((point) => point[axis] >= start && point[axis] < end)
    .toSorted((left, right) => left[axis] - right[axis] || left[other] - right[other])
    .map((point) => ({ x: point[axis], value: point.metricValue }));
  const metadata = {};
  if (inside.length === 0) return { metadata, points: 0 };
  const least = inside.reduce((best, one) => (one.value < best.value ? one : best));
  const most = inside.reduce((best, one) => (one.value > best.value ? one : best));
  const reply = { metadata, points: inside.length, min: least, max: most };
  if (inside.length <= 4 * columns) {
    const exact = { x: inside.map(({ x }) => x), value: inside.map(({ value }) => value) };
    return { ...reply, exact };
  }
  const byColumn = Map.groupBy(inside, ({ x }) => columnOf({ start, end, columns }, x));
  const of = (number: (values: number[]) => number) =>
    [...byColumn.values()].map((column) => number(column.map(({ value }) => value)));
  return {
    ...reply,
    reduced: {
      column: [...byColumn.keys()],
      count: of((values) => values.length),
      first: of((values) => values[0]),
      last: of((values) => values.at(-1)!),
      min: of((values) => Math.min(...values)),
      max: of((values) => Math.max(...values)),
    },
  };
}
