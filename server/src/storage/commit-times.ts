/** Bounds of the histogram, in seconds: a fast disk takes a millisecond or less. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5] as const;

/** Durations of a writer's commits, from the begin of the transaction to its fsync. */
export class CommitTimes {
  #groups = 0;
  #seconds = 0;
  #longest = 0;
  /** Counters by bound; each counts the commits up to this duration, shorter ones included. */
  readonly #within = bounds.map(() => 0);

  note(seconds: number): void {
    this.#groups++;
    this.#seconds += seconds;
    this.#longest = Math.max(this.#longest, seconds);
    for (const [index, bound] of bounds.entries()) if (seconds <= bound) this.#within[index]++;
  }

  get figures(): Record<string, number> {
    return {
      groups: this.#groups,
      commit_seconds: this.#seconds,
      commit_seconds_max: this.#longest,
      ...Object.fromEntries(
        bounds.map((bound, index) => [`commits_within_${bound}`, this.#within[index]]),
      ),
    };
  }
}
