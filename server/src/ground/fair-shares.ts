/**
 * A limited amount (slots, bytes) of which no holder can take all. A holder is an organization, or
 * an address for callers not identified yet. It gets more as long as it then has no more than half,
 * and no more than was free before: alone it gets half, two get a third each, and a holder with
 * nothing gets a share as long as any is free. Each limited amount has one of these, built in the
 * composition root.
 */
export class FairShares {
  readonly #max: number;
  readonly #largest: number;
  #taken = 0;
  /** Amounts by holder; holders with nothing are left out. */
  readonly #byHolder = new Map<string, number>();

  /** @param largest the largest single amount that must fit where its holder has nothing else */
  constructor(max: number, largest = 1) {
    this.#max = Math.max(max, largest);
    this.#largest = largest;
  }

  /** The amount taken by all holders. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether this holder can take this much more now. */
  fits(holder: string, more: number): boolean {
    const free = this.#max - this.#taken;
    if (more > free) return false;
    const after = (this.#byHolder.get(holder) ?? 0) + more;
    return after <= Math.max(this.#largest, Math.min(Math.floor(this.#max / 2), free));
  }

  /**
   * Takes a share until disposed; undefined when none of this size is available to this holder now.
   */
  take(holder: string, amount = 1): Share | undefined {
    if (!this.fits(holder, amount)) return undefined;
    this.#move(holder, amount);
    return new HeldShare(this, this.#move, holder, amount);
  }

  /** One function for all shares: each request makes some. */
  readonly #move: Move = (holder, amount) => {
    this.#taken += amount;
    const after = (this.#byHolder.get(holder) ?? 0) + amount;
    if (after > 0) this.#byHolder.set(holder, after);
    else this.#byHolder.delete(holder);
  };
}

export interface Share extends Disposable {
  /** Makes the share this large; false, unchanged, when that is unfair now. It never shrinks. */
  growTo(amount: number): boolean;
  /** Makes it another holder's share; false, changing nothing, if that one would have too much. */
  moveTo(holder: string): boolean;
}

/** Changes the amount of a holder, up or down. */
type Move = (holder: string, amount: number) => void;

class HeldShare implements Share {
  readonly #shares: FairShares;
  readonly #move: Move;
  #holder: string;
  #amount: number;
  #isHeld = true;

  constructor(shares: FairShares, move: Move, holder: string, amount: number) {
    this.#shares = shares;
    this.#move = move;
    this.#holder = holder;
    this.#amount = amount;
  }

  growTo(amount: number): boolean {
    const more = amount - this.#amount;
    if (more <= 0) return true;
    if (!this.#isHeld || !this.#shares.fits(this.#holder, more)) return false;
    this.#move(this.#holder, more);
    this.#amount = amount;
    return true;
  }

  moveTo(holder: string): boolean {
    if (!this.#isHeld || holder === this.#holder) return true;
    this.#move(this.#holder, -this.#amount);
    const isFair = this.#shares.fits(holder, this.#amount);
    if (isFair) this.#holder = holder;
    this.#move(this.#holder, this.#amount);
    return isFair;
  }

  [Symbol.dispose](): void {
    if (this.#isHeld) this.#move(this.#holder, -this.#amount);
    this.#isHeld = false;
  }
}
