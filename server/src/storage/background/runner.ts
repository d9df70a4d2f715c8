import { DatabaseError } from "../../database/database.ts";
import type { Lease } from "./lease.ts";

/** Recurring work, apart from requests. */
export interface Task {
  /** Message to the operator when a round fails. */
  readonly failure: string;
  /** Pause between two rounds, and before the first one unless that is set. */
  readonly everyMs: number;
  readonly firstMs?: number;
  /** Maximal random delay, so that nodes do not run all at once. */
  readonly jitterMs?: number;
  /** Lease where several nodes share the database: its holder runs the rounds. */
  readonly lease?: Pick<Lease, "held"> | undefined;
  /**
   * Runs one round. `stopped` is for long rounds to check. True: more work is waiting. A number:
   * the next round begins after this many milliseconds.
   */
  round(stopped: AbortSignal): Promise<boolean | number | void>;
  /** Called when another node runs the rounds. */
  idle?(): void;
  /** Resolves when all work that outlived its round, and was told to stop, has ended. */
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

  /** Reports waiting work: the next round begins at once, or right after the one that runs. */
  wake(): void {
    this.#isWoken = true;
    this.#endPause();
  }

  /**
   * Runs one round, where this node holds the lease. Returns the pause after it; 0: more work
   * waits.
   */
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
    // Also when more work waits: failed work is not retried in a tight loop.
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
