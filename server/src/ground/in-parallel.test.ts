import assert from "node:assert/strict";
import { setImmediate } from "node:timers/promises";
import { test } from "node:test";
import { inParallel } from "./in-parallel.ts";

test("all items are worked on, never more than so many at once", async () => {
  let [running, most] = [0, 0];
  const done: number[] = [];
  await inParallel(3, [...Array(10).keys()], async (item) => {
    most = Math.max(most, ++running);
    await setImmediate();
    running--;
    done.push(item);
  });
  assert.equal(most, 3);
  assert.deepEqual(
    done.sort((a, b) => a - b),
    [...Array(10).keys()],
  );
});

test("after a failure nothing is begun, and what runs is awaited", async () => {
  const [begun, ended] = [[] as number[], [] as number[]];
  const work = inParallel(2, [0, 1, 2, 3], async (item) => {
    begun.push(item);
    if (item === 0) throw new Error("first");
    await setImmediate();
    ended.push(item);
  });
  await assert.rejects(work, /first/);
  assert.deepEqual([begun, ended], [[0, 1], [1]]);
});
