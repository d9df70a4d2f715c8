import assert from "node:assert/strict";
import { suite, test } from "node:test";
import fc from "fast-check";
import type { SeriesPartition } from "@lossless/client";
import { mergePartitions } from "./merge.ts";

type Point = { step: number | null; timestampMs: number; value: number };

function partition(seriesName: string, points: Point[]): SeriesPartition {
  return {
    seriesName,
    metadata: {},
    step: points.map((point) => point.step),
    timestampMs: points.map((point) => point.timestampMs),
    value: points.map((point) => point.value),
  };
}

function orderOf(xAxis: "step" | "timestamp") {
  return (left: Point, right: Point): number => {
    const steps = (left.step ?? 1e9) - (right.step ?? 1e9);
    const times = left.timestampMs - right.timestampMs;
    return xAxis === "step" ? steps || times : times || steps;
  };
}

const point = fc.record({
  step: fc.option(fc.nat(5), { freq: 10 }),
  timestampMs: fc.nat(5),
  value: fc.nat(1_000),
});

suite("merging partitions", () => {
  for (const xAxis of ["step", "timestamp"] as const) {
    test(`by ${xAxis}: what sorting all of them at once gives`, () => {
      fc.assert(
        fc.property(fc.array(fc.array(point, { maxLength: 20 }), { maxLength: 6 }), (lists) => {
          const sorted = lists.map((points) => points.toSorted(orderOf(xAxis)));
          const partitions = sorted.map((points, index) => partition(String(index), points));
          const merged = mergePartitions(partitions, {
            xAxis,
            rank: ({ seriesName }) => Number(seriesName),
          });
          const values = [];
          for (const { partition: of, index } of merged)
            values.push([of.seriesName, of.value[index]]);
          const expected = sorted
            .flatMap((points, index) => points.map((p) => ({ ...p, name: String(index) })))
            .toSorted((l, r) => orderOf(xAxis)(l, r) || Number(l.name) - Number(r.name))
            .map(({ name, value }) => [name, value]);
          assert.deepEqual(values, expected);
        }),
        { numRuns: 300 },
      );
    });
  }
});
