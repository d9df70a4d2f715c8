/**
 * A limited number of places, of which no organization can take all: it gets one more as long as it has fewer than
 * are free. Alone it gets half, two get a third each, and whoever has none gets one as long as one is free.
 */
export class FairPlaces {
  readonly #max: number;
  #taken = 0;
  /** Without those that have none. */
  readonly #byOrganization = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** A place until it is disposed; undefined when there is none for this organization now. */
  take(organizationId: string): Disposable | undefined {
    const own = this.#byOrganization.get(organizationId) ?? 0;
    if (own >= this.#max - this.#taken) return undefined;
    this.#taken += 1;
    this.#byOrganization.set(organizationId, own + 1);
    return { [Symbol.dispose]: () => this.#giveBack(organizationId) };
  }

  #giveBack(organizationId: string): void {
    this.#taken -= 1;
    const own = (this.#byOrganization.get(organizationId) ?? 0) - 1;
    if (own > 0) this.#byOrganization.set(organizationId, own);
    else this.#byOrganization.delete(organizationId);
  }
}
