import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "./database.ts";
import { FiltersInTurns } from "./filters-in-turns.ts";

const rows = Array.from({ length: 100 }, (_, at) => at);

/** A test of a row that takes 5 ms. */
function slow(row: number): boolean {
  const endMs = performance.now() + 5;
  while (performance.now() < endMs);
  return row % 2 === 0;
}

test("others have turns while rows are tested, and all rows are", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const found = await new FiltersInTurns().filter(rows, slow, undefined);
  clearInterval(timer);
  assert.deepEqual(
    found,
    rows.filter((row) => row % 2 === 0),
  );
  assert.ok(turns > 1, `${turns} turns`);
});

test("the time of a statement, and a client that is gone, end it", async () => {
  const isLate = (error: unknown) => error instanceof DatabaseError && error.kind === "late";
  await assert.rejects(new FiltersInTurns().filter(rows, slow, { statementMs: 50 }), isLate);
  const left = AbortSignal.abort();
  await assert.rejects(
    new FiltersInTurns().filter(rows, slow, { statementMs: 60_000, left }),
    isLate,
  );
});

test("of several filters at once each has one turn before others have one", async () => {
  const filters = new FiltersInTurns();
  let pieces = 0;
  let largest = 0;
  const isCounted = () => {
    if (pieces++ === 0) setImmediate(() => ((largest = Math.max(largest, pieces)), (pieces = 0)));
    return slow(0);
  };
  const all = [1, 2, 3, 4].map(() => filters.filter(rows.slice(0, 10), isCounted, undefined));
  const found = await Promise.all(all);
  assert.deepEqual(
    found.map(({ length }) => length),
    [10, 10, 10, 10],
  );
  assert.equal(largest, 1);
});
