import assert from "node:assert/strict";
import { test } from "node:test";
import { MovableClock } from "../../movable-clock.ts";
import { suiteDirectory } from "../../suite-service.ts";
import { event, ExperimentCaller, type OrganizationCaller, refused } from "../callers.ts";
import { topic } from "../topic.ts";

const secondMs = 1_000;
const hourMs = 3_600 * secondMs;
const clock = new MovableClock(suiteDirectory("clock"));

topic(
  "life of experiment tokens",
  (system) => {
    const pass = (durationMs: number) => (clock.aheadMs += durationMs);

    test("a token works for 24 hours and then no more, and cannot be refreshed any more", async () => {
      const experiment = await system.acme.open();
      pass(24 * hourMs - 60 * secondMs);
      await works(experiment);
      pass(61 * secondMs);
      await dead(experiment);
      await cannotRefresh(system.acme, experiment);
      await works(await system.acme.open(experiment.slug));
    });

    test("a refresh gives a new token for 24 hours, the previous one works at most 30 seconds more", async () => {
      const experiment = await system.acme.open();
      pass(12 * hourMs);
      await works(experiment);
      const next = await refresh(system.acme, experiment);
      assert.notEqual(next.token, experiment.token);
      assert.ok(next.expiresAtMs >= experiment.expiresAtMs + 12 * hourMs);
      pass(20 * secondMs);
      await works(experiment);
      await works(next);
      pass(11 * secondMs);
      await dead(experiment);
      await cannotRefresh(system.acme, experiment);
      await works(next);
      pass(24 * hourMs - 60 * secondMs);
      await works(next);
      pass(61 * secondMs);
      await dead(next);
    });

    test("a refresh just before expiry does not lengthen the old token's life", async () => {
      const experiment = await system.acme.open();
      pass(24 * hourMs - 10 * secondMs);
      const next = await refresh(system.acme, experiment);
      pass(11 * secondMs);
      await dead(experiment);
      await works(next);
    });

    test("a lost refresh reply locks nobody out: the old token refreshes again within its grace", async () => {
      const experiment = await system.acme.open();
      const lost = await refresh(system.acme, experiment);
      pass(20 * secondMs);
      const next = await refresh(system.acme, experiment);
      assert.notEqual(next.token, lost.token);
      pass(11 * secondMs);
      await dead(experiment);
      await works(next);
      await works(lost);
    });

    test("50 parallel refreshes of one token each give a valid one", async () => {
      const experiment = await system.acme.open();
      const refreshed = await Promise.all(
        Array.from({ length: 50 }, () => refresh(system.acme, experiment)),
      );
      assert.equal(new Set(refreshed.map(({ token }) => token)).size, 50);
      for (const next of refreshed) await works(next);
      pass(31 * secondMs);
      await dead(experiment);
    });

    test("tokenRevoke ends the presented token and its predecessor in grace, not those of other opens", async () => {
      const other = await system.acme.open();
      const experiment = await system.acme.open(other.slug);
      const next = await refresh(system.acme, experiment);
      await works(experiment);
      await next.tell("tokenRevoke");
      await dead(next);
      await dead(experiment);
      await cannotRefresh(system.acme, next);
      await works(other);
    });

    test("tokenRevoke leaves no ancestor in its 30 seconds alive, however long the chain is", async () => {
      const experiment = await system.acme.open();
      const second = await refresh(system.acme, experiment);
      const third = await refresh(system.acme, second);
      for (const token of [experiment, second, third]) await works(token);
      await third.tell("tokenRevoke");
      for (const token of [experiment, second, third]) await dead(token);
    });

    test("a token revoked by its predecessor in grace leaves its successor alive", async () => {
      const experiment = await system.acme.open();
      const next = await refresh(system.acme, experiment);
      await experiment.tell("tokenRevoke");
      await dead(experiment);
      await works(next);
    });

    test("tampered and made-up tokens are refused in one and the same way", async () => {
      const experiment = await system.acme.open();
      const { token } = experiment;
      const last = token.at(-1) === "A" ? "B" : "A";
      const tokens = [
        token.slice(0, -1) + last,
        token.slice(0, -1),
        `${token}A`,
        token.toUpperCase(),
        token.slice(3),
        `ak_${token.slice(3)}`,
        "ik_",
        "x",
        `ik_${"A".repeat(38)}`,
      ];
      const messages = new Set<string>();
      for (const other of tokens) messages.add(await dead(experiment.withToken(other)));
      assert.equal(messages.size, 1);
      await works(experiment);
    });

    test("an organization key is not touched by the passing of time", async () => {
      pass(100 * 24 * hourMs);
      await system.acme.send(event("foldertree.read", {}));
    });
  },
  clock.service,
);

async function works(experiment: ExperimentCaller): Promise<void> {
  const [reply] = await experiment.send(experiment.metric());
  assert.equal(reply.event, "svc.v2.metricRecorded");
}

async function dead(experiment: ExperimentCaller): Promise<string> {
  const { message } = await refused(experiment.post(experiment.metric()), 401, "unauthorized");
  return message;
}

async function refresh(
  acme: OrganizationCaller,
  experiment: ExperimentCaller,
): Promise<ExperimentCaller> {
  const { experimentId, token: experimentToken, slug, target } = experiment;
  const data = await acme.ask(
    "experiment.tokenRefresh",
    { experimentId, experimentToken },
    "experiment.tokenRefreshed",
  );
  assert.deepEqual(Object.keys(data).sort(), ["experimentId", "experimentToken", "expiresAtMs"]);
  return new ExperimentCaller(target, slug, data);
}

async function cannotRefresh(
  acme: OrganizationCaller,
  experiment: ExperimentCaller,
): Promise<void> {
  const { experimentId, token: experimentToken } = experiment;
  await acme.fails(
    "experiment.tokenRefresh",
    { experimentId, experimentToken },
    401,
    "experiment_token_invalid",
  );
}
