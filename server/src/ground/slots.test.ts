import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { FairShares } from "./fair-shares.ts";
import { Slots } from "./slots.ts";

/** Works that end when they are told to; `begun` has their names in the order they began. */
function works(shares: FairShares, line?: FairShares) {
  const slots = new Slots(shares, line && { shares: line, fullMessage: "Too many wait" });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const start = (name: string, signal?: AbortSignal) => {
    const work = async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      return name;
    };
    return slots.in(name[0], work, signal);
  };
  const end = async (...names: string[]) => {
    for (const name of names) {
      ends.get(name)!();
      await setImmediate();
    }
  };
  return { slots, begun, start, end };
}

test("so many at once and no more, in the order they came", async () => {
  const { slots, begun, start, end } = works(new FairShares(2, 2));
  const all = ["a1", "a2", "a3", "a4"].map((name) => start(name));
  assert.deepEqual(begun, ["a1", "a2"]);
  assert.equal(slots.waiting, 2);
  await end("a2");
  assert.deepEqual(begun, ["a1", "a2", "a3"]);
  await end("a1", "a3", "a4");
  assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "a4"]);
  assert.equal(slots.waiting, 0);
});

test("one holder's works wait for each other, and another's begins before those that came earlier", async () => {
  const { begun, start, end } = works(new FairShares(4));
  const all = ["a1", "a2", "a3", "a4", "b1", "c1"].map((name) => start(name));
  assert.deepEqual(begun, ["a1", "a2", "b1", "c1"]);
  await end("a1", "b1");
  assert.deepEqual(begun.slice(4), ["a3"]);
  await end("c1", "a2");
  assert.deepEqual(begun.slice(5), ["a4"]);
  await end("a3", "a4");
  await Promise.all(all);
});

test("holders that wait have their turns one after the other", async () => {
  const { begun, start, end } = works(new FairShares(1, 1));
  const names = ["a1", "a2", "a3", "b1", "c1", "b2"];
  const all = names.map((name) => start(name));
  const order = ["a1", "a2", "b1", "c1", "a3", "b2"];
  await end(...order);
  assert.deepEqual(begun, order);
  assert.deepEqual(await Promise.all(all), names);
});

test("who cannot wait any longer leaves the line; a failure gives its slot back", async () => {
  const { slots, begun, start, end } = works(new FairShares(1, 1));
  const first = Promise.withResolvers<void>();
  const held = slots.in("a", () => first.promise);
  const impatient = new AbortController();
  const left = start("a1", impatient.signal);
  const patient = start("a2");
  impatient.abort(new Error("too late"));
  await assert.rejects(left, /too late/);
  first.reject(new Error("refused"));
  await assert.rejects(held, /refused/);
  assert.deepEqual(begun, ["a2"]);
  await end("a2");
  assert.equal(await patient, "a2");
  await assert.rejects(start("a3", impatient.signal), /too late/);
  assert.equal(await slots.in("a", async () => "free"), "free");
});

test("nobody fills the line", async () => {
  const { start, end } = works(new FairShares(1), new FairShares(4));
  const all = ["a1", "a2", "a3"].map((name) => start(name));
  await assert.rejects(start("a4"), { code: "overloaded", message: "Too many wait; try again." });
  all.push(start("b1"));
  await end("a1", "a2", "b1", "a3");
  assert.deepEqual(await Promise.all(all), ["a1", "a2", "a3", "b1"]);
});
