import assert from "node:assert/strict";
import { test } from "node:test";
import { RecentIdentifiers, counterKeyMark } from "./recent.ts";

test("an empty table finds nothing, not even the all-zero key", () => {
  assert.equal(new RecentIdentifiers().find(0, 0, 0, 0), -1);
});

test("keys of zeros and of ones, and fingerprints 0 and 2^32 - 1, are values like any other", () => {
  const recent = new RecentIdentifiers();
  recent.add(0, 0, 0, 0, 0);
  recent.add(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
  assert.equal(recent.find(0, 0, 0, 0), 0);
  assert.equal(recent.find(-1, -1, -1, -1), 0xffffffff);
  assert.equal(recent.find(0, 0, 0, 1), -1);
  assert.equal(recent.size, 2);
});

test("equals a Map over 300,000 keys, random and counters, while it grows", () => {
  const recent = new RecentIdentifiers();
  const model = new Map<string, number>();
  let state = 12345;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
  for (let turn = 0; turn < 300_000; turn++) {
    const isCounter = turn % 2 === 0;
    const key: [number, number, number, number] = isCounter
      ? [random(3), counterKeyMark, random(2), random(50_000)]
      : [random(50), random(50), random(50), random(2)];
    const text = key.join();
    const expected = model.get(text) ?? -1;
    assert.equal(recent.find(...key), expected);
    if (expected >= 0) continue;
    const fingerprint = random(2 ** 32);
    recent.add(...key, fingerprint);
    model.set(text, fingerprint);
  }
  assert.equal(recent.size, model.size);
});
