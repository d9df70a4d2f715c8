import { BackOff } from "./back-off.ts";
import type { Lease } from "./lease.ts";
import { isFatal, type Task } from "./runner.ts";

export interface PurgingParts {
  /** Ids of what is to be purged now, but for some. */
  due(limit: number, without: string[]): Promise<string[]>;
  /** Takes the next step; `isWaiting`: something else has to happen first. */
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
/** What has to wait is looked at again so soon; each time that it waits on, after twice as long. */
const lookAgainMs = 250;
const perRound = 50;
/** Objects that one sweep deletes. */
const sweptAtOnce = 1_000;

/** Removes what was in the trash for long enough, or what an admin purged, step by step. */
export class Purging implements Task {
  readonly failure = "Looking for what is to be purged failed.";
  readonly everyMs = lookEveryMs;
  /** A purge that a death cut off goes on at once. */
  readonly firstMs = lookAgainMs;
  readonly lease: Lease | undefined;
  readonly figures = { purged: 0, purged_rows: 0, purged_objects: 0 };
  failures = 0;
  readonly #parts: PurgingParts;
  readonly #backOff = new BackOff();
  /** What had to wait since the last look that saw everything: others go before it. */
  readonly #waiting = new Set<string>();
  /** What waited at the last such look, and the pause behind it. */
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

  /** What waits may go on soon; the longer it waits, the more rarely it is looked at. */
  #rest(): number {
    const isNew = [...this.#waiting].some((id) => !this.#waited.has(id));
    this.#pauseMs = isNew ? lookAgainMs : Math.min(2 * this.#pauseMs, lookEveryMs);
    this.#waited = new Set(this.#waiting);
    this.#waiting.clear();
    return this.#waited.size > 0 ? this.#pauseMs : lookEveryMs;
  }

  /** One that cannot be purged must not keep the others from it. */
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
