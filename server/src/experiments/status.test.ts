import assert from "node:assert/strict";
import { test } from "node:test";
import type { ExperimentRecord } from "@lossless/protocol";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { failsWith } from "../database/node.fixture.ts";
import { completeExperiment } from "./done.ts";
import { openExperiment } from "./open.ts";
import { queryExperiment, type QueryExperiment } from "./query-experiment.ts";
import { startExperiment } from "./start.ts";
import { transitions } from "./status.ts";

test("the table has a cell for every status and event", () => {
  assert.deepEqual(Object.keys(transitions), ["running", "done", "error"]);
  for (const row of Object.values(transitions)) {
    assert.deepEqual(Object.keys(row), ["start", "done", "error"]);
  }
});

onEachDatabase((fresh) => {
  const node = fresh.node();

  test("a clock that goes back is written down as it is", async () => {
    const organizationId = await node.newOrganization();
    const open = { slug: "s", description: "", meta: "{}" };
    const { experimentId } = await node.write(openExperiment, { organizationId, data: open });
    await node.write(completeExperiment, { experimentId });
    node.nowMs -= 3_600_000;
    await node.write(completeExperiment, { experimentId });
    const question = { organizationId, data: { experimentId } };
    const record = node.reply<QueryExperiment, ExperimentRecord>(queryExperiment, question);
    assert.equal((await record).doneAtMs, node.nowMs);
  });

  test("an experiment that is not there is told as such", async () => {
    const nowhere = node.write(startExperiment, { experimentId: "nowhere" });
    await assert.rejects(nowhere, failsWith("experiment_not_found"));
  });
});
