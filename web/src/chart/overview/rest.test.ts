import assert from "node:assert/strict";
import { test } from "node:test";
import { restAfter } from "./rest.ts";

test("a chart rests as long as its promise lets it, and at least as long as its answer took", () => {
  assert.deepEqual([5, 30, 150, 250, 400, 2_000].map(restAfter), [500, 600, 700, 500, 400, 2_000]);
  for (let tookMs = 0; tookMs <= 1_000 / 3; tookMs++)
    assert.ok(2 * tookMs + restAfter(tookMs) <= 1_000);
});
