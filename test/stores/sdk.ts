import {
  CreateBucketCommand,
  GetObjectCommand,
  S3Client,
  UploadPartCommand,
  type S3ClientConfig,
} from "@aws-sdk/client-s3";
import { getSignedUrl } from "@aws-sdk/s3-request-presigner";
import { call, type HttpReply } from "../http.ts";
import type { StoreCoordinates } from "./store.ts";

/**
 * The SDK as the product uses it: by default it would sign every URL with the checksum of an empty
 * body, and stores that look at it refuse the real one. One attempt, so that tests see the answer.
 */
export function clientOf(store: StoreCoordinates, further: S3ClientConfig = {}): S3Client {
  return new S3Client({
    endpoint: store.endpoint,
    region: store.region,
    forcePathStyle: store.pathStyle,
    credentials: { accessKeyId: store.accessKeyId, secretAccessKey: store.secretAccessKey },
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
    maxAttempts: 1,
    ...further,
  });
}

/** A bucket that is there already will do. */
export async function createBucket(store: StoreCoordinates, name: string): Promise<void> {
  const client = clientOf(store);
  try {
    await client.send(new CreateBucketCommand({ Bucket: name }));
  } catch (error) {
    if (!(error instanceof Error && error.name === "BucketAlreadyOwnedByYou")) throw error;
  } finally {
    client.destroy();
  }
}

export interface PartOfUpload {
  Bucket: string;
  Key: string;
  UploadId: string;
  PartNumber: number;
  /** Signed as a header when given: a body of another length is refused. */
  ContentLength?: number;
}

/** When and for how long a URL is signed. */
export interface Signing {
  signedAtMs?: number;
  expiresSeconds?: number;
}

export function presignPart(
  client: S3Client,
  part: PartOfUpload,
  { signedAtMs = Date.now(), expiresSeconds = 3_600 }: Signing = {},
): Promise<string> {
  return getSignedUrl(client, new UploadPartCommand(part), {
    expiresIn: expiresSeconds,
    signingDate: new Date(signedAtMs),
    signableHeaders: new Set(["host", "content-length"]),
  });
}

export function presignGet(
  client: S3Client,
  object: { Bucket: string; Key: string },
  { signedAtMs = Date.now(), expiresSeconds = 3_600 }: Signing = {},
): Promise<string> {
  return getSignedUrl(client, new GetObjectCommand(object), {
    expiresIn: expiresSeconds,
    signingDate: new Date(signedAtMs),
  });
}

/** A client whose requests are altered after they were signed. */
export function tamperingClientOf(
  store: StoreCoordinates,
  alter: (request: TamperedRequest) => void,
): S3Client {
  const client = clientOf(store);
  client.middlewareStack.add(
    (next) => (args) => {
      alter(args.request as TamperedRequest);
      return next(args);
    },
    { step: "finalizeRequest", priority: "low", name: "tamper" },
  );
  return client;
}

export interface TamperedRequest {
  method: string;
  path: string;
  query: Record<string, string>;
  headers: Record<string, string>;
  body: unknown;
}

/** The URL as it is: `fetch` would collapse `..` in its path first. */
export function callUrl(
  url: string,
  method: string,
  body?: Uint8Array | string,
  headers: Record<string, string> = {},
): Promise<HttpReply> {
  const [, origin, path] = /^(https?:\/\/[^/]+)(\/.*)$/.exec(url) ?? [];
  if (origin === undefined || path === undefined) throw new Error(`no absolute URL: ${url}`);
  return call(origin, { method, path, body, headers });
}
