interface SlotLimits {
  /** At once, of all organizations. */
  max: number;
  /** At once, of one: calls of its that hang leave slots for the others. */
  maxOfOne: number;
}

interface Waiting {
  organization: string;
  begin: () => void;
}

/** So many at once and no more; who comes later waits in line, as long as its own deadline allows. */
export class Slots {
  readonly #limits: SlotLimits;
  #taken = 0;
  /** Only of those that have some. */
  readonly #takenBy = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();

  constructor(limits: SlotLimits) {
    this.#limits = limits;
  }

  /** Rejects with the signal's reason when it ends before there was a slot. */
  async in<Result>(
    organization: string,
    signal: AbortSignal,
    work: () => Promise<Result>,
  ): Promise<Result> {
    await this.#slot(organization, signal);
    try {
      return await work();
    } finally {
      this.#give(organization);
    }
  }

  async #slot(organization: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#isFree(organization)) {
      this.#take(organization);
      return;
    }
    const turn = Promise.withResolvers<void>();
    const waiting = { organization, begin: turn.resolve };
    const leave = () => {
      this.#waiting.delete(waiting);
      turn.reject(signal.reason);
    };
    this.#waiting.add(waiting);
    signal.addEventListener("abort", leave, { once: true });
    try {
      await turn.promise;
    } finally {
      signal.removeEventListener("abort", leave);
    }
  }

  #isFree(organization: string): boolean {
    const own = this.#takenBy.get(organization) ?? 0;
    return this.#taken < this.#limits.max && own < this.#limits.maxOfOne;
  }

  #take(organization: string): void {
    this.#taken += 1;
    this.#takenBy.set(organization, (this.#takenBy.get(organization) ?? 0) + 1);
  }

  /** A slot goes from hand to hand: nobody who comes in between takes it. */
  #give(organization: string): void {
    this.#taken -= 1;
    const own = this.#takenBy.get(organization)! - 1;
    if (own === 0) this.#takenBy.delete(organization);
    else this.#takenBy.set(organization, own);
    for (const waiting of this.#waiting) {
      if (!this.#isFree(waiting.organization)) continue;
      this.#waiting.delete(waiting);
      this.#take(waiting.organization);
      waiting.begin();
      return;
    }
  }
}
