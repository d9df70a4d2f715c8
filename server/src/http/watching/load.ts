import { availableParallelism } from "node:os";

/** What the process has used since it began. */
export interface Used {
  /** What its main thread has used, in milliseconds. */
  mainMs: number;
  /** What all its threads have used together, in milliseconds of a processor. */
  allMs: number;
}

/** News for one caller come about so far apart while the service is busiest, each at a beat. */
export const apartMsMax = 8_000;
/** Up to here who watches is never held up; from there on most. */
const freeShare = 0.4;
const fullShare = 0.6;
const sampleMs = 500;

/**
 * How busy the process is, so that those who watch it are told more rarely when what they watch
 * needs the processor itself. It looks at clocks when it is asked, and at nothing in between.
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

  /** How far apart news for one caller are to be; 0 as long as most of the process is free. */
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
