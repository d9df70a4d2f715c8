import assert from "node:assert/strict";
import { test } from "node:test";
import type { ViewPointsBody, ViewPointsReply } from "@lossless/protocol";
import { type HttpReply, ok } from "../../http.ts";
import { Random } from "../../random.ts";
import { observed, type OrganizationCaller } from "../callers.ts";
import { topic, type System } from "../topic.ts";
import { plainLine, recordRun, seed } from "./plain-lines.ts";

const axes = ["step", "offset", "elapsed", "timestamp", "metric"] as const;

topic(
  `points of views (seed ${seed})`,
  (system) => {
    test("the points nearest to a place are those that a look at all finds, on every axis", async () => {
      const experiment = await system.acme.open();
      const random = new Random(seed);
      const { points, partners, firstTimestampMs } = await recordRun(experiment, 300, random);
      for (const xAxis of axes) {
        const { line } = plainLine(points, xAxis, partners, firstTimestampMs);
        const places = line.map(({ x }) => x);
        const [first, last] = [places[0], places.at(-1)!];
        const wanted = [first - 9, last + 9, first, last];
        for (let at = 0; at < 30; at++)
          wanted.push(first + (random.bits() / 2 ** 32) * (last - first));
        for (const nearest of wanted) {
          const body = { ...bodyOf(experiment, xAxis), nearest, pointsMax: 100 };
          const [found] = (await viewPoints(system, system.acme, body)).series;
          const x = nearestOf(places, nearest);
          const expected = line.filter((point) => point.x === x);
          assert.deepEqual(linesOf(found), expected);
          assert.ok(found.isWhole);
        }
        const body = { ...bodyOf(experiment, xAxis), places: wanted, pointsMax: 10_000 };
        const [found] = (await viewPoints(system, system.acme, body)).series;
        const nearest = new Set(wanted.map((place) => nearestOf(places, place)));
        assert.deepEqual(
          linesOf(found),
          line.filter((point) => nearest.has(point.x)),
        );
        const one = { ...body, pointsMax: 1 };
        const [cut] = (await viewPoints(system, system.acme, one)).series;
        assert.deepEqual([linesOf(cut), cut.isWhole], [linesOf(found).slice(0, 1), false]);
      }
    });

    test("the nearest of steps that doubles hardly tell apart is one step", async () => {
      const experiment = await system.acme.open();
      const last = Number.MAX_SAFE_INTEGER - 1;
      const steps = [0, 1, 2 ** 52 + 1, last - 3, last - 2, last - 1, last];
      await experiment.send(...steps.map((step) => experiment.metric({ step, metricValue: step })));
      for (const nearest of steps) {
        const body = { ...bodyOf(experiment, "step"), nearest, pointsMax: 10 };
        const [found] = (await viewPoints(system, system.acme, body)).series;
        assert.deepEqual(found.step, [nearest]);
      }
    });

    test("the first points of a range come as they were sent", async () => {
      const experiment = await system.acme.open();
      const { points, partners, firstTimestampMs } = await recordRun(
        experiment,
        300,
        new Random(seed),
      );
      for (const xAxis of axes) {
        const { line } = plainLine(points, xAxis, partners, firstTimestampMs);
        const [start, end] = [line[100].x, line[250].x];
        for (const range of [{}, { start }, { end }, { start, end }]) {
          const inside = line.filter(
            ({ x }) => x >= (range.start ?? -Infinity) && x < (range.end ?? Infinity),
          );
          for (const pointsMax of [1, 70, 5_000]) {
            const body = { ...bodyOf(experiment, xAxis), ...range, pointsMax };
            const [found] = (await viewPoints(system, system.acme, body)).series;
            assert.deepEqual(linesOf(found), inside.slice(0, pointsMax));
            assert.equal(found.isWhole, inside.length <= pointsMax);
          }
        }
      }
    });

    test("each point has its step and its time, whatever lies along the axis", async () => {
      const experiment = await system.acme.open();
      const at = (step: number, timestampMs: number) => ({ step, timestampMs });
      await experiment.send(
        experiment.metric({ ...at(5, 9_000), metricValue: 0.25 }),
        experiment.metric({ ...at(7, 8_000), metricValue: 0.5 }),
        experiment.metric({ ...at(5, 1), metricName: "tokens", metricValue: -1.5 }),
        experiment.metric({ ...at(7, 2), metricName: "tokens", metricValue: -2.5 }),
      );
      const body = { ...bodyOf(experiment, "metric"), pointsMax: 10 };
      const reply = await viewPoints(system, system.acme, body);
      assert.deepEqual(reply, {
        xAxis: "metric",
        xSeriesName: "tokens",
        partitions: 1,
        series: [
          {
            experimentId: experiment.experimentId,
            seriesName: "loss",
            metadata: {},
            x: [-2.5, -1.5],
            step: [7, 5],
            timestampMs: [8_000, 9_000],
            value: [0.5, 0.25],
            isWhole: true,
          },
        ],
      });
    });

    test("an unknown experiment and another organization's have no series", async () => {
      const { experimentId } = await system.acme.open();
      for (const [caller, id] of [
        [system.rival, experimentId],
        [system.acme, "unknown"],
      ] as const) {
        const body = { ...bodyOf({ experimentId: id }, "step"), pointsMax: 1 };
        const reply = await viewPoints(system, caller, body);
        assert.deepEqual([reply.series, reply.partitions], [[], 0]);
      }
    });

    test("what is asked wrongly is refused with a sentence", async () => {
      const { experimentId } = await system.acme.open();
      const body = bodyOf({ experimentId }, "step");
      const wrong: [unknown, RegExp][] = [
        [{ ...body, nearest: 5, start: 1, pointsMax: 1 }, /Give `nearest`, or/],
        [{ ...body, nearest: 5, places: [5], pointsMax: 1 }, /not several of these/],
        [{ ...body, places: [5], end: 9, pointsMax: 1 }, /not several of these/],
        [{ ...body, places: Array(101).fill(1), pointsMax: 1 }, /places/],
        [{ ...body, start: 5, end: 5, pointsMax: 1 }, /`end` must be above `start`/],
        [{ ...body, pointsMax: 10_001 }, /pointsMax/],
        [{ ...body, nearest: 5 }, /pointsMax/],
      ];
      for (const [asked, sentence] of wrong) {
        const reply = await post(system, system.acme, asked);
        assert.equal(reply.status, 400, reply.text);
        assert.match(reply.text, sentence);
      }
    });
  },
  { alone: false, flags: ["--seal-points", "500"] },
);

/** The lower one of two as near, which stands first. */
function nearestOf(places: readonly number[], wanted: number): number {
  const distance = Math.min(...places.map((x) => Math.abs(x - wanted)));
  return places.find((place) => Math.abs(place - wanted) === distance)!;
}

function bodyOf({ experimentId }: { experimentId: string }, xAxis: ViewPointsBody["xAxis"]) {
  const series = [{ experimentId, seriesName: "loss" }];
  return { series, xAxis, ...(xAxis === "metric" && { xSeriesName: "tokens" }) };
}

function linesOf({ x, value }: ViewPointsReply["series"][number]) {
  return x.map((place, at) => ({ x: place, value: value[at] }));
}

function post(system: System, caller: OrganizationCaller, body: unknown): Promise<HttpReply> {
  const { credential } = caller;
  return observed(system, { path: "/api/views/v1/points", credential, body });
}

async function viewPoints(
  system: System,
  caller: OrganizationCaller,
  body: ViewPointsBody,
): Promise<ViewPointsReply> {
  return ok<ViewPointsReply>(await post(system, caller, body));
}
