import { setTimeout } from "node:timers/promises";

/** Holds work to so many rows a second, evenly. */
export class Pace {
  readonly #rowsPerMs: number;
  #freeAtMs = 0;

  constructor(rowsPerSecond: number) {
    this.#rowsPerMs = rowsPerSecond / 1_000;
  }

  /** Resolves when so many rows more may be written. */
  async take(rows: number): Promise<void> {
    const waitMs = this.#freeAtMs - performance.now();
    this.spend(rows);
    if (waitMs > 0) await setTimeout(waitMs);
  }

  /** They are written whatever the pace; who takes next waits for them. */
  spend(rows: number): void {
    this.#freeAtMs = Math.max(this.#freeAtMs, performance.now()) + rows / this.#rowsPerMs;
  }
}
