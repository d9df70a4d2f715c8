import assert from "node:assert/strict";
import { test } from "node:test";
import { lasting } from "./address.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

test("a certificate is too old by what it lasts, because some are renewed every few hours", () => {
  for (const [lifeMs, leftMs, state, found] of [
    [90 * dayMs, 30 * dayMs, "ok", "30 days"],
    [90 * dayMs, 13 * dayMs, "problem", "13 days"],
    [6 * dayMs, 2 * dayMs, "ok", "2 days"],
    [12 * hourMs, 4 * hourMs, "ok", "4 hours"],
    [12 * hourMs, hourMs, "problem", "1 hours"],
    [90 * dayMs, -hourMs, "problem", "-1 hours"],
  ] as const) {
    const finding = lasting({ fromMs: leftMs - lifeMs, toMs: leftMs }, 0);
    assert.deepEqual([finding.state, finding.found], [state, `good for ${found}`]);
  }
});
