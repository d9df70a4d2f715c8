import assert from "node:assert/strict";
import { test } from "node:test";
import { type Round, toldRounds } from "./rounds.ts";

test("rounds that changed a figure or failed are told, with what they changed; others are not", async () => {
  const figures = { seals: 3, failures: 0 };
  const told: Round[] = [];
  let work = () => {};
  const task = {
    failure: "It failed.",
    everyMs: 1,
    idle: () => void (figures.failures = 9),
    round: async () => {
      work();
      return true;
    },
  };
  const { signal } = new AbortController();
  const traced = toldRounds(
    "seal",
    task,
    () => figures,
    (round) => told.push(round),
  );
  assert.equal(await traced.round(signal), true);
  assert.deepEqual(told, []);
  work = () => void (figures.seals += 2);
  await traced.round(signal);
  work = () => {
    throw new Error("planted");
  };
  await assert.rejects(traced.round(signal), /planted/);
  assert.deepEqual(
    told.map(({ name, changed, failed }) => ({ name, changed, failed })),
    [
      { name: "seal", changed: { seals: 2 }, failed: false },
      { name: "seal", changed: {}, failed: true },
    ],
  );
  traced.idle?.();
  assert.equal(figures.failures, 9);
  assert.deepEqual([traced.failure, traced.everyMs], ["It failed.", 1]);
});
