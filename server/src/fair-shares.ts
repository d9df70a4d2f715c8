/**
 * An amount of something scarce (slots, bytes) of which no holder can take all. A holder is an organization, or an
 * address where nobody has said yet who is asking. It is given more as long as it then has no more than half, and
 * no more than was free before: alone it gets half, two get a third each, and whoever has nothing gets something as
 * long as there is any. Each thing that is scarce has one of these, built in the composition root.
 */
export class FairShares {
  readonly #max: number;
  readonly #largest: number;
  #taken = 0;
  /** Without those that have none. */
  readonly #byHolder = new Map<string, number>();

  /** @param largest the largest single amount that has to fit where its holder has nothing else, whatever the half is */
  constructor(max: number, largest = 1) {
    this.#max = Math.max(max, largest);
    this.#largest = largest;
  }

  /** What is taken, by all. */
  get taken(): number {
    return this.#taken;
  }

  /** A share until it is disposed; undefined when there is none of this size for this holder now. */
  take(holder: string, amount = 1): Share | undefined {
    let own = 0;
    const add = (more: number): boolean => {
      if (!this.#isFair(holder, more)) return false;
      this.#move(holder, more);
      own += more;
      return true;
    };
    if (!add(amount)) return undefined;
    let isHeld = true;
    return {
      growTo: (wanted) => wanted <= own || (isHeld && add(wanted - own)),
      moveTo: (other) => {
        if (!isHeld || other === holder) return true;
        this.#move(holder, -own);
        const isFair = this.#isFair(other, own);
        if (isFair) holder = other;
        this.#move(holder, own);
        return isFair;
      },
      [Symbol.dispose]: () => {
        if (isHeld) this.#move(holder, -own);
        isHeld = false;
      },
    };
  }

  #isFair(holder: string, more: number): boolean {
    const free = this.#max - this.#taken;
    if (more > free) return false;
    const after = (this.#byHolder.get(holder) ?? 0) + more;
    return after <= Math.max(this.#largest, Math.min(Math.floor(this.#max / 2), free));
  }

  #move(holder: string, amount: number): void {
    this.#taken += amount;
    const after = (this.#byHolder.get(holder) ?? 0) + amount;
    if (after > 0) this.#byHolder.set(holder, after);
    else this.#byHolder.delete(holder);
  }
}

export interface Share extends Disposable {
  /** Makes the share this large; false, and nothing changes, when that is more than is fair now. Smaller is no change. */
  growTo(amount: number): boolean;
  /** Makes it the share of another holder; false, and nothing changes, when that one would have too much. */
  moveTo(holder: string): boolean;
}
