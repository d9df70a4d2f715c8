import { StoreError } from "../errors.ts";
import { retryDelayMs, type RetryPolicy, sleep } from "../retry.ts";
import type { RenewedAddresses, Signed } from "./renewed-addresses.ts";

export interface StoreTries<Value extends Signed, Result> {
  addresses: RenewedAddresses<Value>;
  attempt: (value: Value) => Promise<Result>;
  /** Pauses between attempts; `hopeless` limits their number. */
  policy: RetryPolicy;
  signal: AbortSignal;
  /** Called after each transient failure: returns the error to throw when retrying is pointless. */
  hopeless: (error: StoreError, tries: number) => Error | undefined;
}

/**
 * Failed attempts without a status after which addresses are renewed too: a store that refuses
 * early may just cut the connection.
 */
const triesPerRenewal = 3;

/**
 * Retries a request to a store until it succeeds. Stores report an expired address in many ways
 * (403, 400, 404 after the upload was aborted), so any such reply is followed by fresh addresses,
 * and only believed when it repeats.
 */
export async function storeTries<Value extends Signed, Result>({
  addresses,
  attempt,
  policy,
  signal,
  hopeless,
}: StoreTries<Value, Result>): Promise<Result> {
  let refusedGeneration: number | undefined;
  for (let tries = 1; ;) {
    signal.throwIfAborted();
    const { value, generation } = await addresses.current();
    try {
      const result = await attempt(value);
      policy.observer?.succeeded();
      return result;
    } catch (error) {
      if (signal.aborted || !(error instanceof StoreError)) throw error;
      if (!isPassing(error.status)) {
        if (refusedGeneration !== undefined && refusedGeneration !== generation) throw error;
        refusedGeneration = generation;
        await addresses.renew(generation);
        continue;
      }
      const end = hopeless(error, tries);
      if (end !== undefined) throw end;
      const isSuspect = error.status === undefined && tries % triesPerRenewal === 0;
      if (isSuspect) await addresses.renew(generation);
      const delayMs = retryDelayMs(policy, tries, error);
      const failure = { error, attempts: tries, delayMs, leftMs: Infinity };
      if (policy.observer?.mayRetry(failure) === false) throw error;
      await sleep(delayMs, signal);
      tries++;
    }
  }
}

function isPassing(status: number | undefined): boolean {
  return status === undefined || status >= 500 || status === 408 || status === 429;
}
