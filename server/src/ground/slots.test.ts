import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Slots } from "./slots.ts";

const never = new AbortController().signal;

test("so many at once and no more, in the order they came", async () => {
  const slots = new Slots({ max: 2, maxOfOne: 2 });
  const ends = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const begun: number[] = [];
  const all = ends.map(({ promise }, index) =>
    slots.in("acme", never, async () => {
      begun.push(index);
      await promise;
    }),
  );
  await setImmediate();
  assert.deepEqual(begun, [0, 1]);
  ends[1]!.resolve();
  await setImmediate();
  assert.deepEqual(begun, [0, 1, 2]);
  for (const { resolve } of ends) resolve();
  await Promise.all(all);
  assert.deepEqual(begun, [0, 1, 2, 3]);
});

test("who cannot wait any longer leaves the line; a failure gives its slot back", async () => {
  const slots = new Slots({ max: 1, maxOfOne: 1 });
  const first = Promise.withResolvers<void>();
  const held = slots.in("acme", never, () => first.promise);
  const impatient = new AbortController();
  const left = slots.in("acme", impatient.signal, async () => assert.fail("it had no slot"));
  const patient = slots.in("acme", never, async () => "done");
  impatient.abort(new Error("too late"));
  await assert.rejects(left, /too late/);
  first.reject(new Error("refused"));
  await assert.rejects(held, /refused/);
  assert.equal(await patient, "done");
  await assert.rejects(
    slots.in("acme", impatient.signal, async () => "done"),
    /too late/,
  );
  assert.equal(await slots.in("acme", never, async () => "free"), "free");
});

test("one organization's calls that hang leave slots for the others, who pass it in the line", async () => {
  const slots = new Slots({ max: 3, maxOfOne: 2 });
  const hanging = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work = (name: string, end?: Promise<void>) =>
    slots.in(name, never, async () => {
      begun.push(name);
      await end;
    });
  const hung = [1, 2, 3].map(() => work("acme", hanging.promise));
  const own = Promise.withResolvers<void>();
  const others = [work("rival", own.promise), work("rival")];
  await setImmediate();
  assert.deepEqual(begun, ["acme", "acme", "rival"]);
  own.resolve();
  await Promise.all(others);
  assert.deepEqual(begun, ["acme", "acme", "rival", "rival"]);
  hanging.resolve();
  await Promise.all(hung);
  assert.equal(begun.length, 5);
});
