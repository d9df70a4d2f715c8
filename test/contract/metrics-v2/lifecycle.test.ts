import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../../http.ts";
import { type ExperimentCaller, type OrganizationCaller, refused } from "../callers.ts";
import { topic } from "../topic.ts";

const states = ["opened", "running", "done", "error"] as const;
const events = [
  "start",
  "done",
  "error",
  "metric",
  "annotate",
  "tokenRefresh",
  "tokenRevoke",
  "open",
] as const;
type State = (typeof states)[number];
type Event = (typeof events)[number];

/** "States and transitions": what an event does to any status. `same`: it leaves it alone. */
const statusAfter: Record<Event, "running" | "done" | "error" | "same"> = {
  start: "running",
  done: "done",
  error: "error",
  metric: "same",
  annotate: "same",
  tokenRefresh: "same",
  tokenRevoke: "same",
  open: "same",
};

const replyNames = {
  start: "experiment.started",
  done: "experiment.completed",
  error: "experiment.failed",
  metric: "metricRecorded",
  annotate: "experiment.annotated",
  tokenRevoke: "experiment.tokenRevoked",
} as const;

topic("lifecycle", (system) => {
  for (const state of states) {
    for (const event of events) {
      test(`${event} when ${state}`, () => checkCell(system.acme, state, event));
    }
  }

  test("a repeated done moves doneAtMs, and none of the events revokes the token", async () => {
    const experiment = await system.acme.open();
    const first = await experiment.tell("done");
    await waitPast(Number(first.statusAtMs));
    const second = await experiment.tell("done");
    assert.ok(Number(second.statusAtMs) > Number(first.statusAtMs));
    assert.equal((await system.acme.record(experiment.experimentId)).doneAtMs, second.statusAtMs);
    await experiment.tell("error", { error: "late", meta: {} });
    await experiment.send(experiment.metric());
    await experiment.tell("start");
    const record = await system.acme.record(experiment.experimentId);
    assert.equal(record.status, "running");
    assert.equal(record.doneAtMs, second.statusAtMs, "kept as the last done");
    assert.equal(record.error, "late");
  });

  test("an error's message has 1 to 8,000 characters and its meta 64 KiB", async () => {
    const experiment = await system.acme.open();
    for (const error of ["x", "x".repeat(8_000), "😀".repeat(8_000), "a\nb"]) {
      const meta = { x: "y".repeat(65_536 - 8) };
      await experiment.tell("error", { error, meta });
      const record = await system.acme.record(experiment.experimentId);
      assert.equal(record.error, error);
      assert.deepEqual(record.errorMeta, meta);
    }
    const wrong: JsonObject[] = [
      { error: "", meta: {} },
      { error: "x".repeat(8_001), meta: {} },
      { error: 1, meta: {} },
      { error: "x", meta: [] },
      { error: "x", meta: { x: "y".repeat(65_536 - 7) } },
      { error: "x" },
    ];
    for (const data of wrong) {
      await refused(experiment.post(experiment.event("error", data)), 400, "validation_failed");
    }
  });
});

async function checkCell(acme: OrganizationCaller, state: State, event: Event): Promise<void> {
  const experiment = await acme.open();
  if (state === "running") await experiment.tell("start");
  if (state === "done") await experiment.tell("done");
  if (state === "error")
    await experiment.tell("error", { error: "earlier", meta: { earlier: true } });
  const before = await acme.record(experiment.experimentId);
  const from = Date.now();
  await apply(acme, experiment, event);
  const after = await acme.record(experiment.experimentId);
  const next = statusAfter[event];
  if (next === "same") {
    for (const field of [
      "status",
      "statusAtMs",
      "startedAtMs",
      "doneAtMs",
      "errorAtMs",
      "error",
      "errorMeta",
    ]) {
      assert.deepEqual(after[field], before[field], field);
    }
    return;
  }
  assert.equal(after.status, next);
  assert.ok(Number(after.statusAtMs) >= from && Number(after.statusAtMs) <= Date.now());
  assert.equal(after.updatedAtMs, after.statusAtMs);
  const moved = { running: "startedAtMs", done: "doneAtMs", error: "errorAtMs" }[next];
  for (const field of ["startedAtMs", "doneAtMs", "errorAtMs"]) {
    assert.equal(after[field], field === moved ? after.statusAtMs : before[field], field);
  }
  const error = next === "error" ? { message: "now", meta: { step: 7 } } : undefined;
  assert.deepEqual(after.error, error?.message ?? before.error);
  assert.deepEqual(after.errorMeta, error?.meta ?? before.errorMeta);
}

async function apply(
  acme: OrganizationCaller,
  experiment: ExperimentCaller,
  event: Event,
): Promise<void> {
  const { experimentId, slug, token } = experiment;
  switch (event) {
    case "open":
      await acme.open(slug);
      return;
    case "tokenRefresh":
      await acme.ask("experiment.tokenRefresh", { experimentId, experimentToken: token });
      return;
    case "metric":
      await experiment.ask("experiment.metric", experiment.metric().data, replyNames.metric);
      return;
    case "annotate":
      await experiment.tell("annotate", { annotation: "note", meta: {} }, replyNames.annotate);
      return;
    case "tokenRevoke":
      assert.deepEqual(await experiment.tell("tokenRevoke", {}, replyNames.tokenRevoke), {
        experimentId,
      });
      return;
    case "start":
    case "done":
    case "error": {
      const data = event === "error" ? { error: "now", meta: { step: 7 } } : {};
      const reply = await experiment.tell(event, data, replyNames[event]);
      const status = { start: "running", done: "done", error: "error" }[event];
      assert.deepEqual(reply, { experimentId, status, statusAtMs: reply.statusAtMs! });
    }
  }
}

async function waitPast(timeMs: number): Promise<void> {
  while (Date.now() <= timeMs) await new Promise((resolve) => setTimeout(resolve, 1));
}
