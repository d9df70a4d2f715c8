import type { ArtifactBucket } from "../../buckets/bucket.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Failpoints } from "./failpoints.ts";

/** What every walk of a version works with. */
export interface WalkContext {
  storage: Storage;
  buckets: { bucketOf(location: StoredLocation): ArtifactBucket };
  clock: () => number;
  /** For the operator: a location that failed. */
  warn: (message: string, error: Error) => void;
  failpoints: Failpoints;
  /** After which begin waits for no location but the fallback; the usual one when left out. */
  beginDeadlineMs?: number;
  /** For all addresses of one reply; the usual one when left out. */
  signingDeadlineMs?: number;
}
