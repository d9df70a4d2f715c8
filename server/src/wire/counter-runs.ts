/** Runs of counters of one batch, by which a counter that is in two of them is found. */
export class CounterRuns {
  readonly #prefixes: number[] = [];
  readonly #firsts: number[] = [];
  readonly #counts: number[] = [];
  readonly #points: number[] = [];
  /** The last counter of each prefix, as long as all its runs came in ascending order. */
  readonly #lasts: number[] = [];
  #isAscending = true;

  /** Adds counters from `first` on, those of the points from `point` on. */
  add(prefix: number, first: number, count: number, point: number): void {
    this.#prefixes.push(prefix);
    this.#firsts.push(first);
    this.#counts.push(count);
    this.#points.push(point);
    if (first <= (this.#lasts[prefix] ?? -1)) this.#isAscending = false;
    this.#lasts[prefix] = first + count - 1;
  }

  /** Returns two points with one identifier, if there are any. */
  repeated(): [number, number] | undefined {
    if (this.#isAscending) return undefined;
    const [prefixes, firsts, counts] = [this.#prefixes, this.#firsts, this.#counts];
    const order = Uint32Array.from(firsts, (_, run) => run).sort(
      (left, right) => prefixes[left] - prefixes[right] || firsts[left] - firsts[right],
    );
    for (let place = 1; place < order.length; place++) {
      const [before, run] = [order[place - 1], order[place]];
      const distance = firsts[run] - firsts[before];
      if (prefixes[before] !== prefixes[run] || distance >= counts[before]) continue;
      return [this.#points[before] + distance, this.#points[run]];
    }
    return undefined;
  }
}
