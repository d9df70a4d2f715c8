import assert from "node:assert/strict";
import { test } from "node:test";
import { FairShares } from "./fair-shares.ts";
import { randomNumbers } from "./random.fixture.ts";

test("one holder alone gets half, and what it gives back it gets again", () => {
  const shares = new FairShares(8);
  const held = Array.from({ length: 8 }, () => shares.take("a")).filter((each) => each);
  assert.equal(held.length, 4);
  held[0]![Symbol.dispose]();
  held[0]![Symbol.dispose]();
  assert.equal(shares.taken, 3);
  assert.ok(shares.take("a"));
  assert.equal(shares.take("a"), undefined);
});

test("one organization gets half, two a third each, and a new one always finds one", () => {
  const shares = new FairShares(256);
  const fill = (organizationId: string): Disposable[] => {
    const held: Disposable[] = [];
    for (;;) {
      const share = shares.take(organizationId);
      if (share === undefined) return held;
      held.push(share);
    }
  };
  const first = fill("first");
  assert.equal(first.length, 128);
  assert.equal(fill("second").length, 64);
  for (const share of first.splice(0, 64)) share[Symbol.dispose]();
  assert.equal(fill("second").length, 32);
  assert.ok(shares.take("third"));
  for (const share of first) share[Symbol.dispose]();
  assert.ok(fill("first").length > 0);
});

test("bytes: a share grows as far as is fair, and a refusal changes nothing", () => {
  const shares = new FairShares(100, 10);
  const own = shares.take("a", 0)!;
  assert.equal(own.growTo(50), true);
  assert.equal(own.growTo(51), false);
  assert.equal(shares.taken, 50);
  const other = shares.take("b", 30)!;
  assert.equal(other.growTo(41), false);
  assert.equal(shares.taken, 80);
  own[Symbol.dispose]();
  assert.equal(own.growTo(60), false);
  assert.equal(shares.taken, 30);
});

test("the largest single amount fits also where it is more than half", () => {
  const shares = new FairShares(40, 32);
  const own = shares.take("a", 32)!;
  assert.equal(shares.take("a", 1), undefined);
  assert.equal(shares.take("b", 9), undefined);
  assert.ok(shares.take("b", 8));
  own[Symbol.dispose]();
  assert.equal(new FairShares(1, 32).take("a", 32) !== undefined, true);
});

const seed = Number(process.env["LOSSLESS_SHARES_SEED"] ?? Math.floor(Math.random() * 2 ** 31));

test(`random histories: never more than there is, never more than half, and all comes back (seed ${seed})`, () => {
  const random = randomNumbers(seed);
  for (let round = 0; round < 200; round += 1) {
    const max = 2 + random(60);
    const shares = new FairShares(max);
    const held: { holder: string; amount: number; share: Disposable }[] = [];
    for (let step = 0; step < 100; step += 1) {
      if (random(5) < 2 && held.length > 0) {
        const [ended] = held.splice(random(held.length), 1);
        ended.share[Symbol.dispose]();
      } else {
        const holder = "abc"[random(3)];
        const amount = 1 + random(4);
        const share = shares.take(holder, amount);
        if (share) held.push({ holder, amount, share });
      }
      const sum = (of: typeof held) => of.reduce((total, { amount }) => total + amount, 0);
      assert.equal(shares.taken, sum(held));
      assert.ok(shares.taken <= max);
      for (const holder of "abc") {
        assert.ok(sum(held.filter((each) => each.holder === holder)) <= Math.max(1, max / 2));
      }
    }
    for (const { share } of held) share[Symbol.dispose]();
    assert.equal(shares.taken, 0);
  }
});
