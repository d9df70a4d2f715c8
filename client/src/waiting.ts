import { LosslessError } from "./errors.ts";
import { isTransient, type RetryPolicy, withRetries } from "./retry.ts";
import type { Views } from "./views.ts";
import type { WaitReply } from "./wire.ts";

export interface WaitOptions {
  /** Milliseconds until the wait ends with the outcome `timeout`; by default it has no end. */
  timeoutMs?: number;
  /** Ends the wait; its reason is thrown. */
  signal?: AbortSignal;
  /** Called with the state whenever the service says that it still waits. */
  onWaiting?: (state: WaitReply) => void;
}

/** How a wait ended, and what the condition tests at that moment. */
export interface Waited extends Omit<WaitReply, "outcome"> {
  /**
   * `holds`: the condition does. `ended`: the run has ended without it. `timeout`: neither within
   * the given time.
   */
  outcome: "holds" | "ended" | "timeout";
}

/** Repeats the service's long poll until it has an outcome; outages are waited out. */
export async function waitUntil(
  views: Views,
  policy: RetryPolicy,
  { experimentId, until }: { experimentId: string; until: string },
  { timeoutMs = Infinity, signal, onWaiting }: WaitOptions,
): Promise<Waited> {
  if (!(timeoutMs >= 0)) throw new LosslessError("timeoutMs must not be negative");
  const deadlineMs = performance.now() + timeoutMs;
  const leftMs = () => Math.max(0, Math.ceil(deadlineMs - performance.now()));
  let last: WaitReply | undefined;
  const attempt = (ended: AbortSignal) => async () => {
    const waitMs = last === undefined ? 0 : Math.min(longestMs, leftMs());
    return views.wait({ experimentId, until, waitMs }, ended);
  };
  for (;;) {
    const ended = AbortSignal.any([
      ...(signal === undefined ? [] : [signal]),
      ...(last === undefined || timeoutMs === Infinity ? [] : [timeLeft(leftMs())]),
    ]);
    try {
      // The first answer says whether there is such a service, and an experiment to wait for.
      const patience = last === undefined ? policy : { ...policy, retryForMs: Infinity };
      last = await withRetries(patience, attempt(ended), isTransient, ended);
    } catch (error) {
      signal?.throwIfAborted();
      if (last === undefined || !ended.aborted) throw error;
    }
    const { outcome, ...state } = last;
    if (outcome !== "waiting") return { outcome, ...state };
    if (leftMs() === 0) return { outcome: "timeout", ...state };
    onWaiting?.(last);
  }
}

/** The longest wait of one request. */
const longestMs = 25_000;
/** Milliseconds for an answer that is on its way when the time is over. */
const answerMs = 5_000;
/** The longest time of a timer. */
const timerMs = 2_147_483_647;

function timeLeft(leftMs: number): AbortSignal {
  return AbortSignal.timeout(Math.min(leftMs + answerMs, timerMs));
}
