import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { dueSegments } from "./merge.ts";

const pointsMax = 4_194_304;
const fanout = 8;

test("merging keeps the segments few and in the order of the log, whatever the sizes of the seals", () => {
  const seals = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 100 }), fc.integer({ min: 1, max: 600_000 })),
    {
      minLength: 100,
      maxLength: 1_000,
    },
  );
  fc.assert(
    fc.property(seals, (sizes) => {
      let segments: { key: string; seq_from: number; seq_to: number; points: number }[] = [];
      for (const [index, points] of sizes.entries()) {
        segments.push({ key: String(index), seq_from: index, seq_to: index, points });
        for (
          let due = dueSegments(segments, fanout, pointsMax);
          due !== undefined;
          due = dueSegments(segments, fanout, pointsMax)
        ) {
          const start = segments.indexOf(due[0]);
          const merged = {
            key: `${due[0].key}…${due.at(-1)!.key}`,
            seq_from: due[0].seq_from,
            seq_to: due.at(-1)!.seq_to,
            points: due.reduce((sum, segment) => sum + segment.points, 0),
          };
          assert.deepEqual(segments.slice(start, start + due.length), due);
          segments = [...segments.slice(0, start), merged, ...segments.slice(start + due.length)];
        }
      }
      for (const [index, segment] of segments.entries()) {
        assert.equal(segment.seq_from, index === 0 ? 0 : segments[index - 1].seq_to + 1);
      }
      const total = sizes.reduce((sum, points) => sum + points, 0);
      // Seven of each of the four classes, and the full ones.
      assert.ok(
        segments.length <= 28 + (8 * total) / pointsMax,
        `${segments.length} segments for ${total} points`,
      );
    }),
    { numRuns: 20 },
  );
});
