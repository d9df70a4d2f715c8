import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { textWidth } from "../axes/tick-texts.ts";
import { xTicksOf, yTicksOf, type PictureTicks } from "./picture-ticks.ts";

const along = (text: string) => textWidth(text) + 10;
const texts = ({ ticks }: PictureTicks) => ticks.map(({ text }) => text).filter(Boolean);

test("ticks are round, and as many as have room", () => {
  const steps = { xAxis: "step", xScale: "linear" } as const;
  assert.deepEqual(texts(xTicksOf(steps, [0, 20_000], { length: 260, along })), [
    "0",
    "5,000",
    "10,000",
    "15,000",
    "20,000",
  ]);
  assert.deepEqual(texts(xTicksOf(steps, [0, 3], { length: 400, along })), ["0", "1", "2", "3"]);
  const elapsed = { xAxis: "elapsed", xScale: "linear" } as const;
  assert.deepEqual(texts(xTicksOf(elapsed, [0, 7_200_000], { length: 300, along })), [
    "0",
    "30 min",
    "1 h",
    "1 h 30 min",
    "2 h",
  ]);
  const room = { length: 200, along: () => 18 };
  const log = yTicksOf({ low: 0.009, high: 1_100, threshold: 1 }, "log", room);
  assert.deepEqual(texts(log), ["0.01", "0.1", "1", "10", "100", "1,000"]);
  assert.ok(log.ticks.length > 40, "those between are ticks without a text");
  const symlog = yTicksOf({ low: -100, high: 100, threshold: 0.1 }, "symlog", room);
  assert.ok(texts(symlog).includes("0"));
  const note = yTicksOf({ low: 123_456_000.1, high: 123_456_000.9, threshold: 1 }, "linear", room);
  assert.match(note.note, /^123,456,000 \+ …$/);
});

test("moments are round where the reader is, from milliseconds to decades", () => {
  const time = { xAxis: "timestamp", xScale: "linear" } as const;
  const start = new Date(2026, 10, 29, 8, 3).getTime();
  for (const span of [40, 9_000, 3_600_000, 5 * 3_600_000, 4 * 86_400_000, 9e9, 9e10, 2e12]) {
    const { ticks } = xTicksOf(time, [start, start + span], { length: 500, along });
    assert.ok(ticks.length > 1, `${span}: ${ticks.length} ticks`);
    assert.equal(new Set(ticks.map(({ text }) => text)).size, ticks.length, String(span));
  }
  const days = xTicksOf(time, [start, start + 4 * 86_400_000], { length: 500, along });
  assert.deepEqual(texts(days).slice(0, 2), ["2026-11-30", "2026-12-01"]);
});

test("ticks of any range lie within it, and no text reaches into the next", () => {
  const value = fc.double({ min: -1e12, max: 1e12, noNaN: true });
  fc.assert(
    fc.property(value, value, fc.constantFrom("linear", "log", "symlog"), (one, other, y) => {
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      fc.pre(high - low > 1e-12 && (y !== "log" || low > 1e-12));
      const room = { length: 200, along: () => 18 };
      const { ticks } = yTicksOf({ low, high, threshold: high / 1_000 || 1 }, y, room);
      const told = ticks.filter(({ text }) => text !== "");
      for (const [at, { place }] of told.entries()) {
        assert.ok(place >= -1e-9 && place <= 1 + 1e-9);
        if (at > 0 && y !== "symlog") assert.ok((place - told[at - 1].place) * 200 >= 18 - 1e-6);
      }
    }),
  );
});
