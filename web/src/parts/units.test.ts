import assert from "node:assert/strict";
import { test } from "node:test";
import { commonUnit, differenceMeasure, measureText, unitOf } from "./units.ts";

test("names of the machine's metrics tell their units; other names, and formulas, tell none", () => {
  const names = {
    "system/gpu/0/memory_used_bytes": "B",
    "system/network_sent_bytes_per_second": "B/s",
    "system/gpu/amd0/temperature_celsius": "°C",
    "system/gpu/0/power_watts": "W",
    "system/cpu_percent": "%",
    "system/gpu/0/clock_mhz": "MHz",
    "train/tokens_bytes": undefined,
    "system/process_threads": undefined,
    "system/a_bytes / system/b_bytes": undefined,
  };
  for (const [name, text] of Object.entries(names)) assert.equal(unitOf(name)?.text, text, name);
});

test("several metrics have a unit if it is the same", () => {
  const unit = (...names: string[]) =>
    commonUnit(names.map((seriesName) => ({ seriesName })))?.text;
  assert.equal(unit("system/a_watts", "system/b_watts"), "W");
  assert.equal(unit("system/a_watts", "system/b_percent"), undefined);
  assert.equal(unit("system/a_watts", "loss"), undefined);
  assert.equal(unit(), undefined);
  const ratio = { seriesName: "system/a_bytes", combined: { seriesName: "system/b_bytes" } };
  assert.equal(commonUnit([ratio]), undefined);
});

test("bytes have the prefix of their size, and all digits that tell values apart", () => {
  const bytes = unitOf("system/memory_bytes");
  const told = [0, 512, 999, 1_000, 71_201_614_510, 85e9, 1e12, 3e18, -2e6].map((value) =>
    measureText(value, bytes),
  );
  assert.deepEqual(told, [
    "0 B",
    "512 B",
    "999 B",
    "1 kB",
    "71.2016 GB",
    "85 GB",
    "1 TB",
    "3,000 PB",
    "-2 MB",
  ]);
  assert.equal(measureText(71_201_614_510, bytes, 9), "71.2016145 GB");
  assert.equal(measureText(679.8551, unitOf("system/gpu/0/power_watts")), "679.855 W");
  assert.equal(measureText(NaN, bytes), "NaN");
  assert.equal(measureText(0.25, undefined), "0.25");
  assert.equal(differenceMeasure(-2_100_000, bytes), "−2.1 MB");
  assert.equal(differenceMeasure(0.25, undefined), "+0.25");
});
