/** Addresses signed by the service: valid for this long from the reply, by the service's clock. */
export interface Signed {
  validForMs: number;
}

/**
 * Remaining share of the lifetime at which addresses are renewed, and the longest margin for it.
 */
const marginShare = 0.1;
const marginMsMax = 300_000;
/** Shortest time between renewals, for addresses that always seem expired (a clock that jumps). */
const lifeMsMin = 1_000;

/**
 * Signed addresses shared by all requests: when they expire, or a store refuses one, a single
 * request renews all of them.
 */
export class RenewedAddresses<Value extends Signed> {
  readonly #sign: () => Promise<Value>;
  #value: Value;
  #renewAtMs: number;
  #generation = 0;
  #renewal: Promise<void> | undefined;

  constructor(value: Value, sign: () => Promise<Value>) {
    this.#sign = sign;
    this.#value = value;
    this.#renewAtMs = renewAtMs(value);
  }

  /** Returns usable addresses and their generation. */
  async current(): Promise<{ value: Value; generation: number }> {
    if (performance.now() >= this.#renewAtMs) await this.renew(this.#generation);
    return { value: this.#value, generation: this.#generation };
  }

  /** Renews the addresses, unless those of `generation` were renewed already. */
  async renew(generation: number): Promise<void> {
    if (generation !== this.#generation) return;
    this.#renewal ??= this.#renewed();
    await this.#renewal;
  }

  async #renewed(): Promise<void> {
    try {
      this.#value = await this.#sign();
      this.#renewAtMs = renewAtMs(this.#value);
      this.#generation++;
    } finally {
      this.#renewal = undefined;
    }
  }
}

/** Converts to a time of our clock by the lifetime: the two clocks may differ by days. */
function renewAtMs({ validForMs }: Signed): number {
  const marginMs = Math.min(marginMsMax, validForMs * marginShare);
  return performance.now() + Math.max(lifeMsMin, validForMs - marginMs);
}
