const firstMs = 2_000;
const longestMs = 10 * 60_000;

/** Recently failed experiments, and when each is tried again: after twice as long each time. */
export class BackOff {
  readonly #failures = new Map<string, { delayMs: number; untilMs: number }>();

  isDue(experimentId: string): boolean {
    const entry = this.#failures.get(experimentId);
    return entry === undefined || performance.now() >= entry.untilMs;
  }

  /** Experiments that are not due. */
  get resting(): string[] {
    return [...this.#failures.keys()].filter((id) => !this.isDue(id));
  }

  failed(experimentId: string): void {
    const last = this.#failures.get(experimentId)?.delayMs ?? firstMs / 2;
    const delayMs = Math.min(2 * last, longestMs);
    this.#failures.set(experimentId, { delayMs, untilMs: performance.now() + delayMs });
  }

  succeeded(experimentId: string): void {
    this.#failures.delete(experimentId);
  }
}
