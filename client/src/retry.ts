import { ConnectionError, EventError, RequestError } from "./errors.ts";

/**
 * Limits of retries. Pauses grow as 2^n from `firstDelayMs` to `longestDelayMs`, each shortened by
 * a random half so that many clients do not return together. A longer Retry-After of the service is
 * obeyed.
 */
export interface RetryPolicy {
  /** Milliseconds after the first attempt in which another may start; Infinity: no limit. */
  retryForMs: number;
  firstDelayMs: number;
  longestDelayMs: number;
  /** Observes retries, and may end them early. */
  observer?: RetryObserver;
}

/** Observes all retries of a client: it sees when nothing is answered at all. */
export interface RetryObserver {
  /** Called before each further attempt; false: the error is thrown. */
  mayRetry(failure: RetriedFailure): boolean;
  /** An attempt has succeeded. */
  succeeded(): void;
}

export interface RetriedFailure {
  error: unknown;
  /** Failed attempts, including this one. */
  attempts: number;
  /** Milliseconds until the next attempt. */
  delayMs: number;
  /** Milliseconds in which attempts may start. Infinity: the caller decides. */
  leftMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  retryForMs: 60_000,
  firstDelayMs: 100,
  longestDelayMs: 10_000,
};

/**
 * Whether a failure is transient by the retry guidance of the specification: connection failures,
 * HTTP 429, 5xx, and event errors with `retryable: true`. Whether a *write* may be resent is
 * decided earlier.
 */
export function isTransient(error: unknown): boolean {
  if (error instanceof ConnectionError) return true;
  // 408: the request did not arrive in time, which is a connection failure.
  if (error instanceof RequestError)
    return [408, 429].includes(error.status) || error.status >= 500;
  return error instanceof EventError && error.retryable;
}

/** Codes of transient failures answered before anything was written. */
const nothingWrittenCodes = new Set([
  "rate_limited",
  "request_timeout",
  "overloaded",
  "storage_full",
]);

/** Whether a failed write certainly changed nothing, so that any write may be resent. */
export function nothingRan(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.notSent;
  if (error instanceof RequestError || error instanceof EventError) {
    return error.status === 429 || error.status < 500 || nothingWrittenCodes.has(error.code);
  }
  return false;
}

/**
 * Runs `attempt` until it succeeds, `mayRetry` returns false, the policy's time is over or `signal`
 * aborts; then throws the last error. "anew": a part has succeeded, and for the rest this is the
 * first failure.
 */
export async function withRetries<T>(
  policy: RetryPolicy,
  attempt: () => Promise<T>,
  mayRetry: (error: unknown) => boolean | "anew" = isTransient,
  signal?: AbortSignal,
): Promise<T> {
  let startedAtMs = performance.now();
  for (let attempts = 1; ; attempts++) {
    try {
      const result = await attempt();
      policy.observer?.succeeded();
      return result;
    } catch (error) {
      const verdict = signal?.aborted !== true && mayRetry(error);
      if (verdict === false) throw error;
      if (verdict === "anew") [startedAtMs, attempts] = [performance.now(), 1];
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
