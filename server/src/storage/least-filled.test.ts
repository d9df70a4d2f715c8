import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate } from "node:timers/promises";
import type { Database, Reader } from "../database/database.ts";
import { LeastFilled } from "./least-filled.ts";

const gibibyte = 1024 ** 3;

test("those that hold least take turns; one that does not answer gets none", async () => {
  const filled = await chosen([1, 1.5, 30]);
  assert.deepEqual(filled, [1, 2]);
  assert.deepEqual(await chosen([undefined, 5, undefined]), [2]);
  assert.deepEqual(await chosen([100, 105, 120]), [1, 2]);
});

test("where none answers, each gets its turn", async () => {
  assert.deepEqual(await chosen([undefined, undefined]), [1, 2]);
});

test("one whose writes wait gets none, unless those of all do", async () => {
  assert.deepEqual(await chosen([1, 1, 1], { isHeldUp: (at) => at === 1 }), [1, 3]);
  assert.deepEqual(await chosen([1, 1], { isHeldUp: () => true }), [1, 2]);
});

test("workers that are not in use yet get none, and without any the directory gets all", async () => {
  assert.deepEqual(await chosen([5, 5, 0], { inUse: 2 }), [1, 2]);
  assert.deepEqual(await chosen([0, 0], { inUse: 0 }), [0]);
});

/** The workers chosen, in order, once they were asked. */
async function chosen(
  gibibytes: readonly (number | undefined)[],
  given: { inUse?: number; isHeldUp?: (at: number) => boolean } = {},
): Promise<number[]> {
  const workers = gibibytes.map((size): Pick<Database, "read"> => {
    const reader = { get: async () => ({ bytes: size! * gibibyte }) } as unknown as Reader;
    const read = async <T>(work: (reader: Reader) => Promise<T>): Promise<T> => {
      if (size === undefined) throw new Error("away");
      return work(reader);
    };
    return { read };
  });
  const leastFilled = new LeastFilled(
    workers,
    async () => given.inUse ?? workers.length,
    () => undefined,
    given.isHeldUp,
  );
  await leastFilled.begin();
  leastFilled.choose();
  await setImmediate();
  const numbers = Array.from({ length: 12 }, () => leastFilled.choose());
  return [...new Set(numbers)].sort((one, other) => one - other);
}
