import assert from "node:assert/strict";
import { test } from "node:test";
import type { Signed } from "../../buckets/bucket.ts";
import { signInTurns } from "./sign-in-turns.ts";

const timeout = { name: "StoreError", code: "timeout", transient: true };
const items = [1, 2, 3, 4, 5];
const signed = async (turn: readonly number[]): Promise<Signed<string>> => ({
  addresses: turn.map(String),
  expiresAtMs: 1,
});
const never = () => new Promise<never>(() => {});
/** Keeps the process while only timers without a hold are waited for. */
const alive = () => {
  const timer = setTimeout(() => {}, 60_000);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
};

test("everything is signed in order, some at a time", async () => {
  const turns = await Array.fromAsync(signInTurns({ items, perTurn: 2, sign: signed }));
  assert.deepEqual(
    turns.map(({ turn, signed: { addresses } }) => [turn, addresses]),
    [
      [
        [1, 2],
        ["1", "2"],
      ],
      [
        [3, 4],
        ["3", "4"],
      ],
      [[5], ["5"]],
    ],
  );
});

test("all turns together have one deadline, and none begins after it", async () => {
  using _alive = alive();
  let asked = 0;
  const sign = (turn: readonly number[]) => (++asked < 2 ? signed(turn) : never());
  const turns = signInTurns({ items, perTurn: 1, sign, deadlineMs: 500 });
  await assert.rejects(Array.fromAsync(turns), timeout);
  assert.equal(asked, 2);
});

test("impatience ends what has signed nothing yet, and nothing else", async () => {
  using _alive = alive();
  const patience = new AbortController();
  const silent = Array.fromAsync(
    signInTurns({ items, perTurn: 1, sign: never, patience: patience.signal }),
  );
  patience.abort();
  await assert.rejects(silent, timeout);
  const late = new AbortController();
  const sign = (turn: readonly number[]) => {
    if (turn[0] === 2) late.abort();
    return signed(turn);
  };
  const turns = signInTurns({ items, perTurn: 1, sign, patience: late.signal });
  assert.equal((await Array.fromAsync(turns)).length, 5);
});
