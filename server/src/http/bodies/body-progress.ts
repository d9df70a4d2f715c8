import { errors } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";

/** How fast an awaited body has to come. A slow line may take its time, a standing one may not. */
export interface LeastRate {
  /** In each span of this length, or up to an eighth longer, */
  spanMs: number;
  /** at least so much. */
  spanBytesMin: number;
  /** And once it was waited for so long in all, */
  graceMs: number;
  /** so much on average: one that sends just enough to go on would hold a place for days. */
  averageBytesPerSecondMin: number;
}

const looksPerSpan = 8;

/** Looks at all bodies of one pace with one timer: one each would cost small requests much. */
export class BodyWatch {
  readonly #pace: LeastRate;
  readonly #bodies = new Set<BodyProgress>();
  #looks: NodeJS.Timeout | undefined;

  constructor(pace: LeastRate) {
    this.#pace = pace;
  }

  /** Says, once, that a body comes too slowly. Dispose it when the body came, or nobody waits. */
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

/** One body, while it is among those that are watched. */
export class BodyProgress implements Disposable {
  readonly #pace: LeastRate;
  readonly #onTooSlow: (error: ServiceError) => void;
  readonly #watched: Set<BodyProgress>;
  #spanSinceMs = performance.now();
  #spanBytes = 0;
  #arrivedBytes = 0;
  /** How long the client was waited for, and since when; what we take is not its fault. */
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
