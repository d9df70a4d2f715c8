import assert from "node:assert/strict";
import { test } from "node:test";
import { runFaultCampaign } from "./campaign.ts";

/** `npm run store-faults` goes on. */
test("R9: a store that fails at every fifth request: nothing is lost, doubled or left", async (context) => {
  const seed = 20_261_121;
  const { violations, struck, ...report } = await runFaultCampaign({
    seed,
    versions: 200,
    faultShare: 0.2,
    hangShare: 0.002,
    hangsInCompletion: false,
  });
  context.diagnostic(JSON.stringify({ ...report, struck }));
  assert.deepEqual(violations, []);
  assert.equal(report.versions, 200);
  assert.ok(report.upstream > 0 && report.partsAgain > 0 && report.metricPoints > 0);
  for (const kind of ["slowDown", "lostReply", "doneButNoSuchUpload", "errorInBody"] as const) {
    assert.ok((struck[kind] ?? 0) > 0, `${kind} never struck`);
  }
});
