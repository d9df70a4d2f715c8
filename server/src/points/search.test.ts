import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { searchPoints, type PointSource } from "./search.ts";
import { concatenate, slice, sortPoints, type Axis } from "./sorted-points.ts";
import type { Points } from "./tail.ts";

/** A point's value is its place in the order of arrival, so that the order of ties shows. */
interface Point {
  step: number;
  timestamp: number;
}

const rows = fc.array(fc.record({ step: fc.nat(12), timestamp: fc.nat(12) }), { maxLength: 120 });

for (const axis of ["step", "timestamp"] as const) {
  test(`searchPoints by ${axis} gives what sorting everything gives, however small its memory`, async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 200 }),
        async (points, size, pendingMax) => {
          const found = await collect(searchPoints(sourcesOf(points, size), axis, pendingMax));
          assert.deepEqual(found, expected(points, axis));
        },
      ),
      { numRuns: 400 },
    );
  });
}

test("sources that follow each other go out one by one, without waiting for the last", async () => {
  const points = Array.from({ length: 50 }, (_, step) => ({ step, timestamp: step }));
  const blocks: number[] = [];
  for await (const block of searchPoints(sourcesOf(points, 10), "step"))
    blocks.push(block.step.length);
  assert.deepEqual(blocks, [10, 10, 10, 10, 10]);
});

function sourcesOf(points: Point[], size: number): PointSource[] {
  const sources: PointSource[] = [];
  for (let start = 0; start < points.length; start += size) {
    const part = points.slice(start, start + size);
    const columns = {
      step: Float64Array.from(part, (point) => point.step),
      timestamp: Float64Array.from(part, (point) => point.timestamp),
      value: Float64Array.from(part, (_, index) => start + index),
    };
    // Sealed chunks come sorted by step.
    const chunk = sortPoints(columns, "step");
    sources.push({
      count: part.length,
      min: { step: Math.min(...columns.step), timestamp: Math.min(...columns.timestamp) },
      max: { step: Math.max(...columns.step), timestamp: Math.max(...columns.timestamp) },
      read: async () => slice(chunk, 0, part.length),
    });
  }
  return sources;
}

async function collect(blocks: AsyncIterable<Points>): Promise<number[]> {
  const all: Points[] = [];
  for await (const block of blocks) all.push(block);
  return all.length === 0 ? [] : [...concatenate(all).value];
}

function expected(points: Point[], axis: Axis): number[] {
  const other = axis === "step" ? "timestamp" : "step";
  return points
    .map((point, arrival) => ({ point, arrival }))
    .sort(
      (a, b) =>
        a.point[axis] - b.point[axis] || a.point[other] - b.point[other] || a.arrival - b.arrival,
    )
    .map(({ arrival }) => arrival);
}
