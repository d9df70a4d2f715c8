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
  const rounds: boolean[] = [];
  for (let round = 0; round < 3; round++) rounds.push(await purging.round(signal));
  assert.deepEqual(taken, ["ready"]);
  assert.deepEqual(rounds, [true, true, false], "then it rests, with all that waits");
  waitsFor = "";
  while (await purging.round(signal));
  assert.equal(taken.length, entries.length);
});
