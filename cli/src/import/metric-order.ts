const metricsMax = 500;
const pairsMax = 20_000;

/**
 * Learns a file's order of metrics within a step: `a` comes before `b` when anywhere a row of `b`
 * follows one of `a` with the same step and time. Otherwise equal rows are exported in this order.
 */
export class MetricOrder {
  /** Followers of each metric; keys are in the order of first appearance. */
  readonly #followers = new Map<string, Set<string>>();
  #pairs = 0;
  #step = -1;
  #elapsedMs: number | undefined;
  #metric = "";

  add(step: number, elapsedMs: number | undefined, metric: string): void {
    if (!this.#followers.has(metric) && this.#followers.size < metricsMax) {
      this.#followers.set(metric, new Set());
    }
    const isSameMoment = step === this.#step && elapsedMs === this.#elapsedMs;
    if (isSameMoment && metric !== this.#metric) this.#addPair(this.#metric, metric);
    this.#step = step;
    this.#elapsedMs = elapsedMs;
    this.#metric = metric;
  }

  /** At most 500 names: none before one that it follows, otherwise by first appearance. */
  metrics(): string[] {
    const order: string[] = [];
    const waiting = new Set(this.#followers.keys());
    while (waiting.size > 0) {
      // A cycle of followers has no right order: the first to appear goes first.
      const next = this.#withoutPredecessor(waiting) ?? waiting.values().next().value!;
      waiting.delete(next);
      order.push(next);
    }
    return order;
  }

  #addPair(before: string, after: string): void {
    const followers = this.#followers.get(before);
    if (followers === undefined || this.#pairs >= pairsMax || followers.has(after)) return;
    followers.add(after);
    this.#pairs++;
  }

  #withoutPredecessor(waiting: ReadonlySet<string>): string | undefined {
    const followers = new Set<string>();
    for (const metric of waiting) {
      for (const follower of this.#followers.get(metric) ?? []) followers.add(follower);
    }
    for (const metric of waiting) if (!followers.has(metric)) return metric;
    return undefined;
  }
}
