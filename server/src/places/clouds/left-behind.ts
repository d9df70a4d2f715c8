import { StoreError } from "../../buckets/bucket.ts";

/**
 * Adds to the error of a failed creation the resource that is left (`bucket NAME`), when its
 * removal failed too.
 */
export function withLeftBehind(error: unknown, what: string): unknown {
  if (!(error instanceof StoreError)) return error;
  const { code, transient, message, advice } = error;
  const left = `The ${what} is empty and perhaps still there: remove it.`;
  const sentences = advice === undefined ? left : `${advice} ${left}`;
  return new StoreError(code, transient, message, error, sentences);
}
