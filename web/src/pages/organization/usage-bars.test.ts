import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { dayBars, daysBetween, namedDays, stacked, ticksTo } from "./usage-bars.ts";

suite("bars of days", () => {
  test("every day has one, in the order of the names; what is of none is left out", () => {
    const names = ["a", "b", null];
    const bars = dayBars("2026-02-27", "2026-03-01", names, [
      { day: "2026-03-01", of: null, value: 1 },
      { day: "2026-03-01", of: "a", value: 3 },
      { day: "2026-02-27", of: "b", value: 2 },
      { day: "2026-02-27", of: "unknown", value: 9 },
      { day: "2026-02-27", of: "a", value: 0 },
    ]);
    assert.deepEqual(bars, [
      { day: "2026-02-27", shares: [{ series: 1, value: 2 }], total: 2 },
      { day: "2026-02-28", shares: [], total: 0 },
      {
        day: "2026-03-01",
        shares: [
          { series: 0, value: 3 },
          { series: 2, value: 1 },
        ],
        total: 4,
      },
    ]);
  });

  test("days go over ends of months and years", () => {
    assert.deepEqual(daysBetween("2027-12-31", "2028-01-02"), [
      "2027-12-31",
      "2028-01-01",
      "2028-01-02",
    ]);
    assert.equal(daysBetween("2028-01-01", "2028-12-31").length, 366);
  });

  test("shares stand upon each other", () => {
    assert.deepEqual(
      stacked([
        { series: 0, value: 3 },
        { series: 2, value: 1 },
      ]),
      [
        { series: 0, from: 0, to: 3 },
        { series: 2, from: 3, to: 4 },
      ],
    );
  });

  test("ticks are round, begin at 0 and reach the most", () => {
    assert.deepEqual(ticksTo(0), [0, 1]);
    assert.deepEqual(ticksTo(10), [0, 2.5, 5, 7.5, 10]);
    assert.deepEqual(ticksTo(7_300_000), [0, 2e6, 4e6, 6e6, 8e6]);
    for (const most of [1, 3, 17, 999, 123_456, 0.7, 1e12]) {
      const ticks = ticksTo(most);
      assert.ok(ticks.at(-1)! >= most && ticks.length >= 4 && ticks.length <= 6, String(most));
    }
  });

  test("names of days have room, and today has one", () => {
    assert.deepEqual(namedDays(daysBetween("2026-01-01", "2026-01-10"), 3), [1, 5, 9]);
    assert.deepEqual(namedDays(["2026-01-01"], 9), [0]);
    assert.deepEqual(namedDays([], 9), []);
  });
});
