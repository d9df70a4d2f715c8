import { setImmediate } from "node:timers/promises";
import { DatabaseError, type ReadBounds } from "./database.ts";

/** Maximal wait of others between two statements of one read. */
const turnMs = 20;
/** Rows after which the clock is read. */
const rowsPerLook = 64;
/** Interval at which a statement checks whether its caller has left. */
const leftEveryMs = 50;

/**
 * Ends the running statement of a SQLite connection at its time limit: SQLite receives no message
 * while it works, but the functions that it calls for each row may refuse.
 */
export class StatementClock {
  #bounds: ReadBounds | undefined;
  #deadlineMs = Infinity;
  #lookAgainMs = Infinity;
  #rows = 0;
  #heldMs = 0;

  /** Runs the statements of a transaction; others run between two of them. */
  async time<Result>(bounds: ReadBounds | undefined, statement: () => Result): Promise<Result> {
    if (bounds === undefined) return statement();
    if (this.#heldMs > turnMs) {
      await setImmediate();
      this.#heldMs = 0;
    }
    if (bounds.isLeft?.() === true) throw late();
    const beganMs = performance.now();
    this.#bounds = bounds;
    this.#deadlineMs = beganMs + bounds.statementMs;
    this.#lookAgainMs = beganMs + leftEveryMs;
    try {
      return statement();
    } finally {
      this.#bounds = undefined;
      this.#heldMs += performance.now() - beganMs;
    }
  }

  /** Called for each row that a statement passes. */
  pass(): void {
    if (++this.#rows % rowsPerLook === 0) this.look();
  }

  /** Called now and then while a statement runs. */
  look(): void {
    if (this.#bounds === undefined) return;
    const nowMs = performance.now();
    if (nowMs > this.#deadlineMs) throw late();
    if (nowMs < this.#lookAgainMs) return;
    this.#lookAgainMs = nowMs + leftEveryMs;
    if (this.#bounds.isLeft?.() === true) throw late();
  }
}

function late(): DatabaseError {
  return new DatabaseError("late", "A statement exceeded its time, or its client has gone.");
}
