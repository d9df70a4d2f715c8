import assert from "node:assert/strict";
import { test } from "node:test";
import { DatabaseError } from "./database.ts";
import { filterInTurns } from "./filter-in-turns.ts";

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
  const found = await filterInTurns(rows, slow, undefined);
  clearInterval(timer);
  assert.deepEqual(
    found,
    rows.filter((row) => row % 2 === 0),
  );
  assert.ok(turns > 1, `${turns} turns`);
});

test("the time of a statement, and a client that is gone, end it", async () => {
  const isLate = (error: unknown) => error instanceof DatabaseError && error.kind === "late";
  await assert.rejects(filterInTurns(rows, slow, { statementMs: 50 }), isLate);
  const left = AbortSignal.abort();
  await assert.rejects(filterInTurns(rows, slow, { statementMs: 60_000, left }), isLate);
});
