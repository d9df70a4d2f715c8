import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import type { ExperimentRecord, ExperimentStatus } from "@lossless/protocol";
import { onEachDatabase } from "../database/databases.fixture.ts";
import { failsWith, TestNode } from "../database/node.fixture.ts";
import { completeExperiment } from "./done.ts";
import { failExperiment } from "./error.ts";
import { openExperiment } from "./open.ts";
import { queryExperiment, type QueryExperiment } from "./query-experiment.ts";
import { startExperiment } from "./start.ts";
import { transitions, type LifecycleEvent } from "./status.ts";

const events: LifecycleEvent[] = ["start", "done", "error"];
const after: Record<LifecycleEvent, ExperimentStatus> = {
  start: "running",
  done: "done",
  error: "error",
};
const statuses: ExperimentStatus[] = ["running", "done", "error"];

onEachDatabase((fresh) => {
  let node: TestNode;
  let organizationId: string;
  before(async () => {
    node = new TestNode(await fresh.openMigrated());
    organizationId = await node.newOrganization();
  });

  const send = (experimentId: string, event: LifecycleEvent, message = "boom") => {
    if (event === "start") return node.write(startExperiment, { experimentId });
    if (event === "done") return node.write(completeExperiment, { experimentId });
    return node.write(failExperiment, {
      organizationId,
      experimentId,
      data: { experimentId, error: message, meta: JSON.stringify({ message }) },
    });
  };
  const open = async () => {
    const data = { slug: crypto.randomUUID(), description: "", meta: "{}" };
    return (await node.write(openExperiment, { organizationId, data })).experimentId;
  };
  const record = (experimentId: string) =>
    node.reply<QueryExperiment, ExperimentRecord>(queryExperiment, {
      organizationId,
      data: { experimentId },
    });
  const revision = async (experimentId: string) => {
    const rows = await node.all<{ revision: number }>(
      "SELECT revision FROM head WHERE experiment = $1",
      experimentId,
    );
    return rows[0].revision;
  };
  /** Brings a new experiment into the status by the event that leads there. */
  const inStatus = async (status: ExperimentStatus) => {
    const experimentId = await open();
    const event = events.find((one) => after[one] === status) as LifecycleEvent;
    await send(experimentId, event, "first");
    return experimentId;
  };

  test("the table has a cell for every status and event", () => {
    assert.deepEqual(Object.keys(transitions), statuses);
    for (const status of statuses) assert.deepEqual(Object.keys(transitions[status]), events);
  });

  describe("every status accepts every event", () => {
    for (const status of statuses) {
      for (const event of events) {
        test(`${status}, ${event}: ${after[event]}`, async () => {
          const experimentId = await inStatus(status);
          const earlier = await record(experimentId);
          const earlierRevision = await revision(experimentId);
          node.nowMs += 1_000;
          const change = await send(experimentId, event);
          assert.deepEqual(change, { experimentId, status: after[event], statusAtMs: node.nowMs });
          const expected: ExperimentRecord = {
            ...earlier,
            status: after[event],
            statusAtMs: node.nowMs,
            updatedAtMs: node.nowMs,
            ...(event === "start" ? { startedAtMs: node.nowMs } : {}),
            ...(event === "done" ? { doneAtMs: node.nowMs } : {}),
            ...(event === "error"
              ? { errorAtMs: node.nowMs, error: "boom", errorMeta: { message: "boom" } }
              : {}),
          };
          assert.deepEqual(await record(experimentId), expected);
          assert.equal(await revision(experimentId), earlierRevision + 1);
        });
      }
    }
  });

  test("before the first event the experiment runs since it was opened, and has no other times", async () => {
    const { status, statusAtMs, startedAtMs, doneAtMs, errorAtMs, error, errorMeta } = await record(
      await open(),
    );
    assert.deepEqual(
      { status, statusAtMs, startedAtMs, doneAtMs, errorAtMs, error, errorMeta },
      {
        status: "running",
        statusAtMs: node.nowMs,
        startedAtMs: null,
        doneAtMs: null,
        errorAtMs: null,
        error: null,
        errorMeta: null,
      },
    );
  });

  test("a clock that goes back is written down as it is", async () => {
    const experimentId = await inStatus("done");
    node.nowMs -= 3_600_000;
    await send(experimentId, "done");
    assert.equal((await record(experimentId)).doneAtMs, node.nowMs);
  });

  test("an experiment that is not there is told as such", async () => {
    await assert.rejects(send("nowhere", "start"), failsWith("experiment_not_found"));
  });
});
