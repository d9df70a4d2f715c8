import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { persistently } from "./persistently.ts";

suite("what fails is read again", () => {
  test("until it succeeds, after pauses that grow up to a minute; each failure is told", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    const read = new Reads();
    const problems: string[] = [];
    const { signal } = new AbortController();
    const found = persistently(read.next, signal, (problem) => problems.push(problem));
    for (const ms of [1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]) {
      const before = read.count;
      read.fail();
      await microtasks();
      t.mock.timers.tick(ms - 1);
      await microtasks();
      assert.equal(read.count, before);
      t.mock.timers.tick(1);
      await microtasks();
      assert.equal(read.count, before + 1);
    }
    read.succeed(7);
    assert.equal(await found, 7);
    assert.equal(problems.length, 8);
    assert.equal(problems[0], "away");
  });

  test("and never after it was stopped, in a pause or in a read", async (t) => {
    t.mock.timers.enable({ apis: ["setTimeout"] });
    for (const isPausing of [true, false]) {
      const read = new Reads();
      const stopped = new AbortController();
      const found = persistently(read.next, stopped.signal);
      if (isPausing) read.fail();
      await microtasks();
      stopped.abort();
      if (!isPausing) read.succeed(7);
      assert.equal(await found, undefined);
      assert.equal(read.count, 1);
    }
  });
});

class Reads {
  count = 0;
  #current = Promise.withResolvers<number>();

  readonly next = (): Promise<number> => {
    this.count++;
    this.#current = Promise.withResolvers();
    return this.#current.promise;
  };

  fail(): void {
    this.#current.reject(new Error("away"));
  }

  succeed(value: number): void {
    this.#current.resolve(value);
  }
}

/** Resolves after all pending microtasks. */
function microtasks(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
