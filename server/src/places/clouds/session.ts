import { withDeadline } from "../../ground/deadline.ts";

/** Credentials that end: unix milliseconds. */
export interface Session {
  expiresAtMs: number;
}

/** An address that is signed now has to live its 60 minutes, whatever the session's age. */
const marginMs = 65 * 60_000;
/** Time before calls would wait for a renewal at which it begins in the background. */
const aheadMs = 10 * 60_000;
/** Pause after a failed renewal, while the old session lasts. */
const retryAfterMs = 20_000;
/**
 * Time that a call waits for the renewal while the old session lasts: a cloud may hang for long.
 */
const usualPatienceMs = 3_000;

/**
 * Credentials of one connection for one purpose: fetched at first use, shared by concurrent
 * callers, and renewed 65 minutes before their end; shorter-lived ones at half of their life. Calls
 * in steady use never wait for that: the renewal begins ten minutes earlier (a tenth of a shorter
 * life), in the background. A renewal that fails or takes long is no failure as long as the old
 * credentials last.
 */
export class RenewedSession<Value extends Session> {
  readonly #fetch: () => Promise<Value>;
  readonly #clock: () => number;
  readonly #patienceMs: number;
  #value: Value | undefined;
  #renewAtMs = 0;
  #beginAtMs = 0;
  #fetching: Promise<Value> | undefined;

  constructor(
    fetch: () => Promise<Value>,
    clock: () => number,
    patienceMs: number = usualPatienceMs,
  ) {
    this.#fetch = fetch;
    this.#clock = clock;
    this.#patienceMs = patienceMs;
  }

  async current(): Promise<Value> {
    const nowMs = this.#clock();
    const kept = this.#value;
    if (kept === undefined || nowMs >= kept.expiresAtMs) return this.#renewal();
    if (nowMs < this.#beginAtMs) return kept;
    const renewal = this.#renewal().catch(() => {
      this.#putOff();
      return kept;
    });
    return nowMs < this.#renewAtMs
      ? kept
      : withDeadline(
          this.#patienceMs,
          () => renewal,
          () => {
            // No other caller waits for this one.
            this.#putOff();
            return kept;
          },
        );
  }

  /** The cloud does not accept this one any more: the next call fetches another. */
  forget(value: Value): void {
    if (this.#value === value) this.#value = undefined;
  }

  /** Returns the renewal under way, shared by concurrent callers, or begins one. */
  #renewal(): Promise<Value> {
    this.#fetching ??= this.#renewed();
    return this.#fetching;
  }

  #putOff(): void {
    this.#beginAtMs = this.#clock() + retryAfterMs;
    this.#renewAtMs = Math.max(this.#renewAtMs, this.#beginAtMs);
  }

  async #renewed(): Promise<Value> {
    try {
      const startedAtMs = this.#clock();
      const value = await this.#fetch();
      const lifeMs = value.expiresAtMs - startedAtMs;
      this.#renewAtMs = startedAtMs + Math.max(lifeMs - marginMs, lifeMs / 2);
      this.#beginAtMs = this.#renewAtMs - Math.min(aheadMs, lifeMs / 10);
      this.#value = value;
      return value;
    } finally {
      this.#fetching = undefined;
    }
  }
}
