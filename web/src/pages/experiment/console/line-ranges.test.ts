import assert from "node:assert/strict";
import { test } from "node:test";
import type { ConsoleLine } from "@lossless/client";
import { LineRanges } from "./line-ranges.ts";

test("lines around a place are those of a plain list, whatever was read in which order", () => {
  // One line in three, as of a choice.
  const total = 900;
  const all = linesOf(Array.from({ length: total / 3 }, (_, at) => at * 3 + 1));
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 40; round++) {
    const ranges = new LineRanges();
    const at = random(total + 1);
    for (let read = 0; read < 5; read++) {
      const from = random(total);
      const to = Math.min(total, from + 1 + random(120));
      ranges.add(from, to, inside(all, from, to));
    }
    let window = ranges.around(at, 20, 30, total);
    for (let reads = 0; window.missing !== undefined; reads++) {
      assert.ok(reads < 20, `${JSON.stringify(window.missing)} again at ${at}`);
      const { missing } = window;
      const from = "first" in missing ? missing.first : Math.max(0, missing.before - 50);
      const to = "first" in missing ? Math.min(total, from + 50) : missing.before;
      ranges.add(from, to, inside(all, from, to));
      window = ranges.around(at, 20, 30, total);
    }
    const above = inside(all, 0, at);
    const below = inside(all, at, total);
    const wanted = [...above.slice(-20), ...below.slice(0, 30)];
    assert.deepEqual(numbersOf(window.lines), numbersOf(wanted));
    assert.equal(window.isFirst, above.length <= 20);
    assert.equal(window.isLast, below.length <= 30);
  }
});

test("what is far from the place goes first, and what is beside it stays", () => {
  const ranges = new LineRanges();
  for (const from of [0, 100, 200, 300, 900_000]) ranges.add(from, from + 100, numbered(from, 100));
  ranges.keepNear(250, 300, Infinity);
  assert.equal(ranges.size, 300);
  assert.equal(ranges.around(250, 50, 50, 1_000_000).missing, undefined);
  ranges.keepNear(250, 300, 100);
  assert.equal(ranges.size, 100);
  assert.deepEqual(numbersOf(ranges.around(250, 1, 1, 1_000_000).lines), [249, 250]);
});

function numbered(from: number, count: number): ConsoleLine[] {
  return linesOf(Array.from({ length: count }, (_, at) => from + at));
}

function linesOf(numbers: readonly number[]): ConsoleLine[] {
  return numbers.map((line) => ({ line, source: 0, timestampMs: 0, stream: "stdout", text: "ab" }));
}

function inside(lines: readonly ConsoleLine[], from: number, to: number): ConsoleLine[] {
  return lines.filter(({ line }) => line >= from && line < to);
}

function numbersOf(lines: readonly ConsoleLine[]): number[] {
  return lines.map(({ line }) => line);
}
