import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sharedPostgres } from "../postgres.ts";
import { makeWorkers } from "../workers.ts";
import { type CampaignOptions, type CampaignResult, runCampaign } from "./campaign.ts";
import { describeResult } from "./report.ts";

/** R1 is short here; `npm run crash` is the long one. Two campaigns at once keep two cores busy. */
test("20 kills under load lose, double and alter nothing on SQLite", async (context) => {
  const seeds = [20_261_101, Math.floor(Math.random() * 2 ** 32)];
  const results = await Promise.all(seeds.map((seed) => campaign({ cycles: 10, seed })));
  for (const [index, result] of results.entries()) {
    context.diagnostic(`seed ${seeds[index]}: ${describeResult(result)}`);
    passes(result);
  }
});

test("6 kills under load lose, double and alter nothing on PostgreSQL", async (context) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  const result = await campaign({ cycles: 6, seed: 20_261_102, databaseUrl });
  context.diagnostic(describeResult(result));
  passes(result);
});

test("6 kills under load lose, double and alter nothing on two workers", async (context) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  await using workers = await makeWorkers();
  const { environment } = workers;
  const result = await campaign({ cycles: 6, seed: 20_261_103, databaseUrl, environment });
  context.diagnostic(describeResult(result));
  passes(result);
});

function passes(result: CampaignResult): void {
  assert.equal(result.violations.length, 0, describeResult(result));
  assert.ok(result.acknowledgedPoints > 0 && result.storedPoints >= result.acknowledgedPoints);
  assert.ok(result.acknowledgedLines > 0 && result.storedLines >= result.acknowledgedLines);
}

async function campaign(options: Omit<CampaignOptions, "fault">): Promise<CampaignResult> {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-crash-"));
  const fault: CampaignOptions["fault"] = {
    directory: directory.path,
    strike: (service) => service.kill(),
  };
  return await runCampaign({ loadMs: [30, 200], ...options, fault });
}
