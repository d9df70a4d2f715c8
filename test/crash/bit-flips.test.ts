import assert from "node:assert/strict";
import { test } from "node:test";
import { runBitFlips } from "./bit-flips.ts";

test("a flipped bit in a sealed object is an error or changes nothing (R5)", async (context) => {
  const seed = Math.floor(Math.random() * 2 ** 32);
  const { flips, refused, violations } = await runBitFlips({ seed, rounds: 3 });
  context.diagnostic(`seed ${seed}: ${flips} flips, ${refused} requests refused`);
  assert.deepEqual(violations, [], `seed ${seed}`);
  assert.ok(refused > 0);
});
