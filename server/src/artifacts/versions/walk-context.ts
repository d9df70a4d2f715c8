import type { ArtifactBucket } from "../../buckets/bucket.ts";
import type { StoredLocation } from "../../places/rows/locations/location.ts";
import type { Storage } from "../../storage/storage.ts";
import type { Failpoints } from "./failpoints.ts";

/** The dependencies of every walk of a version. */
export interface WalkContext {
  storage: Storage;
  buckets: { bucketOf(location: StoredLocation): ArtifactBucket };
  clock: () => number;
  /** Reports a failed location to the operator. */
  warn: (message: string, error: Error) => void;
  failpoints: Failpoints;
  /** Deadline after which begin waits for no location but the fallback; default when absent. */
  beginDeadlineMs?: number;
  /** Deadline for all addresses of one reply; default when absent. */
  signingDeadlineMs?: number;
}
