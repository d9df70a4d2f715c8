import { ConnectionError, EventError, RequestError } from "./errors.ts";

/**
 * How long and how often something is tried again. Waits grow as 2^n from `firstDelayMs` to
 * `longestDelayMs`, each cut by a random half so that many clients do not return together. A
 * Retry-After of the service is obeyed when it is longer.
 */
export interface RetryPolicy {
  /** Milliseconds after the first attempt in which another may start; Infinity: for ever. */
  retryForMs: number;
  firstDelayMs: number;
  longestDelayMs: number;
  /** Who wants to know that something is tried again, and may end it early. */
  observer?: RetryObserver;
}

/** One for all that a client does: it sees when nothing is answered at all. */
export interface RetryObserver {
  /** Asked before each further attempt; false: this error is the end. */
  mayRetry(failure: RetriedFailure): boolean;
  /** An attempt has succeeded. */
  succeeded(): void;
}

export interface RetriedFailure {
  error: unknown;
  /** How many have failed, this one among them. */
  attempts: number;
  /** Until the next attempt. */
  delayMs: number;
  /** Within which attempts may start. Infinity: somebody else decides that. */
  leftMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  retryForMs: 60_000,
  firstDelayMs: 100,
  longestDelayMs: 10_000,
};

/**
 * The retry guidance of the specification: connection failures, HTTP 429, 5xx, and event errors
 * with `retryable: true`. Whether a *write* may be sent again is decided before.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  // 408: the service did not get the request in time, which is a failure of the connection.
  if (error instanceof RequestError)
    return [408, 429].includes(error.status) || error.status >= 500;
  return error instanceof EventError && error.retryable;
}

/** Codes of transient failures that are answered before anything was written. */
const nothingWrittenCodes = new Set([
  "rate_limited",
  "request_timeout",
  "overloaded",
  "storage_full",
]);

/** True when a failed write certainly changed nothing, so that it may be resent whatever it is. */
export function nothingRan(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.notSent;
  if (error instanceof RequestError || error instanceof EventError) {
    return error.status === 429 || error.status < 500 || nothingWrittenCodes.has(error.code);
  }
  return false;
}

/**
 * Runs `attempt` until it succeeds, `mayRetry` says no, the policy's time is over or `signal`
 * aborts; then the last error is thrown.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  attempt: () => Promise<T>,
  mayRetry: (error: unknown) => boolean = isTransient,
  signal?: AbortSignal,
): Promise<T> {
  const startedAtMs = performance.now();
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await attempt();
      policy.observer?.succeeded();
      return result;
    } catch (error) {
      if (signal?.aborted || !mayRetry(error)) throw error;
      const delayMs = retryDelayMs(policy, attempts, error);
      const leftMs = policy.retryForMs - (performance.now() - startedAtMs);
      if (delayMs > leftMs) throw error;
      if (policy.observer?.mayRetry({ error, attempts, delayMs, leftMs }) === false) throw error;
      await sleep(delayMs, signal);
      if (signal?.aborted) throw error;
    }
  }
}

export function retryDelayMs(policy: RetryPolicy, attempts: number, error: unknown): number {
  const ceilingMs = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (attempts - 1));
  const ownMs = ceilingMs * (0.5 + Math.random() / 2);
  const askedMs = error instanceof RequestError ? (error.retryAfterMs ?? 0) : 0;
  return Math.max(ownMs, askedMs);
}

/** Resolves after `delayMs`, or at once when `signal` aborts. */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", finish);
      resolve();
    };
    const timer = setTimeout(finish, delayMs);
    signal?.addEventListener("abort", finish, { once: true });
  });
}
