import { setTimeout } from "node:timers/promises";

/** Work that begins without waiting: small amounts make one group of writes. */
const burstMs = 100;

/** Holds work to a rate, rows or bytes a second, evenly but for short bursts; Infinity: no rate. */
export class Pace {
  readonly #amountPerMs: number;
  readonly #debtMsMax: number;
  #freeAtMs = 0;

  /** `spend` makes later takers wait `debtMsMax` at most. */
  constructor(amountPerSecond: number, debtMsMax = 2_000) {
    this.#amountPerMs = amountPerSecond / 1_000;
    this.#debtMsMax = debtMsMax;
  }

  /** Resolves when the amount may be worked off; rejects when it is stopped. */
  async take(amount: number, stopped?: AbortSignal): Promise<void> {
    const waitMs = this.#charge(amount);
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: stopped });
  }

  /** The same for a caller that cannot await: it holds up the whole thread. */
  takeSynchronously(amount: number): void {
    const waitMs = this.#charge(amount);
    if (waitMs > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  }

  /** Charges the amount without waiting; later takers wait for it. */
  spend(amount: number): void {
    const latestMs = performance.now() + this.#debtMsMax;
    this.#freeAtMs = Math.max(this.#freeAtMs, Math.min(this.#freeAfterMs(amount), latestMs));
  }

  #charge(amount: number): number {
    const waitMs = this.#freeAtMs - burstMs - performance.now();
    this.#freeAtMs = this.#freeAfterMs(amount);
    return waitMs;
  }

  #freeAfterMs(amount: number): number {
    return Math.max(this.#freeAtMs, performance.now()) + amount / this.#amountPerMs;
  }
}
