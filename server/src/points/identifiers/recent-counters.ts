/**
 * Recent counters of one prefix that followed each other when they came, each with the fingerprint
 * of its payload: four to eight bytes a counter, and no hash. Runs are sorted, and none overlaps
 * another.
 */
export class RecentCounters {
  readonly #runs: Run[] = [];
  /** Index of the run that was looked at last: the next counter is near it. */
  #latest = 0;

  /** The fingerprint that was added with this counter, or -1. */
  find(counter: number): number {
    const at = this.#before(counter);
    if (at < 0) return -1;
    const { first, count, fingerprints } = this.#runs[at];
    return counter < first + count ? fingerprints[counter - first] : -1;
  }

  /** Whether none of `count` counters from `first` on is there. */
  lacksRun(first: number, count: number): boolean {
    const at = this.#before(first + count - 1);
    return at < 0 || this.#runs[at].first + this.#runs[at].count <= first;
  }

  /** Adds counters that follow each other, of which none is there. */
  addRun(first: number, fingerprints: Uint32Array): void {
    const at = this.#before(first);
    const run = at < 0 ? undefined : this.#runs[at];
    const count = fingerprints.length;
    if (run === undefined || first !== run.first + run.count) {
      this.#runs.splice(at + 1, 0, { first, count, fingerprints });
      this.#latest = at + 1;
      return;
    }
    if (run.count + count > run.fingerprints.length) {
      const longer = new Uint32Array(Math.max(run.count + count, 2 * run.count));
      longer.set(run.fingerprints);
      run.fingerprints = longer;
    }
    run.fingerprints.set(fingerprints, run.count);
    run.count += count;
  }

  /**
   * Adds a counter, which must be absent, behind the last one of a run; with `mayBegin` as the
   * first one of another run, else it is not added. Returns whether it was.
   */
  add(counter: number, fingerprint: number, mayBegin: boolean): boolean {
    const at = this.#before(counter);
    const run = at < 0 ? undefined : this.#runs[at];
    if (run !== undefined && counter === run.first + run.count) {
      if (run.count === run.fingerprints.length) {
        const longer = new Uint32Array(2 * run.count);
        longer.set(run.fingerprints);
        run.fingerprints = longer;
      }
      run.fingerprints[run.count++] = fingerprint;
      return true;
    }
    if (!mayBegin) return false;
    const fingerprints = new Uint32Array(countersAtStart);
    fingerprints[0] = fingerprint;
    this.#runs.splice(at + 1, 0, { first: counter, count: 1, fingerprints });
    this.#latest = at + 1;
    return true;
  }

  /** Index of the last run that begins at the counter or before it; -1 if there is none. */
  #before(counter: number): number {
    const runs = this.#runs;
    const latest = this.#latest;
    const isNear =
      latest < runs.length &&
      runs[latest].first <= counter &&
      (latest + 1 === runs.length || counter < runs[latest + 1].first);
    if (isNear) return latest;
    let low = 0;
    let high = runs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (runs[middle].first <= counter) low = middle + 1;
      else high = middle;
    }
    if (low > 0) this.#latest = low - 1;
    return low - 1;
  }
}

interface Run {
  first: number;
  count: number;
  fingerprints: Uint32Array;
}

const countersAtStart = 64;
