import { LosslessError, OutcomeUnknownError } from "./errors.ts";
import { isTransient, nothingRan, type RetryPolicy, withRetries } from "./retry.ts";

export interface SettledWrite<T> {
  /** Name of the event, for messages. */
  event: string;
  policy: RetryPolicy;
  attempt: () => Promise<T>;
  /**
   * Reads the state after a failure with unknown outcome: returns the result if the write has
   * happened, undefined if it has not (then it is resent). Absent: the state cannot tell, so the
   * write is never sent twice.
   */
  settle?: () => Promise<T | undefined>;
  signal?: AbortSignal | undefined;
}

/**
 * Sends a write that is not a metric. The specification: every other write has side effects when
 * repeated, so after a timeout the state is read before it is resent. After a failure that
 * certainly changed nothing (refused connection, 429, overloaded) it is retried without reading.
 * Throws OutcomeUnknownError when it stays unknown whether the write happened.
 */
export async function settledWrite<T>(write: SettledWrite<T>): Promise<T> {
  let outcomeIsOpen = false;
  const attempt = async (): Promise<T> => {
    if (outcomeIsOpen) {
      const settled = await write.settle?.();
      if (settled !== undefined) return settled;
      outcomeIsOpen = false;
    }
    try {
      return await write.attempt();
    } catch (error) {
      outcomeIsOpen = isTransient(error) && !nothingRan(error);
      throw error;
    }
  };
  const mayRetry = (error: unknown): boolean =>
    isTransient(error) && !(outcomeIsOpen && write.settle === undefined);
  try {
    return await withRetries(write.policy, attempt, mayRetry, write.signal);
  } catch (error) {
    if (!outcomeIsOpen || !(error instanceof LosslessError)) throw error;
    throw new OutcomeUnknownError(
      write.event,
      `it may or may not have happened: ${error.message}`,
      error,
    );
  }
}
