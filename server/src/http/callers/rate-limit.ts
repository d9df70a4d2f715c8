import { ServiceError } from "../../ground/errors.ts";
import { senderOf } from "../limits/client-address.ts";

interface Allowance {
  tokens: number;
  filledAtMs: number;
}

/** Keys kept; beyond that the oldest are forgotten, and have a full allowance again. */
const keysMax = 100_000;

/**
 * Limits the rate of each key (an organization, or an address): an allowance fills evenly up to the
 * grant of one interval. A limit of 0 lets everything pass.
 */
export class RateLimit {
  readonly #perInterval: number;
  readonly #intervalMs: number;
  readonly #clock: () => number;
  readonly #allowances = new Map<string, Allowance>();

  constructor(
    perInterval: number,
    intervalMs: number,
    clock: () => number = () => performance.now(),
  ) {
    this.#perInterval = perInterval;
    this.#intervalMs = intervalMs;
    this.#clock = clock;
  }

  /** Takes one from the key's allowance; throws `rate_limited` with the time to wait. */
  take(key: string): void {
    const waitMs = this.tryToTake(key);
    if (waitMs > 0) throw rateLimited(waitMs);
  }

  /** Takes one as `take` does; returns whether there was one. */
  hasTaken(key: string): boolean {
    return this.tryToTake(key) === 0;
  }

  /** Takes one as `take` does; returns the time until there is one, 0 where there was. */
  tryToTake(key: string): number {
    if (this.#perInterval === 0) return 0;
    const nowMs = this.#clock();
    const found = this.#allowances.get(key) ?? { tokens: this.#perInterval, filledAtMs: nowMs };
    const grown = ((nowMs - found.filledAtMs) / this.#intervalMs) * this.#perInterval;
    found.tokens = Math.min(this.#perInterval, found.tokens + grown);
    found.filledAtMs = nowMs;
    this.#allowances.delete(key);
    this.#allowances.set(key, found);
    if (this.#allowances.size > keysMax) this.#forgetOldest();
    if (found.tokens < 1) return ((1 - found.tokens) / this.#perInterval) * this.#intervalMs;
    found.tokens -= 1;
    return 0;
  }

  /** Returns one to the allowance, undoing a `take`. */
  giveBack(key: string): void {
    const found = this.#allowances.get(key);
    if (found === undefined) return;
    found.tokens += 1;
    // A full allowance is the same as none kept.
    if (found.tokens >= this.#perInterval) this.#allowances.delete(key);
  }

  #forgetOldest(): void {
    const [oldest] = this.#allowances.keys();
    this.#allowances.delete(oldest);
  }
}

export function rateLimited(waitMs: number): ServiceError {
  return new ServiceError("rate_limited", "Too many requests; nothing was executed.", {
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)),
  });
}

/**
 * Limits the rate of each sender: the keys are network addresses, and of IPv6 a /64 is one sender.
 */
export class SenderLimit extends RateLimit {
  override tryToTake(address: string): number {
    return super.tryToTake(senderOf(address));
  }

  override giveBack(address: string): void {
    super.giveBack(senderOf(address));
  }
}
