import assert from "node:assert/strict";
import { test } from "node:test";
import { randomNumbers } from "../../ground/random.fixture.ts";
import { counterHigh, counterLow } from "./counter.ts";
import { Generations } from "./generations.ts";

const seed = Math.floor(Math.random() * 2 ** 31);
const prefixes = ["a", "b", "c"];

test(`counters in runs, in gaps and out of order are found as in a Map (seed ${seed})`, () => {
  const random = randomNumbers(seed);
  const generations = new Generations();
  const model = new Map<string, number>();
  // The last one lies across a border of 32 bits.
  const frontiers = [0, 5_000, 2 ** 32 - 200_000];
  let [seq, repeated, wholeRuns] = [0, 0, 0];
  while (model.size < 700_000) {
    const view = generations.open(prefixes);
    const ask = (prefix: number, counter: number): number =>
      view.findCounter(prefix, counterHigh(counter), counterLow(counter));
    for (let run = 1 + random(4); run > 0; run--) {
      const prefix = random(prefixes.length);
      const length = random(3) === 0 ? 1 + random(20) : 1 + random(3_000);
      const isAgain = random(4) === 0;
      // Ahead: what lies between comes later, or never.
      const from = isAgain
        ? Math.max(0, frontiers[prefix] - random(5_000))
        : frontiers[prefix] + (random(5) === 0 ? random(2_000) : 0);
      const stride = random(10) === 0 ? 2 : 1;
      if (stride === 1 && random(2) === 0 && view.lacksRun({ prefix, first: from }, length)) {
        const fingerprints = Uint32Array.from({ length }, () => random(2 ** 31) * 2 + 1);
        for (const [at, fingerprint] of fingerprints.entries()) {
          const key = `${prefix}-${from + at}`;
          if (model.has(key)) assert.fail(`${key} is there`);
          model.set(key, fingerprint);
        }
        view.addRun({ prefix, first: from }, fingerprints);
        wholeRuns++;
      } else
        for (let counter = from; counter < from + stride * length; counter += stride) {
          const key = `${prefix}-${counter}`;
          const expected = model.get(key) ?? -1;
          if (ask(prefix, counter) !== expected) {
            assert.fail(`${key} has ${expected}, found ${ask(prefix, counter)}`);
          }
          if (expected >= 0) repeated++;
          else {
            const fingerprint = random(2 ** 31) * 2 + 1;
            view.addCounter(prefix, counterHigh(counter), counterLow(counter), fingerprint);
            model.set(key, fingerprint);
          }
        }
      if (!isAgain && random(8) > 0)
        frontiers[prefix] = Math.max(frontiers[prefix], from + stride * length);
    }
    generations.close(++seq);
  }
  assert.ok(repeated > 10_000, `${repeated} were repeated`);
  assert.ok(wholeRuns > 50, `${wholeRuns} came whole`);
  const view = generations.open(["x", ...prefixes.toReversed()]);
  for (const [key, fingerprint] of model) {
    const [prefix, counter] = key.split("-").map(Number);
    const found = view.findCounter(3 - prefix, counterHigh(counter), counterLow(counter));
    if (found !== fingerprint) assert.fail(`${key} has ${fingerprint}, found ${found}`);
    if (counter % 1_000 === 0) assert.equal(view.findCounter(0, 0, counterLow(counter)), -1);
  }
  const before = generations.bytes;
  assert.ok(before < 40 * model.size, `${before} bytes`);

  generations.forgetUpTo(seq);
  assert.equal(generations.open(prefixes).findCounter(0, 0, 0), -1);
  assert.ok(generations.bytes < before / 100);
});

test("counters that follow each other take few bytes, whatever the size of their batches", () => {
  for (const size of [20, 1_000, 50_000]) {
    const generations = new Generations();
    for (let from = 0; from < 200_000; from += size) {
      const view = generations.open(["p"]);
      for (let counter = from; counter < from + size; counter++) view.addCounter(0, 0, counter, 1);
    }
    assert.ok(generations.bytes < 9 * 200_000, `${generations.bytes} bytes`);
  }
});
