import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../buckets/bucket.ts";
import type { S3Session } from "../../../buckets/s3/renewed.ts";
import { S3ControlClient, type S3Sdk } from "../../../buckets/s3/client.ts";
import { withLeftBehind } from "../left-behind.ts";
import { explained } from "./s3-failure.ts";

/** Where the buckets of one connection are made. */
export interface BucketSite {
  session: S3Session;
  region: string;
  endpoint: string;
  pathStyle: boolean;
  /** Prefix of the names of the connection's buckets. */
  name: string;
  /** The account that its buckets belong to. */
  account: string;
}

/**
 * Makes a call that changes nothing. S3 tells only known and permitted callers that a bucket of a
 * fresh name does not exist.
 */
export async function headBucket(site: BucketSite): Promise<void> {
  const bucket = freshName(site);
  await withClient(site, async (client) => {
    const command = (sdk: S3Sdk) => new sdk.HeadBucketCommand({ Bucket: bucket });
    await client.send("HeadBucket", command, headMs).catch((error: unknown) => {
      const isAbsent = error instanceof StoreError && absent.has(error.code);
      if (!isAbsent) throw error;
    });
  });
}

/** Makes a private bucket that expires unfinished uploads; returns its name. */
export async function makeBucket(site: BucketSite, origin: string): Promise<string> {
  return withClient(site, async (client) => {
    const endsAtMs = performance.now() + makeMs;
    const bucket = await create(client, site, endsAtMs);
    try {
      for (const send of settingsOf(bucket, site.account, origin))
        await patiently(() => send(client, left(endsAtMs)), endsAtMs);
      return bucket;
    } catch (error) {
      await removeAfter(error, client, site, bucket);
      throw error;
    }
  });
}

/** Removes a bucket. A missing one is no error; one that is not empty is. */
export function removeBucket(site: BucketSite, bucket: string): Promise<void> {
  return withClient(site, (client) => remove(client, site, bucket));
}

const headMs = 12_000;
const makeMs = 10_000;
const removeMs = 5_000;
const namesMax = 4;
const absent = new Set(["NotFound", "NoSuchBucket", "HTTP 404"]);

async function create(
  client: S3ControlClient,
  site: BucketSite,
  endsAtMs: number,
): Promise<string> {
  for (let attempt = 1; ; attempt++) {
    const bucket = freshName(site);
    // The one region that must not be named.
    const where = site.region === "us-east-1" ? {} : configurationOf(site.region);
    const command = (sdk: S3Sdk) => new sdk.CreateBucketCommand({ Bucket: bucket, ...where });
    try {
      await client.send("CreateBucket", command, left(endsAtMs));
      return bucket;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // The reply to a first attempt was lost.
      if (error.code === "BucketAlreadyOwnedByYou") return bucket;
      if (error.transient) await removeAfter(error, client, site, bucket);
      // Names are one space for all customers of AWS.
      if (error.code !== "BucketAlreadyExists" || attempt === namesMax) throw error;
    }
  }
}

function configurationOf(region: string) {
  return { CreateBucketConfiguration: { LocationConstraint: region as BucketRegion } };
}

type BucketRegion = NonNullable<
  NonNullable<
    ConstructorParameters<S3Sdk["CreateBucketCommand"]>[0]["CreateBucketConfiguration"]
  >["LocationConstraint"]
>;

function settingsOf(bucket: string, account: string, origin: string) {
  const named = { Bucket: bucket, ExpectedBucketOwner: account };
  const access = (sdk: S3Sdk) =>
    new sdk.PutPublicAccessBlockCommand({
      ...named,
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        IgnorePublicAcls: true,
        BlockPublicPolicy: true,
        RestrictPublicBuckets: true,
      },
    });
  const lifecycle = (sdk: S3Sdk) =>
    new sdk.PutBucketLifecycleConfigurationCommand({
      ...named,
      LifecycleConfiguration: {
        Rules: [
          {
            ID: "unfinished-uploads",
            Status: "Enabled",
            Filter: { Prefix: "" },
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
          },
        ],
      },
    });
  const cors = (sdk: S3Sdk) =>
    new sdk.PutBucketCorsCommand({
      ...named,
      CORSConfiguration: {
        CORSRules: [
          {
            AllowedMethods: ["GET", "HEAD"],
            AllowedOrigins: [origin],
            AllowedHeaders: ["range"],
            ExposeHeaders: ["Content-Length", "Content-Range", "ETag"],
            MaxAgeSeconds: 3_600,
          },
        ],
      },
    });
  return [
    (client: S3ControlClient, ms: number) => client.send("PutPublicAccessBlock", access, ms),
    (client: S3ControlClient, ms: number) => client.send("PutBucketLifecycle", lifecycle, ms),
    (client: S3ControlClient, ms: number) => client.send("PutBucketCors", cors, ms),
  ];
}

async function remove(client: S3ControlClient, site: BucketSite, bucket: string): Promise<void> {
  const command = (sdk: S3Sdk) =>
    new sdk.DeleteBucketCommand({ Bucket: bucket, ExpectedBucketOwner: site.account });
  await client.send("DeleteBucket", command, removeMs).catch((error: unknown) => {
    if (!(error instanceof StoreError && absent.has(error.code))) throw error;
  });
}

/**
 * Removes a bucket after a failure and throws that failure with the bucket's name: it says more
 * than why removal failed.
 */
async function removeAfter(
  failure: unknown,
  client: S3ControlClient,
  site: BucketSite,
  bucket: string,
): Promise<void> {
  await remove(client, site, bucket).catch(() => {
    throw withLeftBehind(explained(failure), `bucket ${bucket}`);
  });
}

/** A bucket that was just made is not there for every one of S3's machines at once. */
async function patiently(work: () => Promise<unknown>, endsAtMs: number): Promise<void> {
  for (let pauseMs = 250; ; pauseMs *= 2) {
    try {
      await work();
      return;
    } catch (error) {
      const isYoung =
        error instanceof StoreError && /^(OperationAborted|NoSuchBucket)$/.test(error.code);
      if (!isYoung || performance.now() + pauseMs >= endsAtMs) throw error;
      await sleep(pauseMs);
    }
  }
}

function left(endsAtMs: number): number {
  return Math.max(1, Math.ceil(endsAtMs - performance.now()));
}

function freshName({ name, region }: BucketSite): string {
  return `${name}-${region}-${randomBytes(4).toString("hex")}`;
}

async function withClient<Result>(
  site: BucketSite,
  work: (client: S3ControlClient) => Promise<Result>,
): Promise<Result> {
  const { accessKeyId, secretAccessKey, sessionToken } = site.session;
  const client = new S3ControlClient(
    {
      endpoint: site.endpoint,
      bucket: "",
      signingRegion: site.region,
      pathStyle: site.pathStyle,
      accessKeyId,
      secretAccessKey,
      sessionToken,
      egress: null,
    },
    headMs,
  );
  try {
    return await work(client);
  } catch (error) {
    throw explained(error);
  } finally {
    client.destroy();
  }
}
