import { ServiceError } from "./errors.ts";
import type { FairShares, Share } from "./fair-shares.ts";

/** Limits on waiting work, and the error when there is no room. */
export interface SlotLine {
  shares: FairShares;
  fullMessage: string;
}

interface Waiting {
  begin: (slot: Share) => void;
}

/**
 * Limits concurrent work, as the shares allow each holder. The rest waits, and the waiting holders
 * take turns: none waits for all the work of another.
 */
export class Slots {
  readonly #shares: FairShares;
  readonly #line: SlotLine | undefined;
  /** Waiting work by holder; the one whose turn is next is first. */
  readonly #waiting = new Map<string, Set<Waiting>>();

  /** Without a line, any number of calls may wait. */
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

  /** Passes a slot on directly: work that arrives in between does not take it. */
  #beginNext(): void {
    // A holder moved to the end is visited again, until no slot is left or no work waits.
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
