import { approximateBytes, type Point } from "./point.ts";

export interface Batch {
  points: Point[];
  /** Number of the batch's first point, counted from 0 over the whole recording. */
  first: number;
}

interface QueueLimits {
  pointsPerBatch: number;
  bytesPerBatch: number;
  waitingPointsMax: number;
}

interface Waiter {
  isOver: () => boolean;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/**
 * Points in the order of recording: those that wait for a batch, and the batches in flight. A point
 * leaves when its batch is settled, so `waiting` counts what the service has not acknowledged yet.
 */
export class PointQueue {
  readonly #limits: QueueLimits;
  #points: Point[] = [];
  /** Index in `#points` of the first point that no batch has taken. */
  #head = 0;
  /** Points ever pushed. */
  #pushed = 0;
  readonly #inFlight: Batch[] = [];
  #inFlightPoints = 0;
  #waiters: Waiter[] = [];

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  get waiting(): number {
    return this.#points.length - this.#head + this.#inFlightPoints;
  }
  get hasPoints(): boolean {
    return this.#points.length > this.#head;
  }
  get hasFullBatch(): boolean {
    return this.#points.length - this.#head >= this.#limits.pointsPerBatch;
  }
  get isFull(): boolean {
    return this.waiting >= this.#limits.waitingPointsMax;
  }
  get isHalfFull(): boolean {
    return this.waiting * 2 >= this.#limits.waitingPointsMax;
  }
  get batchesInFlight(): number {
    return this.#inFlight.length;
  }

  push(point: Point): void {
    this.#points.push(point);
    this.#pushed++;
  }

  /**
   * Takes the next batch off the queue, of at most so many points; they count as waiting until it
   * is settled.
   */
  take(pointsMax: number): Batch {
    const { bytesPerBatch } = this.#limits;
    const first = this.#pushed - (this.#points.length - this.#head);
    let end = this.#head;
    let bytes = 0;
    while (end < this.#points.length && end - this.#head < pointsMax) {
      bytes += approximateBytes(this.#points[end]);
      // A batch has at least one point, however large.
      if (bytes > bytesPerBatch && end > this.#head) break;
      end++;
    }
    const batch = { points: this.#points.slice(this.#head, end), first };
    this.#head = end;
    // Sent points are cut off rarely, so the copying costs next to nothing.
    if (this.#head > 10_000 && this.#head * 2 > this.#points.length) {
      this.#points = this.#points.slice(this.#head);
      this.#head = 0;
    }
    this.#inFlight.push(batch);
    this.#inFlightPoints += batch.points.length;
    return batch;
  }

  settle(batch: Batch): void {
    this.#inFlight.splice(this.#inFlight.indexOf(batch), 1);
    this.#inFlightPoints -= batch.points.length;
    const waiters = this.#waiters;
    this.#waiters = waiters.filter((waiter) => !waiter.isOver());
    for (const waiter of waiters) if (waiter.isOver()) waiter.resolve();
  }

  fail(error: unknown): void {
    for (const waiter of this.#waiters.splice(0)) waiter.reject(error);
  }

  /** Resolves when every point pushed so far is settled, even if batches end out of order. */
  settled(): Promise<void> {
    const through = this.#pushed;
    return this.#wait(() => this.#settledThrough() >= through);
  }

  halfFree(): Promise<void> {
    return this.#wait(() => !this.isHalfFull);
  }

  #settledThrough(): number {
    const oldest = this.#inFlight[0];
    return oldest?.first ?? this.#pushed - (this.#points.length - this.#head);
  }

  #wait(isOver: () => boolean): Promise<void> {
    if (isOver()) return Promise.resolve();
    return new Promise((resolve, reject) => this.#waiters.push({ isOver, resolve, reject }));
  }
}
