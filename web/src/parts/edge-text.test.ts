import assert from "node:assert/strict";
import { test } from "node:test";
import { edgeIn, edgeText } from "./edge-text.ts";

test("what is written is what was read, of each kind", () => {
  const written = {
    number: ["0.001", "-3", "1e-7"],
    time: ["2026-03-01 12:00:05", "1999-12-31 23:59:59"],
    duration: ["90s", "10m", "2h", "3d", "4w", "0s", "90m"],
  } as const;
  for (const kind of ["number", "time", "duration"] as const)
    for (const text of written[kind])
      for (const isEnd of [false, true])
        assert.equal(edgeText(kind, edgeIn(kind, text, isEnd)!), text);
});

test("a day and a minute are all of it", () => {
  const text = (written: string, isEnd: boolean) =>
    edgeText("time", edgeIn("time", written, isEnd)!);
  assert.equal(text("2026-03-01", false), "2026-03-01 00:00:00");
  assert.equal(text("2026-03-01", true), "2026-03-01 23:59:59");
  assert.equal(text("2026-03-01T12:30", false), "2026-03-01 12:30:00");
  assert.equal(text("2026-03-01 12:30", true), "2026-03-01 12:30:59");
});

test("lengths have a unit, and are written in the largest that fits", () => {
  assert.equal(edgeIn("duration", "1.5h", false), 5_400_000);
  assert.equal(edgeText("duration", 5_400_000), "90m");
  assert.equal(edgeText("duration", 1_500), "1.5s");
});

test("what is no edge is none", () => {
  for (const text of ["soon", "2026-02-30", "2026-3-1", "12:00", "2026-03-01 25:00"])
    assert.equal(edgeIn("time", text, false), undefined, text);
  for (const text of ["90", "1y", "s", "h2"])
    assert.equal(edgeIn("duration", text, false), undefined, text);
  for (const text of ["a", "1,5", "0x"])
    assert.equal(edgeIn("number", text, false), undefined, text);
});
