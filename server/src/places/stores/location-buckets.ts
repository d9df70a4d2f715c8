import { type ArtifactBucket, StoreError } from "../../buckets/bucket.ts";
import { RefusingBucket } from "../../buckets/refusing-bucket.ts";
import type { Clouds, CreatedBucket } from "../clouds/cloud.ts";
import type { CloudName } from "../rows/connections/connection.ts";
import { locationSecretContext, type StoredLocation } from "../rows/locations/location.ts";
import type { Sealing } from "../../ground/sealing.ts";

/** What a driver needs to reach an S3-compatible store. */
export interface StoreAccess {
  endpoint: string;
  bucket: string;
  signingRegion: string;
  pathStyle: boolean;
  accessKeyId: string;
  secretAccessKey: string;
}

export interface StoreLimits {
  /** For each call; the driver's own when left out. */
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

/** Longer than any walk works with one. */
const replacedLifeMs = 10 * 60_000;

/** The driver of each location, made when first needed and kept. All sealed secrets open here. */
export class LocationBuckets implements AsyncDisposable {
  readonly #builtIn: ArtifactBucket;
  readonly #sealing: Sealing;
  readonly #openStore: OpenStore;
  readonly #clouds: Clouds;
  readonly #opened = new Map<string, Opened>();
  /** Replaced ones, and the timers of their end: calls that are under way have that long. */
  readonly #replaced = new Map<ArtifactBucket, NodeJS.Timeout>();

  constructor(builtIn: ArtifactBucket, sealing: Sealing, openStore: OpenStore, clouds: Clouds) {
    this.#builtIn = builtIn;
    this.#sealing = sealing;
    this.#openStore = openStore;
    this.#clouds = clouds;
  }

  /** It is the driver for what the row says now; a row whose access changed since gets another. */
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
      // Nobody is left who could be told that a connection did not end well.
      void Promise.resolve(bucket[Symbol.asyncDispose]()).catch(() => {});
    };
    this.#replaced.set(bucket, setTimeout(end, replacedLifeMs).unref());
  }

  /** Credentials are the driver's affair; without a connection there are none. */
  #openCreated(location: StoredLocation, cloud: CloudName): ArtifactBucket {
    const { access } = location;
    if (access === null) return new RefusingBucket(() => connectionRemoved(location));
    return this.#clouds[cloud].openBucket(access, createdBucketOf(location), {});
  }

  /** With its secret opened: for the driver, and to compare provision files. Throws SealBroken. */
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

/** What its row keeps of the bucket that the service made. */
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

/** Resealing a secret (master key rotation) changes the text; that costs one driver too many. */
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
