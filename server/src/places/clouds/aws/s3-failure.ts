import { StoreError } from "../../../buckets/bucket.ts";

/** Adds advice to a refusal by S3 in a bucket that the service made. */
export function explained(error: unknown): unknown {
  if (!(error instanceof StoreError) || error.advice !== undefined) return error;
  const advice = adviceOn[error.code];
  if (advice === undefined) return error;
  return new StoreError(error.code, error.transient, error.message, error, advice);
}

const mayNot =
  "The role may not do this in that AWS account. Run the connection's setup script again, and see that no " +
  "policy of the account or its organization forbids it.";

const adviceOn: Readonly<Record<string, string>> = {
  AccessDenied: mayNot,
  AllAccessDisabled: mayNot,
  "HTTP 403": mayNot,
  AccountProblem: "AWS has a problem with that account, for instance an unpaid bill.",
  NoSuchBucket: "The bucket is gone: it was deleted in that AWS account.",
  TooManyBuckets: "The AWS account has as many buckets as it may have: raise that quota.",
  IllegalLocationConstraintException:
    "AWS has no such region, or it is not enabled in that account.",
  InvalidLocationConstraint: "AWS has no such region, or it is not enabled in that account.",
  "unknown host": "AWS has no such region, or its name cannot be resolved here.",
};
