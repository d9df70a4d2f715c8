import { availableParallelism } from "node:os";

/** Processor time that the process has used since it began. */
export interface Used {
  /** Time of the main thread, in milliseconds. */
  mainMs: number;
  /** Time of all threads together, in milliseconds of a processor. */
  allMs: number;
}

/** Interval between news for one caller while the service is busiest; each comes at a beat. */
export const apartMsMax = 8_000;
/**
 * Busy share of the process up to which news are never delayed; from `fullShare` on they are
 * delayed most.
 */
const freeShare = 0.4;
const fullShare = 0.6;
const sampleMs = 500;

/**
 * Measures how busy the process is, so that news is sent more rarely when the process watched needs
 * the processor itself. Clocks are read when the load is requested, never in between.
 */
export class Load {
  readonly #clock: () => number;
  readonly #used: () => Used;
  #since: { atMs: number } & Used;
  #share = 0;

  constructor(clock: () => number = () => performance.now(), used: () => Used = usedSoFar) {
    this.#clock = clock;
    this.#used = used;
    this.#since = { atMs: clock(), ...used() };
  }

  /**
   * Returns the minimum interval between news for one caller; 0 while most of the process is free.
   */
  apartMs(): number {
    const nowMs = this.#clock();
    const tookMs = nowMs - this.#since.atMs;
    if (tookMs >= sampleMs) {
      const used = this.#used();
      const main = (used.mainMs - this.#since.mainMs) / tookMs;
      const all = (used.allMs - this.#since.allMs) / (tookMs * availableParallelism());
      this.#share = Math.min(1, Math.max(main, all));
      this.#since = { atMs: nowMs, ...used };
    }
    const busy = Math.min(1, Math.max(0, this.#share - freeShare) / (fullShare - freeShare));
    return Math.round(busy * apartMsMax);
  }
}

function usedSoFar(): Used {
  const { user, system } = process.cpuUsage();
  return { mainMs: performance.eventLoopUtilization().active, allMs: (user + system) / 1_000 };
}
