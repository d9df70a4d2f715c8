/** Least time between two answers to one caller. */
const intervalMs = 250;

/** When a caller's next answer may leave: turns are given in the order in which they are taken. */
export class Pace {
  readonly #clock: () => number;
  /** When each caller's next turn begins. */
  readonly #next = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /** Takes the caller's next turn, and says how long it is until then; undefined: too long. */
  takeTurn(caller: string, mostMs: number): number | undefined {
    const nowMs = this.#clock();
    const turnMs = Math.max(nowMs, this.#next.get(caller) ?? 0);
    if (turnMs - nowMs > mostMs) return undefined;
    this.#next.delete(caller);
    this.#next.set(caller, turnMs + intervalMs);
    for (const [one, atMs] of this.#next) {
      if (atMs > nowMs) break;
      this.#next.delete(one);
    }
    return turnMs - nowMs;
  }
}
