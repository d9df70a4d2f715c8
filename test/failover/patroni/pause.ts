import { setTimeout as sleep } from "node:timers/promises";
import type { Stage } from "../campaign.ts";

/** Finds the longest time without an acknowledgement, from its making to its end. */
export class Pause {
  readonly #stage: Stage;
  #isWatching = true;
  #longestMs = 0;
  #endedAtMs = 0;
  readonly #watching: Promise<void>;

  constructor(stage: Stage) {
    this.#stage = stage;
    this.#watching = this.#watch();
  }

  /** When the longest one ended, on the clock of `performance`. */
  async end(): Promise<number> {
    this.#isWatching = false;
    await this.#watching;
    return this.#endedAtMs;
  }

  async #watch(): Promise<void> {
    let count = this.#stage.acknowledged();
    let sinceMs = performance.now();
    while (this.#isWatching) {
      await sleep(10);
      const now = this.#stage.acknowledged();
      if (now === count) continue;
      const nowMs = performance.now();
      if (nowMs - sinceMs > this.#longestMs) {
        this.#longestMs = nowMs - sinceMs;
        this.#endedAtMs = nowMs;
      }
      count = now;
      sinceMs = nowMs;
    }
  }
}
