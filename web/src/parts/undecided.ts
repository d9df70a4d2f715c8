import type { ChangedExperiment } from "@lossless/client";
import { limits } from "@lossless/protocol/limits";

type Seen = Pick<ChangedExperiment, "experimentId" | "revision" | "liveness">;

/**
 * The runs of which the page knows that they lived, and not whether they do: a beat changes nothing
 * that it waits for, and neither does a silence.
 */
export class Undecided {
  readonly #askedAtMs = new Map<string, number>();

  /**
   * Returns the revision to name in a request for changes: 0, so that it is answered at once, for a
   * run whose last known beat is old, once in the time of a beat.
   */
  revisionOf({ experimentId, revision, liveness }: Seen, nowMs = Date.now()): number {
    if (liveness?.state !== "running") return revision;
    if (nowMs - liveness.beatAtMs < limits.attemptSilentMs) return revision;
    const askedAtMs = this.#askedAtMs.get(experimentId) ?? -Infinity;
    if (nowMs - askedAtMs < limits.attemptBeatMs) return revision;
    this.#askedAtMs.set(experimentId, nowMs);
    return 0;
  }
}
