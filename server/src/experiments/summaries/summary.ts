/**
 * Summary of a metric's points: their number, and the values that the table of experiments shows.
 * Points may come in any order of steps; those of one partition come in order of arrival. Summaries
 * merge in any grouping, the earlier arrivals first.
 */
export class Summary {
  points = 0;
  /**
   * The sum; infinite once it leaves the range of doubles: values are finite, their sum need not
   * be.
   */
  sum = 0;
  /** The sum of all values, each times 2^-64, so that it never leaves the range of doubles. */
  smallSum = 0;
  first = 0;
  firstStep = Infinity;
  firstTimestamp = Infinity;
  firstPartition = Infinity;
  last = 0;
  lastStep = -1;
  lastTimestamp = -1;
  lastPartition = -1;
  min = Infinity;
  minStep = Infinity;
  max = -Infinity;
  maxStep = Infinity;

  add(partition: number, step: number, timestamp: number, value: number): void {
    this.points++;
    this.sum = summed(this.sum, value);
    this.smallSum += value * smallness;
    this.#takeExtremes(value, step, value, step);
    if (this.#isBeforeFirst(step, timestamp, partition)) {
      this.#takeFirst(value, step, timestamp, partition);
    }
    if (this.#isNotBeforeLast(step, timestamp, partition)) {
      this.#takeLast(value, step, timestamp, partition);
    }
  }

  /**
   * Adds the points of `later`, none of which arrived before any of this one's of its partition.
   */
  merge(later: Summary): void {
    this.points += later.points;
    this.sum = summed(this.sum, later.sum);
    this.smallSum += later.smallSum;
    this.#takeExtremes(later.min, later.minStep, later.max, later.maxStep);
    if (this.#isBeforeFirst(later.firstStep, later.firstTimestamp, later.firstPartition)) {
      this.#takeFirst(later.first, later.firstStep, later.firstTimestamp, later.firstPartition);
    }
    if (this.#isNotBeforeLast(later.lastStep, later.lastTimestamp, later.lastPartition)) {
      this.#takeLast(later.last, later.lastStep, later.lastTimestamp, later.lastPartition);
    }
  }

  #takeExtremes(min: number, minStep: number, max: number, maxStep: number): void {
    if (min < this.min || (min === this.min && minStep < this.minStep)) {
      this.min = min;
      this.minStep = minStep;
    }
    if (max > this.max || (max === this.max && maxStep < this.maxStep)) {
      this.max = max;
      this.maxStep = maxStep;
    }
  }

  #isBeforeFirst(step: number, timestamp: number, partition: number): boolean {
    if (step !== this.firstStep) return step < this.firstStep;
    if (timestamp !== this.firstTimestamp) return timestamp < this.firstTimestamp;
    return partition < this.firstPartition;
  }

  /** Whether a point is not before the last one; of equal points the later arrival is the last. */
  #isNotBeforeLast(step: number, timestamp: number, partition: number): boolean {
    if (step !== this.lastStep) return step > this.lastStep;
    if (timestamp !== this.lastTimestamp) return timestamp > this.lastTimestamp;
    return partition >= this.lastPartition;
  }

  #takeFirst(value: number, step: number, timestamp: number, partition: number): void {
    this.first = value;
    this.firstStep = step;
    this.firstTimestamp = timestamp;
    this.firstPartition = partition;
  }

  #takeLast(value: number, step: number, timestamp: number, partition: number): void {
    this.last = value;
    this.lastStep = step;
    this.lastTimestamp = timestamp;
    this.lastPartition = partition;
  }
}

/** 2^-64 */
export const smallness = 5.421010862427522e-20;

function summed(sum: number, more: number): number {
  return Number.isFinite(sum + more) ? sum + more : Infinity;
}
