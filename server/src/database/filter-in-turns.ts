import { setImmediate } from "node:timers/promises";
import { DatabaseError, type ReadBounds } from "./database.ts";

/** Maximal wait of others for the thread while rows are tested. */
const turnMs = 20;

/**
 * Returns the rows that a test takes. To test them all takes no longer than one statement may, and
 * leaves the thread to others every 20 ms. Throws a DatabaseError of kind `late` otherwise.
 */
export async function filterInTurns<Row>(
  rows: readonly Row[],
  isWanted: (row: Row) => boolean,
  bounds: ReadBounds | undefined,
): Promise<Row[]> {
  const found: Row[] = [];
  const beganMs = performance.now();
  let turnBeganMs = beganMs;
  for (const row of rows) {
    if (isWanted(row)) found.push(row);
    const nowMs = performance.now();
    if (nowMs - turnBeganMs < turnMs) continue;
    const isGone = bounds?.left?.aborted === true || bounds?.isLeft?.() === true;
    if (bounds !== undefined && (isGone || nowMs - beganMs > bounds.statementMs))
      throw new DatabaseError("late", "Rows were tested for too long, or their client has gone.");
    await setImmediate();
    turnBeganMs = performance.now();
  }
  return found;
}
