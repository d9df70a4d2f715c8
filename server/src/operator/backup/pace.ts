import { setTimeout as sleep } from "node:timers/promises";

/** Bytes a second at most, on average since the last pause; Infinity: as fast as it goes. */
export class Pace {
  readonly #bytesPerMs: number;
  /** When the bytes taken so far are paid for. */
  #paidAtMs = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /** Waits until so many bytes may follow those taken before. */
  async take(bytes: number): Promise<void> {
    const waitMs = this.#charge(bytes);
    if (waitMs >= 1) await sleep(waitMs);
  }

  /** The same for a caller that cannot await: it holds up the whole thread. */
  takeSynchronously(bytes: number): void {
    const waitMs = this.#charge(bytes);
    if (waitMs >= 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
  }

  #charge(bytes: number): number {
    const nowMs = performance.now();
    this.#paidAtMs = Math.max(this.#paidAtMs, nowMs) + bytes / this.#bytesPerMs;
    return this.#paidAtMs - nowMs;
  }
}
