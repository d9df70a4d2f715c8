import { setTimeout } from "node:timers/promises";
import type { Fold, foldSummaries } from "./fold.ts";

type WriteFolds = (
  input: Parameters<typeof foldSummaries>[1],
) => Promise<Awaited<ReturnType<typeof foldSummaries>>>;

interface Waiting {
  fold: Fold;
  written: PromiseWithResolvers<{ folded: boolean }>;
}

/** Folds that end within this time are written together, and are in no hurry. */
const gatherMs = 5;

/**
 * Combines folds of several experiments into one write: their rows are adjacent, and on PostgreSQL
 * each statement is a round trip.
 */
export class GatheredFolds {
  readonly #write: WriteFolds;
  readonly #rowsMax: number;
  #waiting: Waiting[] = [];

  /** `rowsMax` is the maximum of a write's rows, except for a single fold with more. */
  constructor(write: WriteFolds, rowsMax: number) {
    this.#write = write;
    this.#rowsMax = rowsMax;
  }

  write(fold: Fold): Promise<{ folded: boolean }> {
    const written = Promise.withResolvers<{ folded: boolean }>();
    this.#waiting.push({ fold, written });
    if (this.#waiting.length === 1) void this.#writeSoon();
    return written.promise;
  }

  async #writeSoon(): Promise<void> {
    await setTimeout(gatherMs);
    let some: Waiting[] = [];
    let rows = 0;
    for (const one of this.#waiting.splice(0)) {
      if (some.length > 0 && rows + one.fold.rows.length > this.#rowsMax) {
        void this.#writeTogether(some);
        [some, rows] = [[], 0];
      }
      some.push(one);
      rows += one.fold.rows.length;
    }
    void this.#writeTogether(some);
  }

  /**
   * Writes folds together; if that fails, each by itself, so that one failure does not stop the
   * others.
   */
  async #writeTogether(some: readonly Waiting[]): Promise<void> {
    try {
      const { folded } = await this.#write({ folds: some.map(({ fold }) => fold) });
      for (const [at, { written }] of some.entries()) written.resolve({ folded: folded[at] });
    } catch (error) {
      if (some.length === 1) some[0].written.reject(error);
      else for (const one of some) await this.#writeTogether([one]);
    }
  }
}
