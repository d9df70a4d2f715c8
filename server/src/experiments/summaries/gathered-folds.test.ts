import assert from "node:assert/strict";
import { test } from "node:test";
import type { Fold } from "./fold.ts";
import { GatheredFolds } from "./gathered-folds.ts";

const fold = (experimentId: string, rows: number): Fold => ({
  experimentId,
  from: { counted: 1, foldedSeq: 0, metricsVersion: 0 },
  rows: Array.from({ length: rows }) as Fold["rows"],
  dropped: [],
});

test("folds of one moment are written together, of so many rows at most", async () => {
  const written: string[][] = [];
  const folds = new GatheredFolds(async (input) => {
    written.push(input.folds.map(({ experimentId }) => experimentId));
    return { folded: input.folds.map(({ experimentId }) => experimentId !== "c") };
  }, 10);
  const told = await Promise.all(
    [fold("a", 4), fold("b", 6), fold("c", 1), fold("d", 11), fold("e", 0)].map((one) =>
      folds.write(one),
    ),
  );
  assert.deepEqual(written, [["a", "b"], ["c"], ["d"], ["e"]]);
  assert.deepEqual(
    told.map(({ folded }) => folded),
    [true, true, false, true, true],
  );
});

test("one that cannot be written keeps no other from it", async () => {
  const folds = new GatheredFolds(async (input) => {
    if (input.folds.some(({ experimentId }) => experimentId === "b")) throw new Error("planted");
    return { folded: input.folds.map(() => true) };
  }, 10);
  const told = await Promise.allSettled(
    ["a", "b", "c"].map((experimentId) => folds.write(fold(experimentId, 1))),
  );
  assert.deepEqual(
    told.map(({ status }) => status),
    ["fulfilled", "rejected", "fulfilled"],
  );
});
