import { apartMsMax } from "./load.ts";

/** Minimum time between two replies to one caller. */
const intervalMs = 250;

/** Schedules the replies of each caller: turns are given in the order in which they are taken. */
export class Turns {
  readonly #clock: () => number;
  /** Time at which each caller's latest turn begins. */
  readonly #latest = new Map<string, number>();

  constructor(clock: () => number = () => performance.now()) {
    this.#clock = clock;
  }

  /**
   * Takes the caller's next turn, and returns the time until then; undefined if that is too long. A
   * turn that can wait is about `apartMs` behind the previous one: it comes at a beat common to all
   * callers who follow the same experiments, so that their next requests are equal, too.
   */
  take(caller: string, mostMs: number, apartMs = 0, followed = ""): number | undefined {
    const nowMs = this.#clock();
    const before = this.#latest.get(caller) ?? -Infinity;
    const nextMs =
      apartMs > intervalMs ? beatAfter(before, apartMs, followed) : before + intervalMs;
    const turnMs = Math.max(nowMs, nextMs);
    if (turnMs - nowMs > mostMs) return undefined;
    this.#latest.delete(caller);
    this.#latest.set(caller, turnMs);
    for (const [one, atMs] of this.#latest) {
      if (atMs + 2 * apartMsMax > nowMs) break;
      this.#latest.delete(one);
    }
    return turnMs - nowMs;
  }
}

/**
 * Returns the next beat. Beats are `apartMs` apart, or up to twice as far: those of a busy time are
 * among those of a less busy one. The first one that is not much too early is taken. Each
 * `followed` has beats of its own, so that not all come at once.
 */
function beatAfter(beforeMs: number, apartMs: number, followed: string): number {
  let beatMs = apartMsMax;
  while (beatMs / 2 >= apartMs) beatMs /= 2;
  let shift = 0;
  for (let at = 0; at < followed.length; at++) {
    shift = (31 * shift + followed.charCodeAt(at)) % apartMsMax;
  }
  return shift + beatMs * Math.ceil((beforeMs + beatMs / 2 - shift) / beatMs);
}
