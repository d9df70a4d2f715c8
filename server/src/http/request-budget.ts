import { ServiceError } from "../errors.ts";

/**
 * Bytes of request bodies that are in work at once, from the first byte read to the reply (T57).
 */
export class RequestBudget {
  readonly maximumBytes: number;
  usedBytes = 0;
  requests = 0;

  constructor(maximumBytes: number) {
    this.maximumBytes = maximumBytes;
  }

  /**
   * Reserves what a request declares; throws `overloaded` before any work is done. Dispose it with
   * the reply.
   */
  reserve(declaredBytes: number): Reservation {
    this.take(declaredBytes);
    this.requests += 1;
    return new Reservation(this, declaredBytes);
  }

  take(bytes: number): void {
    // One request alone always fits: a limit below the body limit must not refuse for ever.
    if (this.usedBytes > 0 && this.usedBytes + bytes > this.maximumBytes) {
      throw new ServiceError("overloaded", "Too many bytes of requests are in work; try again.");
    }
    this.usedBytes += bytes;
  }

  giveBack(bytes: number): void {
    this.usedBytes -= bytes;
    this.requests -= 1;
  }
}

export class Reservation implements Disposable {
  readonly #budget: RequestBudget;
  #bytes: number;
  #isOpen = true;

  constructor(budget: RequestBudget, bytes: number) {
    this.#budget = budget;
    this.#bytes = bytes;
  }

  /** For bodies that do not say their size, or grow when they are unpacked. */
  growTo(bytes: number): void {
    if (bytes <= this.#bytes || !this.#isOpen) return;
    this.#budget.take(bytes - this.#bytes);
    this.#bytes = bytes;
  }

  [Symbol.dispose](): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#budget.giveBack(this.#bytes);
  }
}
