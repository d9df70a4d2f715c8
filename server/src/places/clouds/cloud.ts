import type { ArtifactBucket } from "../../buckets/bucket.ts";
import type { CloudName, ConnectionAccess } from "../rows/connections/connection.ts";
import type { CloudEndpoints } from "./endpoints.ts";

/**
 * A cloud in which the service makes and uses buckets without a lasting secret. Every call starts
 * from a token that was minted for it (TokenIssuer), which the cloud exchanges for credentials of
 * an hour or a few; those are kept in memory by what needs them, and renewed in time.
 *
 * Every call rejects with StoreError. `transient` is true when the cloud is down, slow or asks to
 * wait: the same call may succeed later. It is false when the cloud refused: then `advice` says
 * what the cloud's administrator has to do, and `code` is the cloud's own word (`AccessDenied`,
 * `invalid_grant`, `AADSTS70021`), never more of its reply. Every call ends by itself within 30 s,
 * `verify` with all that it asks; to make a storage account, or remove it again, may take Azure 100
 * s.
 */
export interface Cloud {
  /** Exchanges a token for credentials and makes one call with them that changes nothing. */
  verify(access: ConnectionAccess): Promise<void>;
  /** Makes a bucket for this connection alone. What was made before a failure is removed again. */
  createBucket(access: ConnectionAccess, wanted: WantedBucket): Promise<CreatedBucket>;
  /** Removes a bucket that was just made and holds nothing, since its probe failed. */
  removeBucket(access: ConnectionAccess, bucket: CreatedBucket): Promise<void>;
  /** The driver of a bucket that was made. Credentials are fetched when they are first needed. */
  openBucket(access: ConnectionAccess, bucket: CreatedBucket, limits: OpenLimits): ArtifactBucket;
}

export type Clouds = Readonly<Record<CloudName, Cloud>>;

/** What each cloud is made of. */
export interface CloudSettings {
  tokens: TokenIssuer;
  endpoints: CloudEndpoints;
  clock: () => number;
}

export interface WantedBucket {
  /** A word of letters, digits and hyphens; whether the cloud has such a region, it says itself. */
  region: string;
  /** The web application's origin; it may fetch by signed addresses (CORS, if the store has it). */
  origin: string;
}

/** What a location's row keeps of it. */
export interface CreatedBucket {
  region: string;
  /** An origin, or with Azure the address of the account; no slash at its end. */
  endpoint: string;
  /** With Azure the container. */
  bucket: string;
  /** Where it matters (S3): the bucket stands in the path of addresses instead of the host. */
  pathStyle: boolean;
}

export interface OpenLimits {
  /** For each call; the driver's own when left out. */
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
