import assert from "node:assert/strict";
import { test } from "node:test";
import { runModel } from "./run.ts";

/** The short form of `npm run model`: the same requests each time, and others each time. */
for (const [name, seed] of [
  ["fixed", 20_261_101],
  ["random", Math.floor(Math.random() * 2 ** 31)],
] as const) {
  test(`the service answers as its model does (${name} seed ${seed})`, async (context) => {
    const requests = await runModel({ runs: 8, maxCommands: 80, seed });
    context.diagnostic(`${requests} requests`);
    assert.ok(requests > 0);
  });
}
