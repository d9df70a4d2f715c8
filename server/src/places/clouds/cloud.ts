import type { ArtifactBucket } from "../../buckets/bucket.ts";
import type { CloudName, ConnectionAccess } from "../rows/connections/connection.ts";
import type { CloudEndpoints } from "./endpoints.ts";

/**
 * A cloud in which the service makes and uses buckets without a lasting secret. Every call starts
 * from a token minted for it (TokenIssuer), which the cloud exchanges for credentials of an hour or
 * a few; their users keep them in memory, and renew them in time.
 *
 * Every call rejects with StoreError. `transient` is true when the cloud is down, slow or asks to
 * wait: the same call may succeed later. It is false when the cloud refused: then `advice` tells
 * the cloud's administrator how to react, and `code` is the cloud's own code (`AccessDenied`,
 * `invalid_grant`, `AADSTS70021`), never more of its reply. Every call ends by itself within 30 s,
 * `verify` with all its calls; making a storage account, or removing it again, may take Azure 100
 * s.
 */
export interface Cloud {
  /** Exchanges a token for credentials and makes one call with them that changes nothing. */
  verify(access: ConnectionAccess): Promise<void>;
  /**
   * Makes a bucket for this connection alone. Resources made before a failure are removed again.
   */
  createBucket(access: ConnectionAccess, wanted: WantedBucket): Promise<CreatedBucket>;
  /** Removes a bucket that was just made and holds nothing, since its probe failed. */
  removeBucket(access: ConnectionAccess, bucket: CreatedBucket): Promise<void>;
  /** The driver of a bucket that was made. Credentials are fetched when they are first needed. */
  openBucket(access: ConnectionAccess, bucket: CreatedBucket, limits: OpenLimits): ArtifactBucket;
}

export type Clouds = Readonly<Record<CloudName, Cloud>>;

/** The settings from which each cloud is made. */
export interface CloudSettings {
  tokens: TokenIssuer;
  endpoints: CloudEndpoints;
  clock: () => number;
}

export interface WantedBucket {
  /** A word of letters, digits and hyphens; the cloud itself tells whether it has such a region. */
  region: string;
  /** The web application's origin; it may fetch by signed addresses (CORS, if the store has it). */
  origin: string;
}

/** A created bucket as stored in the location's row. */
export interface CreatedBucket {
  region: string;
  /** An origin, or with Azure the address of the account; no slash at its end. */
  endpoint: string;
  /** Name of the bucket; with Azure that of the container. */
  bucket: string;
  /** Where it matters (S3): whether the bucket is in the path of addresses instead of the host. */
  pathStyle: boolean;
}

export interface OpenLimits {
  /** Deadline of each call; the driver's default when absent. */
  deadlineMs?: number;
}

/** Mints the tokens by which a cloud knows a connection (issuer.ts). */
export interface TokenIssuer {
  /**
   * A JWT (RS256) for one exchange: at most ten minutes of life, a fresh `jti`. It never leaves for
   * anyone but the cloud.
   */
  mint(claims: { subject: string; audience: string }): Promise<string>;
}
