import type { Lease } from "./lease.ts";
import { isFatal, type Task } from "./runner.ts";

/** `find` returns at most `limit` finds of a rule; `take` and `looked` go through the writer. */
export interface RetainingParts<Rule extends { name: string }, Find> {
  due(): Promise<Rule | undefined>;
  find(rule: Rule, limit: number): Promise<Find[]>;
  /** Gives how many of them went to the trash. */
  take(rule: Rule, finds: Find[]): Promise<number>;
  looked(rule: Rule, isDone: boolean): Promise<void>;
  pace: { take(rows: number, stopped: AbortSignal): Promise<void> };
  lease: Lease | undefined;
  warn(message: string, error: unknown): void;
}

const lookEveryMs = 2_000;
const foundAtOnce = 1_000;
const takenAtOnce = 50;

/** Moves the finds of retention rules to the trash, one rule a round. */
export class Retaining<Rule extends { name: string }, Find> implements Task {
  readonly failure = "Looking for what rules of retention take failed.";
  readonly everyMs = lookEveryMs;
  readonly lease: Lease | undefined;
  readonly figures = { retention_taken: 0 };
  failures = 0;
  readonly #parts: RetainingParts<Rule, Find>;

  constructor(parts: RetainingParts<Rule, Find>) {
    this.#parts = parts;
    this.lease = parts.lease;
  }

  async round(stopped: AbortSignal): Promise<boolean> {
    const rule = await this.#parts.due();
    if (rule === undefined) return false;
    const isDone = await this.#take(rule, stopped);
    if (!stopped.aborted) await this.#parts.looked(rule, isDone);
    return true;
  }

  /** Takes a rule's finds; a failure does not stop the others: the rule has its turn in an hour. */
  async #take(rule: Rule, stopped: AbortSignal): Promise<boolean> {
    try {
      const finds = await this.#parts.find(rule, foundAtOnce);
      let taken = 0;
      for (let start = 0; start < finds.length && !stopped.aborted; start += takenAtOnce) {
        const some = finds.slice(start, start + takenAtOnce);
        taken += await this.#parts.take(rule, some);
        await this.#parts.pace.take(some.length, stopped);
      }
      this.figures.retention_taken += taken;
      // Finds changed in the meantime are looked at in an hour: they may go on changing.
      return finds.length < foundAtOnce || taken === 0;
    } catch (error) {
      if (stopped.aborted) return false;
      if (isFatal(error)) throw error;
      this.failures++;
      this.#parts.warn(`The rule "${rule.name}" failed; it will be retried in an hour.`, error);
      return true;
    }
  }
}
