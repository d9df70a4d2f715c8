/** Requests per lease: several tasks share one, and each requests it before each round. */
const askedPerLease = 15;

/** A claim that has to be renewed before its lease ends, and not oftener than is useful. */
export class Renewal {
  readonly #everyMs: number;
  readonly #ask: () => Promise<boolean>;
  #asked: { untilMs: number; held: Promise<boolean> } | undefined;

  /** `ask` takes or renews the claim; false: others have it. */
  constructor(leaseMs: number, ask: () => Promise<boolean>) {
    this.#everyMs = leaseMs / askedPerLease;
    this.#ask = ask;
  }

  held(): Promise<boolean> {
    const nowMs = performance.now();
    if (this.#asked === undefined || nowMs >= this.#asked.untilMs) {
      const held = this.#ask();
      const asked = { untilMs: nowMs + this.#everyMs, held };
      this.#asked = asked;
      // After a failure the next request is made anew.
      held.catch(() => (asked.untilMs = 0));
    }
    return this.#asked.held;
  }
}
