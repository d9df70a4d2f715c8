/** Each bucket is wider than the one before by this factor: a percentile is exact within 2 %. */
const step = 1.02;
const leastS = 1e-6;

/** Durations, counted in buckets: millions of them take no memory. */
export class Waits {
  readonly #buckets: number[] = [];
  count = 0;
  longestS = 0;
  #sumS = 0;

  note(seconds: number): void {
    const bucket = seconds <= leastS ? 0 : Math.ceil(Math.log(seconds / leastS) / Math.log(step));
    this.#buckets[bucket] = (this.#buckets[bucket] ?? 0) + 1;
    this.count++;
    this.#sumS += seconds;
    this.longestS = Math.max(this.longestS, seconds);
  }

  get meanS(): number {
    return this.#sumS / this.count;
  }

  /** The least duration that so many percent do not exceed. */
  percentileS(percent: number): number {
    let left = Math.max(1, Math.ceil((this.count * percent) / 100));
    for (const [bucket, count = 0] of this.#buckets.entries()) {
      left -= count;
      if (left <= 0) return Math.min(this.longestS, leastS * step ** bucket);
    }
    return NaN;
  }
}
