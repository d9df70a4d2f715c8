import type { FairShares, Share } from "./fair-shares.ts";

interface Waiting {
  holder: string;
  begin: (slot: Share) => void;
}

/**
 * Work of which only so much runs at once, shared out between holders; the rest waits in line. Whoever has the most
 * slots waits while others, who came later, begin. The places in line are shared out in the same way.
 */
export class FairLine {
  readonly #slots: FairShares;
  readonly #places: FairShares;
  readonly #waiting = new Set<Waiting>();

  constructor(slots: FairShares, places: FairShares) {
    this.#slots = slots;
    this.#places = places;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Undefined, without a run, when there is no place in line for this holder. */
  async run<Result>(
    holder: string,
    work: () => Promise<Result>,
  ): Promise<{ result: Result } | undefined> {
    const slot = this.#slots.take(holder) ?? (await this.#wait(holder));
    if (slot === undefined) return undefined;
    try {
      return { result: await work() };
    } finally {
      slot[Symbol.dispose]();
      this.#beginNext();
    }
  }

  async #wait(holder: string): Promise<Share | undefined> {
    using place = this.#places.take(holder);
    if (place === undefined) return undefined;
    const turn = Promise.withResolvers<Share>();
    this.#waiting.add({ holder, begin: turn.resolve });
    return await turn.promise;
  }

  #beginNext(): void {
    for (const waiting of this.#waiting) {
      const slot = this.#slots.take(waiting.holder);
      if (slot === undefined) continue;
      this.#waiting.delete(waiting);
      waiting.begin(slot);
    }
  }
}
