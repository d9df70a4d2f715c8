import { apartMsMax } from "./load.ts";

/** Least time between two answers to one caller. */
const intervalMs = 250;

/** When a caller's next answer may leave: turns are given in the order in which they are taken. */
export class Pace {
  readonly #clock: () => number;
  /** When each caller's latest turn begins. */
  readonly #latest = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * Takes the caller's next turn, and says how long it is until then; undefined: too long. A turn
   * that can wait is so far behind the one before.
   */
  takeTurn(caller: string, mostMs: number, apartMs = 0): number | undefined {
    const nowMs = this.#clock();
    const before = this.#latest.get(caller) ?? -Infinity;
    const turnMs = Math.max(nowMs, before + Math.max(intervalMs, apartMs));
    if (turnMs - nowMs > mostMs) return undefined;
    this.#latest.delete(caller);
    this.#latest.set(caller, turnMs);
    for (const [one, atMs] of this.#latest) {
      if (atMs + apartMsMax > nowMs) break;
      this.#latest.delete(one);
    }
    return turnMs - nowMs;
  }
}
