/**
 * A set of integers of 0 … 2^53 - 1 as sorted, disjoint, non-adjacent intervals: the counters of
 * one prefix. Adding in ascending order is O(1); elsewhere it is a binary search, and moving the
 * intervals above when one begins or two join.
 */
export class Intervals {
  /** Starts of intervals. Both ends are inclusive, so that the largest integer needs no 2^53. */
  #starts: number[] = [];
  #ends: number[] = [];
  #members = 0;

  /** Number of intervals. */
  get size(): number {
    return this.#starts.length;
  }

  /** Number of integers in all intervals (inexact above 2^53, which no one reaches by adding). */
  get count(): number {
    return this.#members;
  }

  has(counter: number): boolean {
    const at = this.#lastStartingUpTo(counter);
    return at >= 0 && counter <= this.#ends[at];
  }

  /** Whether none of first … last is in the set. */
  lacksRange(first: number, last: number): boolean {
    const at = this.#lastStartingUpTo(last);
    return at < 0 || this.#ends[at] < first;
  }

  /** False when the counter was in the set already. */
  add(counter: number): boolean {
    const before = this.#members;
    this.addRange(counter, counter);
    return this.#members !== before;
  }

  /** Adds first … last, both included. */
  addRange(first: number, last: number): void {
    const starts = this.#starts;
    const ends = this.#ends;
    const size = starts.length;
    if (size === 0 || first > ends[size - 1] + 1) {
      starts.push(first);
      ends.push(last);
      this.#members += last - first + 1;
      return;
    }
    if (first >= starts[size - 1]) {
      if (last > ends[size - 1]) this.#members += last - ends[size - 1];
      ends[size - 1] = Math.max(last, ends[size - 1]);
      return;
    }
    this.#insert(first, last);
  }

  /** Adds every integer of `other`. */
  merge(other: Intervals): void {
    if (other.size === 0) return;
    if (this.size === 0 || other.#starts[0] >= this.#starts[this.size - 1]) {
      for (const [first, last] of other) this.addRange(first, last);
      return;
    }
    const merged = new Intervals();
    let [i, j] = [0, 0];
    while (i < this.size || j < other.size) {
      const isOurs = j === other.size || (i < this.size && this.#starts[i] <= other.#starts[j]);
      if (isOurs) merged.addRange(this.#starts[i], this.#ends[i++]);
      else merged.addRange(other.#starts[j], other.#ends[j++]);
    }
    this.#starts = merged.#starts;
    this.#ends = merged.#ends;
    this.#members = merged.#members;
  }

  *[Symbol.iterator](): IterableIterator<[first: number, last: number]> {
    for (let at = 0; at < this.#starts.length; at++) yield [this.#starts[at], this.#ends[at]];
  }

  /** A range that begins before the last interval. */
  #insert(first: number, last: number): void {
    const starts = this.#starts;
    const ends = this.#ends;
    let from = this.#lastStartingUpTo(first);
    if (from < 0 || ends[from] + 1 < first) from++;
    let to = from;
    let removed = 0;
    // Intervals from … to - 1 overlap the range or touch it: they become one with it.
    for (; to < starts.length && starts[to] <= last + 1; to++) removed += ends[to] - starts[to] + 1;
    const start = to > from ? Math.min(first, starts[from]) : first;
    const end = to > from ? Math.max(last, ends[to - 1]) : last;
    if (to === from + 1) {
      starts[from] = start;
      ends[from] = end;
    } else {
      starts.splice(from, to - from, start);
      ends.splice(from, to - from, end);
    }
    this.#members += end - start + 1 - removed;
  }

  /**
   * Returns the position of the last interval that starts at `counter` or below; -1 when there is
   * none.
   */
  #lastStartingUpTo(counter: number): number {
    let low = 0;
    let high = this.#starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#starts[middle] <= counter) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}
