/** What the service signs: valid for so long when the reply was written, by the service's clock. */
export interface Signed {
  validForMs: number;
}

/** Renewed when less than this share of their life is left, at most this long before the end. */
const marginShare = 0.1;
const marginMsMax = 300_000;
/** Addresses that have always ended (a clock that jumps) must not be renewed with every request. */
const lifeMsMin = 1_000;

/**
 * Signed addresses, shared by everybody who uses them: when they end, or when a store refuses one,
 * one request renews all of them.
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

  /** Addresses that can be used now, and which generation they are. */
  async current(): Promise<{ value: Value; generation: number }> {
    if (performance.now() >= this.#renewAtMs) await this.renew(this.#generation);
    return { value: this.#value, generation: this.#generation };
  }

  /** New addresses, unless somebody has renewed those of `generation` already. */
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

/** A time of our clock, reckoned by the service's: what it says of the two may differ by days. */
function renewAtMs({ validForMs }: Signed): number {
  const marginMs = Math.min(marginMsMax, validForMs * marginShare);
  return performance.now() + Math.max(lifeMsMin, validForMs - marginMs);
}
