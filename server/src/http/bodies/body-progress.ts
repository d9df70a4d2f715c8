import { errors } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

/** Minimum rate of an awaited body. A slow line may take its time; a stalled one may not. */
export interface LeastRate {
  /**
   * Length of a span in which a minimum of bytes has to arrive; measured spans are up to an eighth
   * longer.
   */
  spanMs: number;
  /** Minimum of bytes in each span. */
  spanBytesMin: number;
  /** Total time of waiting after which the average counts. */
  graceMs: number;
  /**
   * Minimum average rate after that: a body that sends just enough for each span would hold a place
   * for days.
   */
  averageBytesPerSecondMin: number;
}

const looksPerSpan = 8;

/**
 * Checks all bodies of one pace with one timer: a timer for each would be expensive for small
 * requests.
 */
export class BodyWatch {
  readonly #pace: LeastRate;
  readonly #bodies = new Set<BodyProgress>();
  #looks: NodeJS.Timeout | undefined;

  constructor(pace: LeastRate) {
    this.#pace = pace;
  }

  /**
   * Calls back once when a body arrives too slowly. Dispose it when the body has arrived or is no
   * longer awaited.
   */
  follow(onTooSlow: (error: ServiceError) => void): BodyProgress {
    const body = new BodyProgress(this.#pace, onTooSlow, this.#bodies);
    this.#looks ??= setInterval(() => this.#look(), this.#pace.spanMs / looksPerSpan).unref();
    return body;
  }

  #look(): void {
    for (const body of this.#bodies) body.look();
    if (this.#bodies.size > 0) return;
    clearInterval(this.#looks);
    this.#looks = undefined;
  }
}

/** One body, while it is watched. */
export class BodyProgress implements Disposable {
  readonly #pace: LeastRate;
  readonly #onTooSlow: (error: ServiceError) => void;
  readonly #watched: Set<BodyProgress>;
  #spanSinceMs = performance.now();
  #spanBytes = 0;
  #arrivedBytes = 0;
  /**
   * Time spent waiting for the client, and since when; time of our own processing is not counted.
   */
  #waitedMs = 0;
  #waitedForSinceMs: number | undefined;

  constructor(
    pace: LeastRate,
    onTooSlow: (error: ServiceError) => void,
    watched: Set<BodyProgress>,
  ) {
    this.#pace = pace;
    this.#onTooSlow = onTooSlow;
    this.#watched = watched.add(this);
  }

  arrived(bytes: number): void {
    this.#spanBytes += bytes;
    this.#arrivedBytes += bytes;
  }

  startWaiting(): void {
    this.#waitedForSinceMs = performance.now();
  }

  stopWaiting(): void {
    this.#waitedMs = this.#totalWaitedMs(performance.now());
    this.#waitedForSinceMs = undefined;
  }

  look(): void {
    const nowMs = performance.now();
    const isSpanOver = nowMs - this.#spanSinceMs >= this.#pace.spanMs;
    const isSpanEmpty = isSpanOver && this.#spanBytes < this.#pace.spanBytesMin;
    if (isSpanOver) {
      this.#spanSinceMs = nowMs;
      this.#spanBytes = 0;
    }
    // Only a client that is waited for can be too slow.
    if (this.#waitedForSinceMs === undefined) return;
    if (!isSpanEmpty && !this.#isSlowOnAverage(nowMs)) return;
    this[Symbol.dispose]();
    this.#onTooSlow(new ServiceError("request_timeout", errors.request_timeout.sentence));
  }

  [Symbol.dispose](): void {
    this.#watched.delete(this);
  }

  #isSlowOnAverage(nowMs: number): boolean {
    const { graceMs, averageBytesPerSecondMin } = this.#pace;
    const waitedMs = this.#totalWaitedMs(nowMs);
    return waitedMs >= graceMs && this.#arrivedBytes * 1_000 < averageBytesPerSecondMin * waitedMs;
  }

  #totalWaitedMs(nowMs: number): number {
    const since = this.#waitedForSinceMs;
    return since === undefined ? this.#waitedMs : this.#waitedMs + nowMs - since;
  }
}
