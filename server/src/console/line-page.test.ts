import assert from "node:assert/strict";
import { test } from "node:test";
import { LinePage } from "./line-page.ts";
import { encodeLines, Lines, type StoredLine } from "./lines.ts";
import type { Stretch } from "./stretches.ts";

const perStretch = 10;
const stretches = 8;
const total = perStretch * stretches;

test("a choice that no line meets ends with the time, and says how far it was looked for", async () => {
  const up = pageOf(3);
  await up.upwards(upwards(0), 0, undefined);
  assert.deepEqual([up.lines, up.from, up.next], [[], 0, 3 * perStretch]);
  const down = pageOf(3);
  await down.downwards(downwards(total), total);
  assert.deepEqual([down.lines, down.from, down.next], [[], total - 3 * perStretch, total]);
});

test("a page at a time begins there, however long that takes", async () => {
  const page = pageOf(1);
  await page.upwards(upwards(0), 0, 45);
  assert.deepEqual([page.from, page.next], [45, 50]);
});

/** No line is of stderr; the time is over after some stretches. */
function pageOf(stretchesInTime: number): LinePage {
  let left = stretchesInTime;
  return new LinePage({ streams: ["stderr"] }, 100, () => --left <= 0);
}

async function* upwards(first: number): AsyncGenerator<Stretch> {
  for (let at = first; at < total; at += perStretch) yield stretchAt(at);
}

async function* downwards(before: number): AsyncGenerator<Stretch> {
  for (let at = before - perStretch; at >= 0; at -= perStretch) yield stretchAt(at);
}

function stretchAt(first: number): Stretch {
  const lines = Array.from({ length: perStretch }, (_, at): StoredLine => ({
    source: 0,
    stream: "stdout",
    timestampMs: first + at,
    text: "",
    spans: "",
  }));
  return { first, lines: new Lines(encodeLines(lines)) };
}
