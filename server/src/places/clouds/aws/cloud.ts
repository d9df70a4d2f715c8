import { isIP } from "node:net";
import { StoreError, type ArtifactBucket } from "../../../buckets/bucket.ts";
import { RenewedS3Bucket, type S3Session } from "../../../buckets/s3/renewed.ts";
import { cloudName, type ConnectionAccess } from "../../rows/connections/connection.ts";
import type { Cloud, CloudSettings, CreatedBucket, OpenLimits, WantedBucket } from "../cloud.ts";
import { endpointOf } from "../endpoints.ts";
import { RenewedSession } from "../session.ts";
import { headBucket, makeBucket, removeBucket } from "./bucket.ts";
import { awsRoleOf } from "./role.ts";
import { explained } from "./s3-failure.ts";
import { exchange } from "./sts.ts";

export function awsCloud(settings: CloudSettings): Cloud {
  return new AwsCloud(settings);
}

class AwsCloud implements Cloud {
  readonly #settings: CloudSettings;

  constructor(settings: CloudSettings) {
    this.#settings = settings;
  }

  async verify(access: ConnectionAccess): Promise<void> {
    const region = awsRoleOf(access).partition.homeRegion;
    await headBucket(await this.#siteIn(access, region));
  }

  async createBucket(
    access: ConnectionAccess,
    { region, origin }: WantedBucket,
  ): Promise<CreatedBucket> {
    const site = await this.#siteIn(access, checkedRegion(region));
    const bucket = await makeBucket(site, origin);
    return { region, endpoint: site.endpoint, bucket, pathStyle: site.pathStyle };
  }

  async removeBucket(access: ConnectionAccess, created: CreatedBucket): Promise<void> {
    const { region, endpoint, pathStyle, bucket } = created;
    const session = await exchange(this.#settings, access, checkedRegion(region));
    const name = cloudName(access.connectionId);
    const account = awsRoleOf(access).account;
    await removeBucket({ session, region, endpoint, pathStyle, name, account }, bucket);
  }

  openBucket(access: ConnectionAccess, created: CreatedBucket, limits: OpenLimits): ArtifactBucket {
    const { endpoint, bucket, region, pathStyle } = created;
    const { clock } = this.#settings;
    const sessions = new RenewedSession<S3Session>(
      () => exchange(this.#settings, access, region),
      clock,
    );
    return new RenewedS3Bucket({
      endpoint,
      bucket,
      signingRegion: region,
      pathStyle,
      expectedOwner: awsRoleOf(access).account,
      clock,
      egress: null,
      ...limits,
      session: () => sessions.current(),
      explain: (error, session) => {
        if (error instanceof StoreError && endedSession.has(error.code)) sessions.forget(session);
        return explained(error);
      },
    });
  }

  /** Credentials, and where they are used. */
  async #siteIn(access: ConnectionAccess, region: string) {
    const { partition, account } = awsRoleOf(access);
    const { suffix } = partition;
    const endpoint = endpointOf(this.#settings.endpoints.aws.s3, { region, suffix });
    const name = cloudName(access.connectionId);
    const session = await exchange(this.#settings, access, region);
    return { session, region, endpoint, pathStyle: isPathStyle(endpoint), name, account };
  }
}

/** Codes by which S3 says that a session ended early: it was revoked, or a clock is wrong. */
const endedSession = new Set(["ExpiredToken", "InvalidToken", "InvalidAccessKeyId"]);

/**
 * Checks a region, which becomes part of host names and of the bucket's name of at most 63
 * characters. Any other word could make another party's host: in `REGION.amazonaws.com` only
 * regions end with a number.
 */
function checkedRegion(region: string): string {
  if (region.length <= 32 && /^[a-z]{2,8}(-[a-z]+)+-\d{1,2}$/.test(region)) return region;
  throw new StoreError(
    "InvalidRegion",
    false,
    "AWS has no such region.",
    undefined,
    "A region of AWS is a word like eu-central-1.",
  );
}

/**
 * Whether the bucket is in the path: it cannot precede an IP address, and a port means that the
 * endpoint is not AWS itself.
 */
function isPathStyle(endpoint: string): boolean {
  const { hostname, port } = new URL(endpoint);
  return port !== "" || hostname.startsWith("[") || isIP(hostname) !== 0;
}
