import { type ArtifactBucket, StoreError } from "../../buckets/bucket.ts";
import { RefusingBucket } from "../../buckets/refusing-bucket.ts";
import type { Clouds, CreatedBucket } from "../clouds/cloud.ts";
import type { CloudName } from "../rows/connections/connection.ts";
import { locationSecretContext, type StoredLocation } from "../rows/locations/location.ts";
import type { Sealing } from "../../ground/sealing.ts";

/** The settings that a driver needs to reach an S3-compatible store. */
export interface StoreAccess {
  endpoint: string;
  bucket: string;
  signingRegion: string;
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface StoreLimits {
  /** Deadline of each call; the driver's default when absent. */
  deadlineMs?: number;
  /** Parts of one upload, where the probe found fewer than usual. */
  partsMax?: number;
}

/** Makes the driver of a store. */
export type OpenStore = (access: StoreAccess, limits?: StoreLimits) => ArtifactBucket;

interface Opened {
  bucket: ArtifactBucket;
  /** The row's fields that the driver was made of. */
  madeOf: string;
}

/** Time for which a replaced driver is kept; longer than any walk uses one. */
const replacedLifeMs = 10 * 60_000;

/** The driver of each location, made when first needed and kept. All sealed secrets open here. */
export class LocationBuckets implements AsyncDisposable {
  readonly #builtIn: ArtifactBucket;
  readonly #sealing: Sealing;
  readonly #openStore: OpenStore;
  readonly #clouds: Clouds;
  readonly #opened = new Map<string, Opened>();
  /** Replaced drivers, and the timers of their end: calls under way have that long. */
  readonly #replaced = new Map<ArtifactBucket, NodeJS.Timeout>();

  constructor(builtIn: ArtifactBucket, sealing: Sealing, openStore: OpenStore, clouds: Clouds) {
    this.#builtIn = builtIn;
    this.#sealing = sealing;
    this.#openStore = openStore;
    this.#clouds = clouds;
  }

  /**
   * Returns the driver for the present row; a row whose access has changed since gets another one.
   */
  bucketOf(location: StoredLocation): ArtifactBucket {
    if (location.driver === "built-in") return this.#builtIn;
    const madeOf = accessText(location);
    const opened = this.#opened.get(location.id);
    if (opened?.madeOf === madeOf) return opened.bucket;
    const bucket =
      location.driver === "s3"
        ? this.#openStore(this.accessOf(location), limitsOf(location))
        : this.#openCreated(location, location.driver);
    if (opened !== undefined) this.#endLater(opened.bucket);
    this.#opened.set(location.id, { bucket, madeOf });
    return bucket;
  }

  #endLater(bucket: ArtifactBucket): void {
    const end = () => {
      this.#replaced.delete(bucket);
      // No caller is left to be told that a connection did not close well.
      void Promise.resolve(bucket[Symbol.asyncDispose]()).catch(() => {});
    };
    this.#replaced.set(bucket, setTimeout(end, replacedLifeMs).unref());
  }

  /**
   * Opens a created bucket. The driver obtains the credentials; without a connection there are
   * none.
   */
  #openCreated(location: StoredLocation, cloud: CloudName): ArtifactBucket {
    const { access } = location;
    if (access === null) return new RefusingBucket(() => connectionRemoved(location));
    return this.#clouds[cloud].openBucket(access, createdBucketOf(location), {});
  }

  /**
   * Returns the access with its secret opened: for the driver, and to compare provision files.
   * Throws SealBroken.
   */
  accessOf(location: StoredLocation): StoreAccess {
    const { endpoint, bucket, signingRegion, pathStyle, accessKeyId, sealedSecret } = location;
    if (
      signingRegion === null ||
      pathStyle === null ||
      accessKeyId === null ||
      sealedSecret === null
    ) {
      throw new Error(`BUG: the location ${location.id} has no access to its store`);
    }
    const context = locationSecretContext(location);
    const secretAccessKey = this.#sealing.open(sealedSecret, context);
    return { endpoint, bucket, signingRegion, pathStyle, accessKeyId, secretAccessKey };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = [...this.#opened.values()].map(({ bucket }) => bucket);
    const buckets = [...this.#replaced.keys(), ...opened];
    for (const timer of this.#replaced.values()) clearTimeout(timer);
    this.#replaced.clear();
    this.#opened.clear();
    for (const bucket of buckets) await bucket[Symbol.asyncDispose]();
  }
}

/** Returns the stored fields of the bucket that the service made. */
export function createdBucketOf({
  endpoint,
  bucket,
  pathStyle,
  signingRegion,
  region,
}: StoredLocation): CreatedBucket {
  return { region: signingRegion ?? region, endpoint, bucket, pathStyle: pathStyle === true };
}

function limitsOf({ capabilities: { partsMax } }: StoredLocation): StoreLimits {
  return typeof partsMax === "number" ? { partsMax } : {};
}

function connectionRemoved({ name }: StoredLocation): StoreError {
  return new StoreError(
    "connection removed",
    false,
    `the location ${name} has no connection`,
    undefined,
    "The connection of this location was removed: its bucket can only be read in the cloud account itself.",
  );
}

/**
 * Returns the text by which accesses are compared. Resealing a secret (master key rotation) changes
 * it, at the cost of one new driver.
 */
function accessText(location: StoredLocation): string {
  const { endpoint, bucket, signingRegion, pathStyle, accessKeyId, sealedSecret } = location;
  const { access } = location;
  const sealed = sealedSecret === null ? "" : Buffer.from(sealedSecret).toString("hex");
  const { partsMax } = location.capabilities;
  return JSON.stringify([
    endpoint,
    bucket,
    signingRegion,
    pathStyle,
    accessKeyId,
    sealed,
    partsMax,
    access,
  ]);
}
