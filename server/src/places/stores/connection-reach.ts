import { ObjectMissing, StoreError } from "../../buckets/bucket.ts";
import type { Cloud } from "../clouds/cloud.ts";
import type { ConnectionAccess } from "../rows/connections/connection.ts";
import type { StoredLocation } from "../rows/locations/location.ts";
import { inParallel } from "../../ground/in-parallel.ts";
import { createdBucketOf } from "./location-buckets.ts";
import { storeFailureOf } from "./store-failure.ts";

/** Bounds one bucket; each of them is asked one question. */
const deadlineMs = 12_000;
const askedAtOnce = 16;
/** Codes of a missing bucket, which no identifiers reach. */
const gone: ReadonlySet<string> = new Set(["NoSuchBucket", "ContainerNotFound"]);

/**
 * Requests at each location an object that never exists: a caller that may read there is told that
 * it is missing. Retired locations too, for their versions are read. Throws StoreError with the
 * location in its advice.
 */
export async function requireReach(
  cloud: Cloud,
  access: ConnectionAccess,
  locations: readonly StoredLocation[],
): Promise<void> {
  await inParallel(askedAtOnce, locations, async (location) => {
    try {
      await using bucket = cloud.openBucket(access, createdBucketOf(location), { deadlineMs });
      await bucket.size("lossless-reach");
    } catch (error) {
      if (error instanceof ObjectMissing) return;
      const failure = storeFailureOf(error);
      if (failure === undefined) throw error;
      if (!isGone(location, failure)) throw outOfReach(location, failure);
    }
  });
}

/** A deleted Azure account has no name any more; an active location may only be unlucky. */
function isGone({ state }: StoredLocation, { code }: StoreError): boolean {
  return gone.has(code) || (state === "retired" && code === "unknown host");
}

function outOfReach({ name, bucket }: StoredLocation, failure: StoreError): StoreError {
  const { code, transient, message, advice } = failure;
  const where = `These identifiers do not reach the bucket ${bucket} of the location ${JSON.stringify(name)}.`;
  const sentences = advice === undefined ? where : `${where} ${advice}`;
  return new StoreError(code, transient, message, failure, sentences);
}
