import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { PointSource } from "../../points/search.ts";
import { slice, sortPoints } from "../../points/sorted-points.ts";
import { SourceLine } from "./line.ts";

const sourcesOf = fc.array(fc.array(fc.nat(60), { minLength: 1, maxLength: 12 }), { maxLength: 7 });

/** One more point is found otherwise than several. */
const around = fc.oneof(fc.constant(1), fc.nat(25));

test("an extent has all points of its range, and as many around as were asked for", async () => {
  const property = fc.asyncProperty(
    sourcesOf,
    fc.nat(60),
    fc.nat(30),
    around,
    around,
    fc.nat(9),
    async (steps, start, width, before, after, origin) => {
      const sources = steps.map(sourceOf);
      const line = new SourceLine(sources, "step", origin);
      const extent = { start: start - origin, end: start - origin + width + 1, before, after };
      const found: number[] = [];
      for await (const { x } of line.blocks(extent)) found.push(...x);
      const all = steps
        .flat()
        .map((step) => step - origin)
        .sort((left, right) => left - right);
      const first = all.findIndex((x) => x >= extent.start);
      const inside = all.filter((x) => x >= extent.start && x < extent.end).length;
      const from = first < 0 ? all.length : first;
      const wanted = all.slice(Math.max(0, from - before), from + inside + after);
      // Nothing is missing between the first and the last one that it gives.
      const at = all.indexOf(found[0]);
      assert.deepEqual(found, found.length === 0 ? [] : all.slice(at, at + found.length));
      if (wanted.length > 0) {
        assert.ok(at <= Math.max(0, from - before), `${at} ${from} ${before}`);
        assert.ok(at + found.length >= from + inside + Math.min(after, all.length - from - inside));
      }
      assert.ok(line.count(extent) >= found.length);
      assert.equal(await line.exactCount(extent.start, extent.end), inside);
    },
  );
  await fc.assert(property, { numRuns: 3_000 });
});

function sourceOf(steps: number[]): PointSource {
  const column = Float64Array.from(steps);
  const points = sortPoints({ step: column, timestamp: column, value: column }, "step");
  const bounds = (number: number) => ({ step: number, timestamp: number });
  return {
    count: steps.length,
    min: bounds(Math.min(...steps)),
    max: bounds(Math.max(...steps)),
    read: async () => slice(points, 0, steps.length),
  };
}
