import { BackOff } from "./back-off.ts";
import type { Lease } from "./lease.ts";
import { isFatal, type Task } from "./runner.ts";

export interface PurgingParts {
  /** Lists ids of due entries, with exceptions. */
  due(limit: number, without: string[]): Promise<string[]>;
  /** Takes the next step; `isWaiting`: a precondition is missing. */
  step(id: string): Promise<PurgeStep>;
  /** Deletes objects that nothing names any more, and says how many. */
  sweep(stopped: AbortSignal): Promise<number>;
  pace: { take(rows: number, stopped: AbortSignal): Promise<void> };
  lease: Lease | undefined;
  warn(message: string, error: unknown): void;
}

export interface PurgeStep {
  rows: number;
  isDone: boolean;
  isWaiting?: boolean;
}

const lookEveryMs = 2_000;
/** Pause before waiting entries are looked at again; doubled each time that they go on waiting. */
const lookAgainMs = 250;
const perRound = 50;
/** Objects that one sweep deletes. */
const sweptAtOnce = 1_000;

/**
 * Purges entries that were in the trash for long enough, or were purged by an admin, step by step.
 */
export class Purging implements Task {
  readonly failure = "Looking for what is to be purged failed.";
  readonly everyMs = lookEveryMs;
  /** Delay after a start; short, so that an interrupted purge goes on at once. */
  readonly firstMs = lookAgainMs;
  readonly lease: Lease | undefined;
  readonly figures = { purged: 0, purged_rows: 0, purged_objects: 0 };
  failures = 0;
  readonly #parts: PurgingParts;
  readonly #backOff = new BackOff();
  /** Entries that had to wait since the last complete look: others go first. */
  readonly #waiting = new Set<string>();
  /** Entries that waited at the last such look, and the pause after it. */
  #waited = new Set<string>();
  #pauseMs = lookAgainMs;

  constructor(parts: PurgingParts) {
    this.#parts = parts;
    this.lease = parts.lease;
  }

  async round(stopped: AbortSignal): Promise<boolean | number> {
    const without = [...this.#backOff.resting, ...this.#waiting];
    const due = await this.#parts.due(perRound, without);
    for (const id of due) {
      if (stopped.aborted) return false;
      await this.#purge(id, stopped);
    }
    if (due.length > 0) await this.#sweep(stopped);
    return due.length === perRound ? true : this.#rest();
  }

  /**
   * Returns the pause: short for entries that began to wait, longer each time they go on waiting.
   */
  #rest(): number {
    const isNew = [...this.#waiting].some((id) => !this.#waited.has(id));
    this.#pauseMs = isNew ? lookAgainMs : Math.min(2 * this.#pauseMs, lookEveryMs);
    this.#waited = new Set(this.#waiting);
    this.#waiting.clear();
    return this.#waited.size > 0 ? this.#pauseMs : lookEveryMs;
  }

  /** Purges one entry; a failure does not stop the others. */
  async #purge(id: string, stopped: AbortSignal): Promise<void> {
    try {
      for (let isDone = false; !isDone && !stopped.aborted;) {
        const { rows, isWaiting = false, ...taken } = await this.#parts.step(id);
        if (isWaiting) {
          this.#waiting.add(id);
          break;
        }
        ({ isDone } = taken);
        this.figures.purged_rows += rows;
        if (isDone && rows > 0) this.figures.purged++;
        await this.#parts.pace.take(rows, stopped);
      }
      this.#backOff.succeeded(id);
    } catch (error) {
      if (stopped.aborted) return;
      if (isFatal(error)) throw error;
      this.failures++;
      this.#backOff.failed(id);
      const sentence = `The entry ${id} of the trash cannot be purged now; it is tried again later.`;
      this.#parts.warn(sentence, error);
    }
  }

  async #sweep(stopped: AbortSignal): Promise<void> {
    for (let swept = sweptAtOnce; swept === sweptAtOnce && !stopped.aborted;) {
      swept = await this.#parts.sweep(stopped);
      this.figures.purged_objects += swept;
    }
  }
}
