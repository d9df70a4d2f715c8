import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { sharedPostgres } from "../postgres.ts";
import { runCampaign } from "./campaign.ts";
import type { CampaignOptions } from "./campaign.ts";
import { describeResult } from "./report.ts";

/** R1 in its short form; `npm run crash` is the long one. */
test("100 kills under load lose, double and alter nothing on SQLite", async (context) => {
  context.diagnostic(await campaign({ cycles: 100, seed: 20_261_101 }));
});

test("15 kills under load lose, double and alter nothing on PostgreSQL", async (context) => {
  const databaseUrl = await (await sharedPostgres()).createDatabase();
  context.diagnostic(await campaign({ cycles: 15, seed: 20_261_102, databaseUrl }));
});

async function campaign(options: Omit<CampaignOptions, "fault">): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "lossless-crash-"));
  try {
    const fault: CampaignOptions["fault"] = { directory, strike: (service) => service.kill() };
    const result = await runCampaign({ loadMs: [30, 200], ...options, fault });
    const figures = describeResult(result);
    assert.equal(result.violations.length, 0, figures);
    assert.ok(result.acknowledgedPoints > 0 && result.storedPoints >= result.acknowledgedPoints);
    return figures;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
