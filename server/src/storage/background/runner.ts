import { DatabaseError } from "../../database/database.ts";
import type { Lease } from "./lease.ts";

/** Work that comes again, off the requests. */
export interface Task {
  /** What the operator is told when a round fails. */
  readonly failure: string;
  /** Between two rounds, and before the first one where that is another time. */
  readonly everyMs: number;
  readonly firstMs?: number;
  /** Up to so much more, so that nodes do not come all at once. */
  readonly jitterMs?: number;
  /** Where several nodes share the database: the one that holds it has the rounds. */
  readonly lease?: Lease | undefined;
  /**
   * `stopped` is for long rounds to look at. True: more is at hand. A number: the next round comes
   * after so many milliseconds.
   */
  round(stopped: AbortSignal): Promise<boolean | number | void>;
  /** Another node has the rounds. */
  idle?(): void;
  /** Resolves when nothing is in work any more that outlived its round, and was told to stop. */
  settled?(): Promise<void>;
}

/** Runs one task, round after round, until it is disposed. */
export class Runner implements AsyncDisposable {
  /** Rounds that failed. */
  failures = 0;
  readonly #task: Task;
  readonly #warn: (message: string, error: unknown) => void;
  readonly #stop = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isWoken = false;
  #endPause: () => void = () => undefined;

  constructor(task: Task, warn: (message: string, error: unknown) => void) {
    this.#task = task;
    this.#warn = warn;
  }

  /** Rejects when storage cannot go on: then the process has to stop. */
  run(): Promise<void> {
    this.#running = this.#loop();
    return this.#running;
  }

  /** There is work at hand: the next round begins at once, or behind the one that runs. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /** One round, where this node has it. Returns the pause behind it; 0: more is at hand. */
  async round(): Promise<number> {
    const { lease, failure, everyMs } = this.#task;
    try {
      if (lease === undefined || (await lease.held())) {
        const next = await this.#task.round(this.#stop.signal);
        if (typeof next === "number") return next;
        return next === true ? 0 : everyMs;
      }
      this.#task.idle?.();
    } catch (error) {
      if (this.#stop.signal.aborted) return everyMs;
      if (isFatal(error)) throw error;
      this.failures++;
      this.#warn(failure, error);
    }
    // After a failure also with work at hand: what failed is not asked in a tight loop.
    return everyMs;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    this.#endPause();
    await this.#running.catch(() => undefined);
    await this.#task.settled?.();
  }

  async #loop(): Promise<void> {
    const { everyMs, firstMs = everyMs } = this.#task;
    await this.#pause(firstMs);
    while (!this.#stop.signal.aborted) {
      this.#isWoken = false;
      const pauseMs = await this.round();
      if (pauseMs > 0) await this.#pause(pauseMs);
    }
  }

  async #pause(ms: number): Promise<void> {
    if (this.#stop.signal.aborted || this.#isWoken) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endPause = resolve;
    const timer = setTimeout(resolve, ms + Math.random() * (this.#task.jitterMs ?? 0));
    await promise;
    clearTimeout(timer);
  }
}

/** The disk has failed, or the database is corrupt. */
export function isFatal(error: unknown): boolean {
  return error instanceof DatabaseError && (error.kind === "failed" || error.kind === "corrupt");
}
