/** Credentials that end: unix milliseconds. */
export interface Session {
  expiresAtMs: number;
}

/** An address that is signed now has to live its 60 minutes, whatever the session's age. */
const marginMs = 65 * 60_000;
/** After a failed renewal, while the old session lasts. */
const retryAfterMs = 20_000;

/**
 * Credentials of one connection for one purpose: fetched when they are first needed, shared by all who ask
 * meanwhile, and renewed 65 minutes before their end; those that live shorter, at half of their life. A failed
 * renewal is no failure as long as the old ones last.
 */
export class RenewedSession<Value extends Session> {
  readonly #fetch: () => Promise<Value>;
  readonly #clock: () => number;
  #value: Value | undefined;
  #renewAtMs = 0;
  #fetching: Promise<Value> | undefined;

  constructor(fetch: () => Promise<Value>, clock: () => number) {
    this.#fetch = fetch;
    this.#clock = clock;
  }

  async current(): Promise<Value> {
    const nowMs = this.#clock();
    const kept = this.#value;
    if (kept !== undefined && nowMs < this.#renewAtMs) return kept;
    this.#fetching ??= this.#renewed();
    try {
      return await this.#fetching;
    } catch (error) {
      if (kept === undefined || this.#clock() >= kept.expiresAtMs) throw error;
      this.#renewAtMs = this.#clock() + retryAfterMs;
      return kept;
    }
  }

  /** The cloud does not accept this one any more: the next call fetches another. */
  forget(value: Value): void {
    if (this.#value === value) this.#value = undefined;
  }

  async #renewed(): Promise<Value> {
    try {
      const startedAtMs = this.#clock();
      const value = await this.#fetch();
      const lifeMs = value.expiresAtMs - startedAtMs;
      this.#renewAtMs = startedAtMs + Math.max(lifeMs - marginMs, lifeMs / 2);
      this.#value = value;
      return value;
    } finally {
      this.#fetching = undefined;
    }
  }
}
