import { StoreError } from "../buckets/bucket.ts";
import { ServiceError } from "../errors.ts";

/** 502: which step failed, and the store's own code; never more of what it said (A58). */
export function upstream(step: string, { code }: StoreError): ServiceError {
  return new ServiceError("upstream", `The store failed to ${step}: ${code}.`);
}

/** Runs a step at a store; its StoreError becomes `upstream`. */
export async function atStore<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof StoreError ? upstream(step, error) : error;
  }
}
