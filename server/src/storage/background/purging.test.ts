import assert from "node:assert/strict";
import { test } from "node:test";
import { Purging } from "./purging.ts";

test("what waits for something else keeps nothing from being purged, and is tried again later", async () => {
  const entries = Array.from({ length: 120 }, (_, at) => `waiting ${at}`).concat("ready");
  const taken: string[] = [];
  let waitsFor = "something";
  const purging = new Purging({
    due: async (limit, without) =>
      entries.filter((id) => !without.includes(id) && !taken.includes(id)).slice(0, limit),
    step: async (id) => {
      if (id !== "ready" && waitsFor !== "") return { rows: 0, isDone: false, isWaiting: true };
      taken.push(id);
      return { rows: 1, isDone: true };
    },
    sweep: async () => 0,
    pace: { take: async () => undefined },
    lease: undefined,
    warn: assert.fail,
  });
  const { signal } = new AbortController();
  const rounds: (boolean | number)[] = [];
  for (let round = 0; round < 3; round++) rounds.push(await purging.round(signal));
  assert.deepEqual(taken, ["ready"]);
  assert.deepEqual(rounds.slice(0, 2), [true, true]);
  assert.equal(typeof rounds[2], "number", "then it rests, with all that waits");
  waitsFor = "";
  while ((await purging.round(signal)) === true);
  assert.equal(taken.length, entries.length);
});

test("what waits is looked at again soon, and more and more rarely while it waits on", async () => {
  let waiting = ["a"];
  const purging = new Purging({
    due: async (_limit, without) => waiting.filter((id) => !without.includes(id)),
    step: async () => ({ rows: 0, isDone: false, isWaiting: true }),
    sweep: async () => 0,
    pace: { take: async () => undefined },
    lease: undefined,
    warn: assert.fail,
  });
  const { signal } = new AbortController();
  const pauses: number[] = [];
  for (let round = 0; round < 5; round++) pauses.push(Number(await purging.round(signal)));
  const [soon] = pauses;
  assert.deepEqual(pauses, [soon, 2 * soon, 4 * soon, 8 * soon, purging.everyMs]);
  waiting = ["a", "b"];
  assert.equal(await purging.round(signal), soon, "another one may be ready sooner");
  waiting = [];
  assert.equal(await purging.round(signal), purging.everyMs);
});
