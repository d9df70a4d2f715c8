import assert from "node:assert/strict";
import { test } from "node:test";
import { runKillPoints } from "./kill-points.ts";
import { describeResult } from "./report.ts";

/** Each point once; `npm run crash -- --kill-points` goes on. */
test("a death between two steps leaves no half of them (R2)", async (context) => {
  const { deaths, ...result } = await runKillPoints({ cycles: 8, seed: 20_261_105 });
  for (const [name, count] of deaths) context.diagnostic(`${count} deaths: ${name}`);
  assert.deepEqual(result.violations, [], describeResult(result));
});
