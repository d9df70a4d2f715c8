import assert from "node:assert/strict";
import { test } from "node:test";
import type { OverviewBody, OverviewReply } from "@lossless/protocol";
import { Random } from "../../random.ts";
import type { ExperimentCaller } from "../callers.ts";
import { topic } from "../topic.ts";
import { overview } from "./overview-calls.ts";
import {
  assertDrawn,
  plainDrawing,
  plainLine,
  plainSmooth,
  type PlainPoint,
  randomPoints,
  type RecordedPoint,
  recordRun,
  seed,
} from "./plain-lines.ts";

const axes = ["step", "offset", "elapsed", "timestamp", "metric"] as const;
const smoothings = [
  { kind: "x", weight: 0.6 },
  { kind: "x", weight: 0.9, unit: 12.5 },
  { kind: "ema", weight: 0.6 },
  { kind: "ema", weight: 0.99 },
  { kind: "gauss", points: 2.5 },
  { kind: "gauss", points: 40 },
] as const;

topic(
  `axes of overviews (seed ${seed})`,
  (system) => {
    test("columns are what all points say: every axis, scale and range, sealed and not", async () => {
      const experiment = await system.acme.open();
      const { points, partners, firstTimestampMs } = await recordRun(
        experiment,
        300,
        new Random(seed),
      );
      for (const xAxis of axes) {
        const { line, unplaced } = plainLine(points, xAxis, partners, firstTimestampMs);
        for (const xScale of ["linear", "log"] as const) {
          for (const range of rangesOf(line, xScale)) {
            for (const columns of [1, 7, 64, 2_000]) {
              const body = { ...bodyOf(experiment, xAxis), xScale, columns, ...range };
              const reply = await overview(system, system.acme, body);
              const [partition] = reply.series;
              const below = range.start === undefined && xScale === "log" ? atOrBelow0(line) : 0;
              assert.equal(partition.unplaced ?? 0, unplaced + below);
              assertExtent(reply, line, range, columns);
              assertDrawn(partition, plainDrawing(line, reply), 0);
              assertExtremes(partition, line, reply);
            }
          }
        }
      }
    });

    test("smoothing is that of all points, whatever part of the axis is looked at", async () => {
      const experiment = await system.acme.open();
      const { points, partners, firstTimestampMs } = await recordRun(
        experiment,
        450,
        new Random(seed),
      );
      for (const xAxis of axes) {
        const { line } = plainLine(points, xAxis, partners, firstTimestampMs);
        for (const smooth of smoothings) {
          const scales = smooth.kind === "x" ? (["linear", "log"] as const) : (["linear"] as const);
          for (const xScale of scales) {
            const smoothed = plainSmooth(line, smooth, xScale);
            for (const range of rangesOf(line, xScale)) {
              for (const columns of [5, 3_000]) {
                const asked = { ...bodyOf(experiment, xAxis), xScale, columns, smooth, ...range };
                const reply = await overview(system, system.acme, asked);
                assertDrawn(reply.series[0], plainDrawing(line, reply), 0);
                assertDrawn(reply.series[0].smoothed ?? {}, plainDrawing(smoothed, reply), 1e-9);
              }
            }
          }
        }
      }
    });

    test("smoothing by x does not depend on the density of a line, nor on the partition", async () => {
      const experiment = await system.acme.open();
      const random = new Random(seed + 1);
      const ranks = ["dense", "sparse", "one"].map((rank, at) => ({
        meta: { rank },
        points: randomPoints(random, [400, 12, 1][at], 1e6),
      }));
      for (const { meta, points } of ranks)
        await experiment.send(...points.map((point) => experiment.metric({ ...point, meta })));
      const lines = ranks.map(({ points }) => plainLine(points, "step", [], 0).line);
      for (const xScale of ["linear", "log"] as const)
        for (const range of rangesOf(lines[0], xScale)) {
          const smooth = { kind: "x", weight: 0.95 } as const;
          const body = { ...bodyOf(experiment, "step"), xScale, columns: 40, smooth, ...range };
          const { series, ...raster } = await overview(system, system.acme, body);
          for (const partition of series) {
            const line =
              lines[ranks.findIndex(({ meta }) => meta.rank === partition.metadata.rank)];
            const smoothed = plainSmooth(line, smooth, xScale, lines.flat());
            const drawing = plainDrawing(smoothed, { ...raster, series });
            assertDrawn(partition.smoothed ?? {}, drawing, 1e-9);
          }
          assert.equal(series.length, ranks.length);
        }
    });

    test("what was drawn before is drawn anew when points come, and as it was until then", async () => {
      const experiment = await system.acme.open();
      const random = new Random(seed);
      const points: RecordedPoint[] = [];
      let firstTimestampMs = Infinity;
      for (let round = 0; round < 8; round++) {
        // The first of another series puts all others off, and they have no new point.
        const own = round % 2 === 0 ? randomPoints(random, round === 6 ? 1 : 120, 1e6 - round) : [];
        const other = experiment.metric({ metricName: "other", timestampMs: 9e5 - round });
        await experiment.send(...own.map((point) => experiment.metric({ ...point })), other);
        points.push(...own);
        firstTimestampMs = 9e5 - round;
        for (const xAxis of ["step", "elapsed"] as const) {
          const { line } = plainLine(points, xAxis, [], firstTimestampMs);
          for (const smooth of [undefined, ...smoothings]) {
            for (const range of [...rangesOf(line, "linear"), { start: 100_200, end: 100_700 }]) {
              const body = { ...bodyOf(experiment, xAxis), columns: 20, ...range };
              const asked = { ...body, ...(smooth && { smooth }) };
              const reply = await overview(system, system.acme, asked);
              assertDrawn(reply.series[0], plainDrawing(line, reply), 0);
              const smoothed = smooth ? plainDrawing(plainSmooth(line, smooth), reply) : {};
              assertDrawn(reply.series[0].smoothed ?? {}, smoothed, 1e-9);
              assert.deepEqual(await overview(system, system.acme, asked), reply);
            }
          }
        }
      }
    });

    test("another metric is joined within the partition, and what has no partner is counted", async () => {
      const experiment = await system.acme.open();
      const metric = (metricName: string, rank: string, step: number, metricValue: number) =>
        experiment.metric({ metricName, meta: { rank }, step, metricValue });
      await experiment.send(
        metric("loss", "0", 1, 10),
        metric("loss", "0", 2, 11),
        metric("loss", "0", 3, 12),
        metric("tokens", "0", 2, -8.5),
        metric("tokens", "0", 1, 1e300),
        metric("loss", "1", 1, 20),
        metric("tokens", "2", 1, 7),
      );
      const reply = await overview(system, system.acme, {
        ...bodyOf(experiment, "metric"),
        columns: 10,
      });
      assert.deepEqual(
        reply.series.map(({ metadata, exact, unplaced }) => [metadata.rank, exact, unplaced]),
        [
          ["0", { x: [-8.5, 1e300], value: [11, 10] }, 1],
          ["1", undefined, 1],
        ],
      );
      assert.equal(reply.start, -8.5);
      assert.ok(reply.end > 1e300 && reply.end < 1.000001e300);
    });

    test("an offset counts from the first step of the series, whatever partition is shown", async () => {
      const experiment = await system.acme.open();
      const metric = (rank: string, step: number, timestampMs: number) =>
        experiment.metric({ meta: { rank }, step, timestampMs });
      const first = experiment.metric({ metricName: "other", timestampMs: 1_000 });
      await experiment.send(metric("0", 500, 2_000), metric("1", 900, 5_000), first);
      const filter = [{ metadataKey: "rank", metadataValue: "1" }];
      const xOf = async (xAxis: OverviewBody["xAxis"]) => {
        const series = [{ ...bodyOf(experiment, xAxis).series[0], filter }];
        const reply = await overview(system, system.acme, { series, xAxis, columns: 10 });
        return [reply.series[0].exact?.x, reply.start, reply.end];
      };
      assert.deepEqual(await xOf("offset"), [[400], 400, 401]);
      assert.deepEqual(await xOf("elapsed"), [[4_000], 4_000, 4_001]);
    });
  },
  { alone: false, flags: ["--seal-points", "500"] },
);

function bodyOf({ experimentId }: ExperimentCaller, xAxis: OverviewBody["xAxis"]) {
  return {
    series: [{ experimentId, seriesName: "loss" }],
    xAxis,
    ...(xAxis === "metric" && { xSeriesName: "tokens" }),
  };
}

/** All of it, parts at either end and in the middle, next to nothing, and what lies elsewhere. */
function rangesOf(line: PlainPoint[], xScale: "linear" | "log") {
  const places = line.map(({ x }) => x).filter((x) => xScale === "linear" || x > 0);
  const at = (share: number) => places[Math.floor(share * (places.length - 1))];
  const next = places.find((x) => x > at(0.6)) ?? at(0.6) + 1;
  const third = (next - at(0.6)) / 3;
  const ranges: { start?: number; end?: number }[] = [
    {},
    { start: at(0.1) },
    { end: at(0.9) },
    { start: at(0.3), end: at(0.4) },
    { start: at(0.5), end: at(0.5) + 1 },
    { start: at(1) + 1_000 },
    // Between two points next to each other.
    { start: at(0.6) + third, end: next - third },
    { start: at(0.97), end: at(1) + 5 },
  ];
  return ranges;
}

function atOrBelow0(line: PlainPoint[]): number {
  return line.filter(({ x }) => x <= 0).length;
}

/** Checks that a range without limits reaches to the first and the last point. */
function assertExtent(
  reply: OverviewReply,
  line: PlainPoint[],
  range: { start?: number; end?: number },
  columns: number,
): void {
  const places = line.map(({ x }) => x).filter((x) => reply.xScale === "linear" || x > 0);
  assert.equal(reply.start, range.start ?? places[0]);
  assert.equal(reply.columns, columns);
  if (range.end !== undefined) return assert.equal(reply.end, range.end);
  const last = Math.max(places.at(-1)!, reply.start);
  if (reply.xAxis !== "metric" || last === reply.start) assert.equal(reply.end, last + 1);
  else assert.ok(reply.end > last && reply.end - last <= Math.abs(last) * 2 ** -51);
}

function assertExtremes(
  { points, min, max }: OverviewReply["series"][number],
  line: PlainPoint[],
  { start, end }: OverviewReply,
): void {
  const inside = line.filter(({ x }) => x >= start && x < end);
  assert.equal(points, inside.length);
  const best = (isBetter: (one: number, other: number) => boolean) =>
    inside.length === 0
      ? undefined
      : inside.reduce((found, each) => (isBetter(each.value, found.value) ? each : found));
  assert.deepEqual(
    min,
    best((one, other) => one < other),
  );
  assert.deepEqual(
    max,
    best((one, other) => one > other),
  );
}
