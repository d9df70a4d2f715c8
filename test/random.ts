/** Numbers that follow from a seed alone, so that a failing run can be repeated. */
export class Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** 32 random bits (splitmix32). */
  bits(): number {
    this.#state = (this.#state + 0x9e37_79b9) >>> 0;
    return mix(this.#state);
  }

  /** A whole number from 0 to `limit` - 1. */
  below(limit: number): number {
    return Math.floor((this.bits() / 2 ** 32) * limit);
  }

  chance(probability: number): boolean {
    return this.bits() / 2 ** 32 < probability;
  }

  pick<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error("BUG: nothing to pick from");
    return choices[this.below(choices.length)];
  }
}

export function mix(bits: number): number {
  let mixed = bits;
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x21f0_aaad);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a_2d97);
  return (mixed ^ (mixed >>> 15)) >>> 0;
}
