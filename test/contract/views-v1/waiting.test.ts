import assert from "node:assert/strict";
import { test } from "node:test";
import type { WaitBody, WaitReply } from "@lossless/protocol";
import { type HttpReply, ok } from "../../http.ts";
import { observed, type OrganizationCaller } from "../callers.ts";
import { topic, type System } from "../topic.ts";

/** Wait of a request that a change answers: far longer than the change takes. */
const long = 25_000;

topic("waiting for a condition", (system) => {
  test("a condition that holds is told at once, with what it tests", async () => {
    const experiment = await system.acme.open();
    const { experimentId, slug } = experiment;
    const point = { metricName: "val/loss", step: 1, metricValue: 3.25 };
    await experiment.send(experiment.metric(point));
    const until = "val/loss < 3.3 and val/loss.count = 1";
    const { atMs, ...reply } = await wait(system, { experimentId, until, waitMs: long });
    const values = [
      { field: "metric.val/loss", value: 3.25 },
      { field: "metric.val/loss.count", value: 1 },
    ];
    const state = { slug, status: "running", error: null, points: 1 } as const;
    assert.deepEqual(reply, { outcome: "holds", experimentId, ...state, values, missing: [] });
    assert.ok(atMs > 0);
  });

  test("a point that fulfils it answers who waits; the last value counts", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    const record = (step: number, metricValue: number) =>
      experiment.send(experiment.metric({ metricName: "loss", step, metricValue }));
    await record(1, 1);
    await record(2, 5);
    const until = "loss < 2";
    const before = await wait(system, { experimentId, until, waitMs: 0 });
    assert.equal(before.outcome, "waiting");
    const waited = wait(system, { experimentId, until, waitMs: long });
    await record(3, 1.5);
    const { outcome, values } = await waited;
    assert.deepEqual([outcome, values], ["holds", [{ field: "metric.loss", value: 1.5 }]]);
    const least = await wait(system, { experimentId, until: "loss.max > 4", waitMs: 0 });
    assert.equal(least.outcome, "holds");
  });

  test("the end answers: done holds, and everything else has ended", async () => {
    const [one, other] = [await system.acme.open(), await system.acme.open()];
    const ofOne = { experimentId: one.experimentId, waitMs: long };
    const waiting = [
      wait(system, { ...ofOne, until: "done" }),
      wait(system, { ...ofOne, until: "loss < 2" }),
      wait(system, { experimentId: other.experimentId, waitMs: long, until: "done" }),
      wait(system, { experimentId: other.experimentId, waitMs: long, until: "status = error" }),
    ];
    await one.send(one.metric({ metricName: "los", metricValue: 1 }));
    await one.tell("done");
    await other.tell("error", { error: "out of memory", meta: {} });
    const replies = await Promise.all(waiting);
    assert.deepEqual(
      replies.map(({ outcome, status, error }) => [outcome, status, error]),
      [
        ["holds", "done", null],
        ["ended", "done", null],
        ["ended", "error", "out of memory"],
        ["holds", "error", "out of memory"],
      ],
    );
    assert.deepEqual(replies[1].missing, [{ field: "metric.loss", near: ["metric.los"] }]);
  });

  test("a run whose points are all in the service at its end has not ended before they are tested", async () => {
    for (let time = 0; time < 3; time++) {
      const experiment = await system.acme.open();
      const { experimentId } = experiment;
      const waited = wait(system, { experimentId, until: "loss = 1000", waitMs: long });
      for (let step = 1; step <= 1_000; step += 100) {
        const steps = Array.from({ length: 100 }, (_, at) => step + at);
        const points = steps.map((at) => ({ metricName: "loss", step: at, metricValue: at }));
        await experiment.send(...points.map((point) => experiment.metric(point)));
      }
      await experiment.tell("done");
      assert.equal((await waited).outcome, "holds");
    }
  });

  test("silent: a process was not heard of, or without reports no point came", async () => {
    const experiment = await system.acme.open();
    const { experimentId, token: credential } = experiment;
    const until = "silent";
    const outcome = async () => (await wait(system, { experimentId, until, waitMs: 0 })).outcome;
    assert.equal(await outcome(), "waiting");
    const process = { id: "p", rank: 0, host: "h", processId: 1 };
    const report = (beatAgoMs: number) => ({
      path: `/api/attempts/v1/experiments/${experimentId}/report`,
      credential,
      body: { attempt: "a", process, beganAgoMs: 600_000, beatAgoMs },
    });
    ok(await observed(system, report(120_000)));
    assert.equal(await outcome(), "holds");
    ok(await observed(system, report(0)));
    assert.equal(await outcome(), "waiting");
  });

  test("a run whose processes ended a minute ago has ended, whatever its status says", async () => {
    for (const [agoMs, waitMs, outcome] of [
      [90_000, long, "ended"],
      [0, 0, "waiting"],
    ] as const) {
      const { experimentId, token: credential } = await system.acme.open();
      const process = { id: "p", rank: 0, host: "h", processId: 1 };
      const end = { how: "killed", signal: 9, agoMs };
      const times = { beganAgoMs: 600_000, beatAgoMs: agoMs };
      const path = `/api/attempts/v1/experiments/${experimentId}/report`;
      const body = { attempt: "a", process, ...times, end: { ...end, evidence: ["a sentence"] } };
      ok(await observed(system, { path, credential, body }));
      const reply = await wait(system, { experimentId, until: "done", waitMs });
      assert.deepEqual([reply.outcome, reply.liveness?.state], [outcome, "killed"]);
    }
  });

  test("names that need them are in quotation marks, partitions in braces, fields come first", async () => {
    const experiment = await system.acme.open();
    const { experimentId } = experiment;
    await experiment.send(
      experiment.metric({ metricName: "val loss", metricValue: 2, meta: { subset: "val" } }),
      experiment.metric({ metricName: "points", metricValue: 7, meta: {} }),
    );
    const conditions = [
      `"val loss" = 2`,
      `"val loss"{subset=val}.min = 2 and points = 2`,
      `metric.points = 7 or x in (1, 2)`,
      `not "val loss" in (3, 4) and (status = running)`,
    ];
    for (const until of conditions) {
      const { outcome } = await wait(system, { experimentId, until, waitMs: long });
      assert.equal(outcome, "holds", until);
    }
  });

  test("what is no condition is refused with its place", async () => {
    const { experimentId } = await system.acme.open();
    const refused: [string, RegExp][] = [
      ["", /until/],
      ["  ", /a test such as val\/loss < 3\.3/],
      ["dnoe", /At character 1: expected a test such as val\/loss < 3\.3, or done or silent/],
      ["loss <", /At character 7: expected a value/],
      ["loss between 1", /expected a test|expected/],
      ["status = running overfit", /found overfit/],
      ["duration > 3", /a duration such as/],
    ];
    for (const [until, message] of refused) {
      const { status, text } = await post(system, { experimentId, until, waitMs: 0 });
      assert.equal(status, 400, until);
      assert.match(text, message);
    }
    const { status } = await post(system, { experimentId: "nothing", until: "done", waitMs: 0 });
    assert.equal(status, 404);
    const foreign = { experimentId, until: "done", waitMs: 0 };
    assert.equal((await post(system, foreign, system.rival)).status, 404);
  });

  test("a deleted experiment ends the wait", async () => {
    const { experimentId } = await system.acme.open();
    const waited = post(system, { experimentId, until: "loss < 1", waitMs: long });
    const body = { experimentIds: [experimentId] };
    const { credential } = system.acme;
    ok(await observed(system, { path: "/api/trash/v1/experiments", credential, body }));
    assert.equal((await waited).status, 404);
  });
});

function post(
  system: System,
  body: WaitBody,
  { credential }: OrganizationCaller = system.acme,
): Promise<HttpReply> {
  return observed(system, { path: "/api/views/v1/wait", credential, body });
}

async function wait(system: System, body: WaitBody): Promise<WaitReply> {
  return ok<WaitReply>(await post(system, body));
}
