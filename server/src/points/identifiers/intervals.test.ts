import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Intervals } from "./intervals.ts";

const max = Number.MAX_SAFE_INTEGER;

function assertEqualsSet(intervals: Intervals, model: Set<number>, probes: Iterable<number>): void {
  assert.equal(intervals.count, model.size);
  for (const probe of probes) {
    assert.equal(intervals.has(probe), model.has(probe), `${probe}`);
    const lacks = !model.has(probe) && !model.has(probe + 1) && !model.has(probe + 2);
    assert.equal(intervals.lacksRange(probe, probe + 2), lacks, `${probe}`);
  }
  let previousEnd = -2;
  let count = 0;
  for (const [first, last] of intervals) {
    assert.ok(first > previousEnd + 1 && last >= first, "sorted, disjoint, not adjacent");
    previousEnd = last;
    count++;
  }
  assert.equal(intervals.size, count);
}

test("equals a Set through any additions and mergers", () => {
  const command = fc.oneof(
    fc.record({ kind: fc.constant("add" as const), first: fc.nat(60), length: fc.constant(1) }),
    fc.record({
      kind: fc.constant("range" as const),
      first: fc.nat(60),
      length: fc.integer({ min: 1, max: 12 }),
    }),
    fc.record({
      kind: fc.constant("merge" as const),
      first: fc.nat(60),
      length: fc.integer({ min: 1, max: 5 }),
    }),
  );
  fc.assert(
    fc.property(fc.array(command, { maxLength: 40 }), (commands) => {
      const intervals = new Intervals();
      const model = new Set<number>();
      for (const { kind, first, length } of commands) {
        if (kind === "add") assert.equal(intervals.add(first), !model.has(first));
        else if (kind === "range") intervals.addRange(first, first + length - 1);
        const other = new Intervals();
        const step = kind === "merge" ? 3 : 1;
        for (let i = 0; i < length; i++) {
          model.add(first + step * i);
          other.add(first + step * i);
        }
        if (kind === "merge") intervals.merge(other);
        assertEqualsSet(
          intervals,
          model,
          Array.from({ length: 75 }, (_, probe) => probe),
        );
      }
    }),
    { numRuns: 1500 },
  );
});

test("holds both ends of the range", () => {
  const intervals = new Intervals();
  for (const counter of [max, 0, max - 1, 1, max - 3]) assert.equal(intervals.add(counter), true);
  assert.deepEqual(
    [...intervals],
    [
      [0, 1],
      [max - 3, max - 3],
      [max - 1, max],
    ],
  );
  assert.equal(intervals.add(max - 2), true);
  assert.equal(intervals.add(max), false);
  assert.deepEqual(
    [...intervals],
    [
      [0, 1],
      [max - 3, max],
    ],
  );
});

test("two million counters, a third of the batches late, end in one interval", () => {
  const intervals = new Intervals();
  const batch = 1000;
  for (let start = 0; start < 2_000_000; start += 3 * batch) {
    for (const turn of [0, 2, 1]) {
      const first = start + turn * batch;
      for (let counter = first; counter < first + batch && counter < 2_000_000; counter++)
        intervals.add(counter);
    }
  }
  assert.deepEqual([...intervals], [[0, 1_999_999]]);
  assert.equal(intervals.count, 2_000_000);
});
