import assert from "node:assert/strict";
import { test } from "node:test";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { call } from "../../http.ts";
import { topic } from "../topic.ts";
import { overview, postOverview } from "./overview-calls.ts";

topic(
  "overview",
  (system) => {
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

    test("a large reply is compressed for clients that take it, as they take it", async () => {
      const experiment = await system.acme.open();
      const points = Array.from({ length: 1_000 }, (_, step) =>
        experiment.metric({ step, metricValue: Math.sin(step) }),
      );
      await experiment.send(...points);
      const { experimentId } = experiment;
      const series = [{ experimentId, seriesName: "loss" }];
      const ask = (accept: string | undefined, columns = 8_000) =>
        call(system.service.baseUrl, {
          path: "/api/views/v1/overview",
          credential: system.acme.credential,
          body: { series, xAxis: "step", columns },
          ...(accept !== undefined && { headers: { "accept-encoding": accept } }),
        });
      const plain = await ask(undefined);
      assert.equal(plain.headers["content-encoding"], undefined);
      assert.equal(plain.headers["vary"], "accept-encoding");
      for (const [accept, name, unpack] of [
        ["deflate, gzip", "gzip", gunzipSync],
        ["gzip, deflate, br, zstd", "zstd", zstdDecompressSync],
        ["zstd;q=0, GZIP ; q=0.5", "gzip", gunzipSync],
      ] as const) {
        const reply = await ask(accept);
        assert.equal(reply.headers["content-encoding"], name, accept);
        assert.equal(Number(reply.headers["content-length"]), reply.bytes.length);
        assert.ok(reply.bytes.length < 0.6 * plain.bytes.length);
        assert.equal(unpack(reply.bytes).toString(), plain.text);
      }
      for (const accept of ["identity", "br", "gzip;q=0", "gzipped"])
        assert.equal((await ask(accept)).text, plain.text, accept);
      assert.equal((await ask("gzip", 10)).headers["content-encoding"], undefined, "it is small");
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
        [{ series, xAxis: "metric", columns: 10 }, /`xSeriesName`/],
        [{ series, xAxis: "step", xSeriesName: "tokens", columns: 10 }, /`xSeriesName`/],
        [{ series, xAxis: "step", xScale: "log", columns: 10, start: 0 }, /above 0/],
        [{ series, xAxis: "step", columns: 10, smooth: { kind: "ema", weight: 1 } }, /weight/],
        [{ series, xAxis: "step", columns: 10, smooth: { kind: "gauss" } }, /points/],
        [{ series, xAxis: "step", columns: 10, smooth: { kind: "x", weight: 1 } }, /weight/],
        [{ series, xAxis: "step", columns: 10, smooth: { kind: "x", weight: 0, unit: 0 } }, /unit/],
        [{ series, xAxis: "step", columns: 0 }, /columns/],
        [{ series, xAxis: "step", columns: 8_193 }, /columns/],
        [{ series: [], xAxis: "step", columns: 10 }, /series/],
        [{ series, xAxis: "step", columns: 10, rows: 4 }, /rows/],
      ];
      for (const [body, sentence] of wrong) {
        const reply = await postOverview(system, system.acme, body);
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
      const reply = await postOverview(system, system.acme, {
        series,
        xAxis: "step",
        columns: 8_192,
      });
      assert.equal(reply.status, 400);
      assert.match(reply.text, /at most 48 lines, and these are more .*loss.* 50 partitions/);
      const often = Array.from({ length: 90 }, () => series[0]);
      const wide = { series: often, xAxis: "step", columns: 100 } as const;
      assert.match((await postOverview(system, system.acme, wide)).text, /at most 4000 lines/);
      const part = { ...wide, partitionsFrom: 60, partitionsMax: 3 };
      const given = await overview(system, system.acme, part);
      assert.equal(given.partitions, 4_500);
      assert.deepEqual(
        given.series.map(({ metadata }) => metadata.rank),
        Array.from({ length: 50 }, (_, rank) => String(rank))
          .toSorted()
          .slice(10, 13),
      );
    });
  },
  { alone: false, flags: ["--seal-points", "500"] },
);
