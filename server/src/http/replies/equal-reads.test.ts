import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { EqualReads } from "./equal-reads.ts";

suite("equal reads", () => {
  test("who comes while it runs shares the next one, which begins when it has ended", async () => {
    const { ask, begun } = world();
    const first = ask("a");
    await nextTurn();
    const second = [ask("a"), ask("a"), ask("a")];
    const other = ask("b");
    await nextTurn();
    assert.deepEqual(names(begun), ["a", "b"]);
    begun[0].resolve("old");
    assert.equal(await first, "old");
    await nextTurn();
    assert.deepEqual(names(begun), ["a", "b", "a"]);
    begun[2].resolve("new");
    begun[1].resolve("other");
    assert.deepEqual(await Promise.all(second), ["new", "new", "new"]);
    assert.equal(await other, "other");
    void ask("a");
    await nextTurn();
    assert.equal(begun.length, 4);
  });

  test("what fails fails for those who share it, and the next one runs", async () => {
    const { ask, begun } = world();
    const failing = [ask("a"), ask("a")].map((one) => one.catch(String));
    await nextTurn();
    const next = ask("a");
    begun[0].reject(new Error("broken"));
    assert.deepEqual(await Promise.all(failing), ["Error: broken", "Error: broken"]);
    await nextTurn();
    begun[1].resolve("whole");
    assert.equal(await next, "whole");
  });

  test("it is stopped when the last of them has left, and not before", async () => {
    const { ask, begun } = world();
    const leaving = [new AbortController(), new AbortController()];
    const left = leaving.map(({ signal }) => ask("a", signal).catch(String));
    await nextTurn();
    leaving[0].abort("gone");
    assert.equal(await left[0], "gone");
    assert.equal(begun[0].signal.aborted, false);
    leaving[1].abort("gone");
    assert.equal(await left[1], "gone");
    assert.equal(begun[0].signal.aborted, true);
  });

  test("one that all have left holds nobody up, however long it takes to stop", async () => {
    const { ask, begun } = world();
    const leaving = new AbortController();
    const left = ask("a", leaving.signal).catch(String);
    await nextTurn();
    leaving.abort("gone");
    assert.equal(await left, "gone");
    const next = ask("a");
    await nextTurn();
    assert.deepEqual(names(begun), ["a", "a"]);
    begun[0].resolve("late");
    await nextTurn();
    // The end of the first does not let a third begin beside the second.
    const last = ask("a");
    await nextTurn();
    assert.equal(begun.length, 2);
    begun[1].resolve("second");
    assert.equal(await next, "second");
    await nextTurn();
    begun[2].resolve("third");
    assert.equal(await last, "third");
  });

  test("who comes when all that waited have left waits for a read of their own", async () => {
    const { ask, begun } = world();
    void ask("a");
    await nextTurn();
    const leaving = new AbortController();
    const left = ask("a", leaving.signal).catch(String);
    leaving.abort("gone");
    assert.equal(await left, "gone");
    const stays = ask("a");
    begun[0].resolve("old");
    await nextTurn();
    assert.deepEqual(names(begun), ["a", "a"]);
    begun[1].resolve("new");
    assert.equal(await stays, "new");
    await assert.rejects(ask("a", AbortSignal.abort(new Error("gone"))), /gone/);
  });
});

interface Begun extends PromiseWithResolvers<string> {
  name: string;
  signal: AbortSignal;
}

function world() {
  const begun: Begun[] = [];
  const reads = new EqualReads<string>();
  const ask = (name: string, signal = new AbortController().signal): Promise<string> =>
    reads.read(name, signal, (stop) => {
      const one = { ...Promise.withResolvers<string>(), name, signal: stop };
      begun.push(one);
      return one.promise;
    });
  return { ask, begun };
}

function names(begun: readonly Begun[]): string[] {
  return begun.map(({ name }) => name);
}
