import { setImmediate } from "node:timers/promises";
import { DatabaseError, type ReadBounds } from "./database.ts";

/** Maximal wait of others for the thread while rows are tested, by however many filters. */
const turnMs = 5;

/** The filters of a thread's database. One works at a time, and leaves the thread to others. */
export class FiltersInTurns {
  /** Resolves when the filter that was the last to ask has had its turn. */
  #line: Promise<void> = Promise.resolve();

  /**
   * Returns the rows that a test takes. To test them all takes no longer than one statement may.
   * Throws a DatabaseError of kind `late` otherwise.
   */
  async filter<Row>(
    rows: readonly Row[],
    isWanted: (row: Row) => boolean,
    bounds: ReadBounds | undefined,
  ): Promise<Row[]> {
    const found: Row[] = [];
    const beganMs = performance.now();
    let next = 0;
    while (next < rows.length) {
      await this.#turn(() => {
        const endMs = performance.now() + turnMs;
        do {
          const row = rows[next++];
          if (isWanted(row)) found.push(row);
        } while (next < rows.length && performance.now() < endMs);
      });
      if (bounds === undefined || next === rows.length) continue;
      const isGone = bounds.left?.aborted === true || bounds.isLeft?.() === true;
      if (isGone || performance.now() - beganMs > bounds.statementMs)
        throw new DatabaseError("late", "Rows were tested for too long, or their client has gone.");
    }
    return found;
  }

  /** Runs a piece of work after those that asked before, each in a turn of the event loop. */
  async #turn(work: () => void): Promise<void> {
    const before = this.#line;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#line = promise;
    await before;
    try {
      work();
      await setImmediate();
    } finally {
      resolve();
    }
  }
}
