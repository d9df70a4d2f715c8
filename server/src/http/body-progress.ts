import { errors } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";

/** How fast a body has to come while it is waited for. A slow line may take its time, a standing one may not. */
export interface Pace {
  /** In each span of this length, */
  spanMs: number;
  /** at least so much. */
  spanBytesMin: number;
  /** And once it was waited for so long in all, */
  graceMs: number;
  /** so much on average: one that sends just enough to go on would hold a place for days. */
  averageBytesPerSecondMin: number;
}

const looksPerSpan = 8;

/** Watches one body and says, once, that it comes too slowly. Dispose it when the body has come, or nobody waits. */
export class BodyProgress implements Disposable {
  readonly #pace: Pace;
  readonly #onTooSlow: (error: ServiceError) => void;
  readonly #watch: NodeJS.Timeout;
  #looks = 0;
  #spanBytes = 0;
  #arrivedBytes = 0;
  /** How long the client was waited for, and since when it is; what we take for ourselves is not its fault. */
  #waitedMs = 0;
  #waitedForSinceMs: number | undefined;

  constructor(pace: Pace, onTooSlow: (error: ServiceError) => void) {
    this.#pace = pace;
    this.#onTooSlow = onTooSlow;
    this.#watch = setInterval(() => this.#look(), pace.spanMs / looksPerSpan);
  }

  arrived(bytes: number): void {
    this.#spanBytes += bytes;
    this.#arrivedBytes += bytes;
  }

  startWaiting(): void {
    this.#waitedForSinceMs = performance.now();
  }

  stopWaiting(): void {
    this.#waitedMs = this.#totalWaitedMs();
    this.#waitedForSinceMs = undefined;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#watch);
  }

  #look(): void {
    this.#looks += 1;
    const isSpanOver = this.#looks % looksPerSpan === 0;
    const isSpanEmpty = isSpanOver && this.#spanBytes < this.#pace.spanBytesMin;
    if (isSpanOver) this.#spanBytes = 0;
    // Only a client that is waited for can be too slow.
    if (this.#waitedForSinceMs === undefined || !(isSpanEmpty || this.#isSlowOnAverage())) return;
    this[Symbol.dispose]();
    this.#onTooSlow(new ServiceError("request_timeout", errors.request_timeout.sentence));
  }

  #isSlowOnAverage(): boolean {
    const { graceMs, averageBytesPerSecondMin } = this.#pace;
    const waitedMs = this.#totalWaitedMs();
    return waitedMs >= graceMs && this.#arrivedBytes * 1_000 < averageBytesPerSecondMin * waitedMs;
  }

  #totalWaitedMs(): number {
    const since = this.#waitedForSinceMs;
    return since === undefined ? this.#waitedMs : this.#waitedMs + performance.now() - since;
  }
}
