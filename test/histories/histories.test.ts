import assert from "node:assert/strict";
import { test } from "node:test";
import { PatchedCheckout } from "../crash/patched-checkout.ts";
import type { Patch } from "../crash/patched-checkout.ts";
import { sharedPostgres } from "../postgres.ts";
import { runCampaign } from "./campaign.ts";

const short = { histories: 8, operations: 120, writers: 8, concurrent: 4 };

test("epochs and commits are linearizable while the service is killed", async (context) => {
  const report = await runCampaign({ ...short, seed: 20_261_121, killEveryMs: 400 });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.violations, []);
  assert.ok(report.operations > report.histories * 60);
});

test("the same on PostgreSQL with two nodes", async (context) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const report = await runCampaign({ ...short, seed: 20_261_122, killEveryMs: 500, databaseUrl });
  context.diagnostic(JSON.stringify(report));
  assert.deepEqual(report.violations, []);
});

/** Faults in the fencing as they could be made: a checker that does not notice them proves nothing. */
const faults: { name: string; patches: Patch[] }[] = [];

for (const { name, patches } of faults) {
  test(`noticed: ${name}`, async (context) => {
    using patched = new PatchedCheckout(patches);
    const report = await runCampaign({
      histories: 40,
      operations: 120,
      writers: 8,
      concurrent: 8,
      seed: 20_261_123,
      checkout: patched.directory,
    });
    context.diagnostic(report.violations[0] ?? "nothing noticed");
    assert.notDeepEqual(report.violations, []);
  });
}
