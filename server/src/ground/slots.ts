import { ServiceError } from "./errors.ts";
import type { FairShares, Share } from "./fair-shares.ts";

/** Who may wait, and what those are told for whom there is no room. */
export interface SlotLine {
  shares: FairShares;
  fullMessage: string;
}

interface Waiting {
  begin: (slot: Share) => void;
}

/**
 * Work of which only so much runs at once, as the shares allow each holder. The rest waits, and the
 * holders that do have their turns one after the other: nobody waits for all of somebody else's.
 */
export class Slots {
  readonly #shares: FairShares;
  readonly #line: SlotLine | undefined;
  /** By holder; the one whose turn is next is first. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** Without a line everybody may wait. */
  constructor(shares: FairShares, line?: SlotLine) {
    this.#shares = shares;
    this.#line = line;
  }

  get waiting(): number {
    return this.#waiting.values().reduce((sum, { size }) => sum + size, 0);
  }

  /**
   * Rejects with the signal's reason when it ends before there was a slot, and with `overloaded`
   * when the line is full.
   */
  async in<Result>(
    holder: string,
    work: () => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    signal?.throwIfAborted();
    const slot = this.#shares.take(holder) ?? (await this.#wait(holder, signal));
    try {
      return await work();
    } finally {
      slot[Symbol.dispose]();
      this.#beginNext();
    }
  }

  async #wait(holder: string, signal: AbortSignal | undefined): Promise<Share> {
    using room = this.#line?.shares.take(holder);
    if (this.#line !== undefined && room === undefined) {
      throw new ServiceError("overloaded", `${this.#line.fullMessage}; try again.`);
    }
    const turn = Promise.withResolvers<Share>();
    const waiting = { begin: turn.resolve };
    const own = this.#waiting.get(holder);
    if (own === undefined) this.#waiting.set(holder, new Set([waiting]));
    else own.add(waiting);
    const leave = () => {
      this.#leave(holder, waiting);
      turn.reject(signal?.reason);
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      return await turn.promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  #leave(holder: string, waiting: Waiting): void {
    const own = this.#waiting.get(holder);
    own?.delete(waiting);
    if (own?.size === 0) this.#waiting.delete(holder);
  }

  /** A slot goes from hand to hand: nobody who comes in between takes it. */
  #beginNext(): void {
    // A holder that goes to the end is met again there, until no slot is left or nobody waits.
    for (const [holder, own] of this.#waiting) {
      const slot = this.#shares.take(holder);
      if (slot === undefined) continue;
      const [next] = own;
      own.delete(next);
      this.#waiting.delete(holder);
      if (own.size > 0) this.#waiting.set(holder, own);
      next.begin(slot);
    }
  }
}
