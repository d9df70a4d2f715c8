import { StoreError } from "../buckets/bucket.ts";

/** Why a bucket was not made, with the name of what is left of it: its removal has failed too. */
export function withLeftBucket(error: unknown, bucket: string): unknown {
  if (!(error instanceof StoreError)) return error;
  const { code, transient, message, advice } = error;
  const left = `The bucket ${bucket} is empty and perhaps still there: remove it.`;
  const sentences = advice === undefined ? left : `${advice} ${left}`;
  return new StoreError(code, transient, message, error, sentences);
}
