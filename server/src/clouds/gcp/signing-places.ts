/** At most `max` at once; who comes later waits in line, as long as its own deadline allows. */
export class SigningPlaces {
  readonly #max: number;
  #taken = 0;
  readonly #waiting = new Set<() => void>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Rejects with the signal's reason when it ends before there was a place. */
  async in<Result>(signal: AbortSignal, work: () => Promise<Result>): Promise<Result> {
    await this.#take(signal);
    try {
      return await work();
    } finally {
      this.#give();
    }
  }

  async #take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#taken < this.#max) {
      this.#taken += 1;
      return;
    }
    const turn = Promise.withResolvers<void>();
    const leave = () => {
      this.#waiting.delete(turn.resolve);
      turn.reject(signal.reason);
    };
    this.#waiting.add(turn.resolve);
    signal.addEventListener("abort", leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  /** A place goes from hand to hand: nobody who comes in between takes it. */
  #give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
