import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "../../database/database.ts";
import { Lease } from "./lease.ts";
import { Runner, type Task } from "./runner.ts";

const hourMs = 3_600_000;

test("rounds follow each other while more is at hand, and a failed one is told and waits", async () => {
  const rounds: string[] = [];
  const warnings: string[] = [];
  const waits = Promise.withResolvers<void>();
  const work = [
    async () => true,
    async () => {
      setImmediate(waits.resolve);
      throw new Error("planted");
    },
    async () => false,
  ];
  const runner = new Runner(
    task(async () => {
      const round = work.shift()!;
      rounds.push(`${work.length} left`);
      return round();
    }),
    (message, error) => warnings.push(`${message} ${(error as Error).message}`),
  );
  const running = runner.run();
  await waits.promise;
  assert.deepEqual(rounds, ["2 left", "1 left"]);
  assert.deepEqual([warnings, runner.failures], [["The task failed. planted"], 1]);
  runner.wake();
  await new Promise(setImmediate);
  assert.equal(rounds.length, 3);
  await runner[Symbol.asyncDispose]();
  await running;
});

test("who wakes it while a round runs has another one behind it, and one only", async () => {
  const firstRuns = Promise.withResolvers<void>();
  const firstEnds = Promise.withResolvers<void>();
  const secondRuns = Promise.withResolvers<void>();
  let rounds = 0;
  const long = task(async () => {
    rounds++;
    if (rounds === 2) secondRuns.resolve();
    if (rounds > 1) return;
    firstRuns.resolve();
    await firstEnds.promise;
  });
  const runner = new Runner(long, assert.fail);
  const running = runner.run();
  runner.wake();
  await firstRuns.promise;
  for (let wishes = 0; wishes < 3; wishes++) runner.wake();
  firstEnds.resolve();
  await secondRuns.promise;
  await new Promise(setImmediate);
  assert.equal(rounds, 2);
  await runner[Symbol.asyncDispose]();
  await running;
});

test("a round may say when the next one comes", async () => {
  const second = Promise.withResolvers<void>();
  let rounds = 0;
  const again = task(async () => {
    if (++rounds === 2) second.resolve();
    return 1;
  });
  const runner = new Runner(again, assert.fail);
  const running = runner.run();
  await second.promise;
  await runner[Symbol.asyncDispose]();
  await running;
});

test("of two nodes the one with the lease has the round, the other is told", async () => {
  const heard: string[] = [];
  for (const held of [true, false]) {
    const lease = new Lease("sweep", hourMs, async ({ work, leaseMs }) => {
      assert.deepEqual([work, leaseMs], ["sweep", hourMs]);
      return { held };
    });
    const one = task(async () => void heard.push("round"));
    await new Runner({ ...one, lease, idle: () => heard.push("idle") }, assert.fail).round();
  }
  assert.deepEqual(heard, ["round", "idle"]);
});

test("one that is disposed ends at once: while it waits, and in a round without a word", async () => {
  const waiting = new Runner({ ...task(async () => assert.fail()), firstMs: hourMs }, assert.fail);
  const waited = waiting.run();
  await waiting[Symbol.asyncDispose]();
  await waited;
  const begun = Promise.withResolvers<void>();
  const working = new Runner(
    task(async (stopped) => {
      begun.resolve();
      await new Promise((resolve) => stopped.addEventListener("abort", resolve));
      throw new Error("cut short");
    }),
    assert.fail,
  );
  const worked = working.run();
  await begun.promise;
  await working[Symbol.asyncDispose]();
  await worked;
});

test("a failed disk ends the rounds", async () => {
  const failed = task(async () => {
    throw new DatabaseError("failed", "planted");
  });
  await assert.rejects(new Runner(failed, assert.fail).run(), { kind: "failed" });
});

function task(round: Task["round"]): Task {
  return { failure: "The task failed.", everyMs: hourMs, firstMs: 0, round };
}
