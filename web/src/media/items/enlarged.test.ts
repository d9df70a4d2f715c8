import assert from "node:assert/strict";
import { test } from "node:test";
import { enlargement } from "./enlarged.ts";

test("small pictures become a whole number of times larger, others stay", () => {
  const times = (width: number, height: number) => enlargement(width, height, false);
  assert.deepEqual(
    [
      times(1, 1),
      times(28, 28),
      times(32, 100),
      times(128, 64),
      times(129, 1),
      times(4_000, 3_000),
    ],
    [256, 9, 2, 2, 1, 1],
  );
  assert.equal(enlargement(0, 0, false), 256);
  assert.equal(enlargement(28, 28, true), 4);
});
