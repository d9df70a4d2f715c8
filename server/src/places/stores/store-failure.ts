import { StoreError } from "../../buckets/bucket.ts";
import { DatabaseError } from "../../database/database.ts";
import { ServiceError } from "../../ground/errors.ts";

const diskFull = "disk full";
export const diskFullSentence =
  "The disk of the built-in location is full: the service's operator has to free space.";

/**
 * Returns the error of a failing store, a full disk of the built-in location included; else
 * undefined.
 */
export function storeFailureOf(error: unknown): StoreError | undefined {
  if (error instanceof StoreError) return error;
  if (!(error instanceof DatabaseError) || error.kind !== "full") return undefined;
  return new StoreError(diskFull, true, error.message, error);
}

/** 502: the step that failed and the store's own code; never more of it (A58). 507 for our disk. */
export function upstream(step: string, { code, advice }: StoreError): ServiceError {
  if (code === diskFull) {
    return new ServiceError("storage_full", diskFullSentence);
  }
  const sentence = `The store failed to ${step}: ${code}.`;
  return new ServiceError("upstream", advice === undefined ? sentence : `${sentence} ${advice}`);
}

/** Runs a step at a store; its failure becomes `upstream`. */
export async function atStore<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    const failure = storeFailureOf(error);
    throw failure === undefined ? error : upstream(step, failure);
  }
}
