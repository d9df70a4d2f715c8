import { setImmediate } from "node:timers/promises";
import { ServiceError } from "../../ground/errors.ts";

/** Work after which others have the thread. */
const turnMs = 20;

/** The turns of one long piece of work, which ends with its client, or after its time. */
export class Turns {
  readonly #endMs: number;
  readonly #late: string;
  readonly #signal: AbortSignal | undefined;
  readonly #nowMs: () => number;
  #beganMs: number;

  /** `late` says what to ask for instead. */
  constructor(
    limitMs: number,
    late: string,
    signal: AbortSignal | undefined,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#late = late;
    this.#signal = signal;
    this.#nowMs = nowMs;
    this.#beganMs = nowMs();
    this.#endMs = this.#beganMs + limitMs;
  }

  /** Gives way to others when a turn is over. Throws `bad_request` when the time is. */
  next(): Promise<void> | undefined {
    const nowMs = this.#nowMs();
    if (nowMs - this.#beganMs < turnMs) return undefined;
    return this.#give(nowMs);
  }

  async #give(nowMs: number): Promise<void> {
    this.#signal?.throwIfAborted();
    if (nowMs > this.#endMs) throw new ServiceError("bad_request", this.#late);
    await setImmediate();
    this.#beganMs = this.#nowMs();
  }
}
