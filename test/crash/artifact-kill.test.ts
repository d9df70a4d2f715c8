import assert from "node:assert/strict";
import { mkdtempDisposableSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runArtifactCampaign } from "./artifact-campaign.ts";

test("10 kills of writers of artifacts: every version stays, every part with an ETag stays", async (context) => {
  using directory = mkdtempDisposableSync(join(tmpdir(), "lossless-artifact-kill-"));
  const seed = Math.floor(Math.random() * 2 ** 32);
  const strike = (service: { kill(): Promise<void> }) => service.kill();
  const result = await runArtifactCampaign({ cycles: 10, seed, directory: directory.path, strike });
  context.diagnostic(`seed ${seed}: ${JSON.stringify(result)}`);
  assert.deepEqual(result.violations, []);
  assert.ok(result.acknowledgedVersions > 0);
});
