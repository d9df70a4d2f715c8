import { setTimeout } from "node:timers/promises";

/** Rows that need not wait for those just before them: what is small makes one group of writes. */
const burstMs = 100;

/** Holds work to so many rows a second, evenly but for short bursts. */
export class Pace {
  readonly #rowsPerMs: number;
  readonly #debtMsMax: number;
  #freeAtMs = 0;

  /** What does not wait can make others wait `debtMsMax` at most. */
  constructor(rowsPerSecond: number, debtMsMax = 2_000) {
    this.#rowsPerMs = rowsPerSecond / 1_000;
    this.#debtMsMax = debtMsMax;
  }

  /** Resolves when so many rows more may be written; rejects when it is stopped. */
  async take(rows: number, stopped: AbortSignal): Promise<void> {
    const waitMs = this.#freeAtMs - burstMs - performance.now();
    this.#freeAtMs = this.#freeAfterMs(rows);
    if (waitMs > 0) await setTimeout(waitMs, undefined, { signal: stopped });
  }

  /** They are written whatever the pace; who takes next waits for them. */
  spend(rows: number): void {
    const latestMs = performance.now() + this.#debtMsMax;
    this.#freeAtMs = Math.max(this.#freeAtMs, Math.min(this.#freeAfterMs(rows), latestMs));
  }

  #freeAfterMs(rows: number): number {
    return Math.max(this.#freeAtMs, performance.now()) + rows / this.#rowsPerMs;
  }
}
