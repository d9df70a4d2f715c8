import { EventQueue } from "./event-queue.ts";

/** Time that jumps from one event to the next. Seconds, from 0 on. */
export class Simulation {
  readonly #events = new EventQueue<() => void>();
  #nowS = 0;

  get nowS(): number {
    return this.#nowS;
  }

  after(delayS: number, act: () => void): void {
    if (!(delayS >= 0)) throw new Error(`BUG: an event in ${delayS} s`);
    this.#events.add(this.#nowS + delayS, act);
  }

  /** Runs all events up to a moment, which is the time afterwards. */
  runUntil(endS: number): void {
    while (this.#events.firstAt <= endS) {
      this.#nowS = this.#events.firstAt;
      this.#events.take()();
    }
    this.#nowS = endS;
  }
}
