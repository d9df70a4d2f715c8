import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { StoreError } from "../../../buckets/bucket.ts";
import { cloudName } from "../../rows/connections/connection.ts";
import type { WantedBucket } from "../cloud.ts";
import { withLeftBehind } from "../left-behind.ts";
import { callDeadlineMs, callGoogle, callOnce, type GoogleCall } from "./call.ts";

export interface BucketCalls {
  /** Address of Cloud Storage. */
  storage: string;
  bearer: string;
}

/**
 * Makes a bucket of this connection and returns its name. Where a name is taken, the next is tried.
 */
export async function createGcsBucket(
  calls: BucketCalls,
  projectId: string,
  connectionId: string,
  wanted: WantedBucket,
): Promise<string> {
  const deadline = AbortSignal.timeout(callDeadlineMs);
  const operation = "making a bucket";
  const url = `${calls.storage}/storage/v1/b?project=${encodeURIComponent(projectId)}`;
  for (let pauseMs = pauseMsFirst; ; pauseMs *= 2) {
    const name = newName(connectionId, wanted.region);
    const body = bucketBody(name, wanted);
    const call: GoogleCall = { operation, method: "POST", url, body, bearer: calls.bearer };
    try {
      await callOnce(call, deadline);
      return name;
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const isTaken = error.code === "conflict" || error.code === "HTTP 409";
      // About one bucket in two seconds may be made in a project.
      const isAskedToWait = error.code === "rateLimitExceeded" || error.code === "HTTP 429";
      // After any other transient failure it is unknown whether the bucket was made.
      if (error.transient && !isAskedToWait) {
        await removeGcsBucket(calls, name).catch(() => {
          throw withLeftBehind(error, `bucket ${name}`);
        });
      }
      if (!(isTaken || isAskedToWait) || deadline.aborted || pauseMs > pauseMsMax) throw error;
      if (isAskedToWait)
        await sleep(pauseMs, undefined, { signal: deadline }).catch(() => undefined);
    }
  }
}

/** An absent one is no error. */
export async function removeGcsBucket(calls: BucketCalls, name: string): Promise<void> {
  const url = bucketAddress(calls.storage, name);
  const operation = "removing a bucket";
  await callGoogle({ operation, method: "DELETE", url, bearer: calls.bearer }).catch(unlessMissing);
}

/**
 * Asks for a bucket that there never is. It is missing, or "forbidden, or it may not exist": a
 * permission that holds for names of buckets does not reach one that is in no project. Either says
 * that the storage knows the token.
 */
export async function askForNoBucket(
  calls: BucketCalls,
  connectionId: string,
  deadline: AbortSignal,
): Promise<void> {
  const url = bucketAddress(calls.storage, `${cloudName(connectionId)}-none`);
  const operation = "asking for a bucket";
  try {
    await callGoogle({ operation, method: "GET", url, bearer: calls.bearer }, deadline);
  } catch (error) {
    const isForbidden = error instanceof StoreError && forbidden.has(error.code);
    if (!isForbidden) unlessMissing(error);
  }
}

/** Headers that a web page may send and read besides the usual ones. */
const responseHeader = ["Content-Range", "ETag", "Range"];
const pauseMsFirst = 1_000;
const pauseMsMax = 8_000;

function newName(connectionId: string, region: string): string {
  const random = randomBytes(4).toString("hex");
  return `${cloudName(connectionId)}-${region.toLowerCase()}-${random}`;
}

function bucketBody(name: string, { region, origin }: WantedBucket): object {
  return {
    name,
    location: region,
    iamConfiguration: {
      uniformBucketLevelAccess: { enabled: true },
      publicAccessPrevention: "enforced",
    },
    // Parts of an unfinished upload would otherwise be kept and billed for ever.
    lifecycle: {
      rule: [{ action: { type: "AbortIncompleteMultipartUpload" }, condition: { age: 7 } }],
    },
    // Objects that the sweeper removes belong to no version: they would be kept and billed a week
    // longer.
    softDeletePolicy: { retentionDurationSeconds: "0" },
    cors: [{ origin: [origin], method: ["GET"], responseHeader, maxAgeSeconds: 3_600 }],
  };
}

function bucketAddress(storage: string, name: string): string {
  return `${storage}/storage/v1/b/${encodeURIComponent(name)}`;
}

const forbidden = new Set(["forbidden", "HTTP 403"]);

function unlessMissing(error: unknown): void {
  const isMissing =
    error instanceof StoreError && (error.code === "notFound" || error.code === "HTTP 404");
  if (!isMissing) throw error;
}
