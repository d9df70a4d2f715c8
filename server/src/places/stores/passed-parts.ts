import { setTimeout as sleep } from "node:timers/promises";
import { type ArtifactBucket, type PartToSign, StoreError } from "../../buckets/bucket.ts";
import type { EgressPolicy } from "../../buckets/egress.ts";
import type { StoredLocation } from "../rows/locations/location.ts";
import { limits } from "@lossless/protocol/limits";
import type { BuiltInObjects } from "./signed-objects.ts";
import { type SignedReply, SignedRequests } from "./signed-requests.ts";

/** Destination of a part. */
export interface PartPlace {
  location: StoredLocation;
  bucket: ArtifactBucket;
}

/** Parts of files that pass through the service on their way to a store. */
export interface PassedParts {
  /** Sends a part; resolves with its ETag, empty where the store has none. */
  send(place: PartPlace, part: PartToSign, pieces: readonly Uint8Array[]): Promise<string>;
  /** A whole object of the built-in location, as it comes; resolves when it is stable. */
  put(
    object: { key: string; sizeBytes: number },
    body: AsyncIterable<readonly Uint8Array[]>,
  ): Promise<void>;
}

const triesMax = 4;
const pauseMs = 200;
const deadlineMs = 30_000;
/** A large part gets more time, as if the line were so slow. */
const slowestBytesPerMs = 1_000;

/** Sends parts as the clients of v1 do: to the built-in location, or to signed addresses. */
export class PassingParts implements PassedParts, Disposable {
  readonly #objects: BuiltInObjects;
  readonly #requests: SignedRequests;

  constructor(objects: BuiltInObjects, egress: EgressPolicy) {
    this.#objects = objects;
    this.#requests = new SignedRequests(egress.agents());
  }

  put(
    object: { key: string; sizeBytes: number },
    body: AsyncIterable<readonly Uint8Array[]>,
  ): Promise<void> {
    return this.#objects.passObject(object, body);
  }

  async send(
    { location, bucket }: PartPlace,
    part: PartToSign,
    pieces: readonly Uint8Array[],
  ): Promise<string> {
    if (location.driver === "built-in") return this.#objects.passPart(part, once(pieces));
    const body = Buffer.concat(pieces);
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#try(bucket, part, body);
      if (typeof outcome === "string") return outcome;
      if (!outcome.transient || attempt === triesMax) throw outcome;
      await sleep(pauseMs * 2 ** attempt);
    }
  }

  async #try(
    bucket: ArtifactBucket,
    part: PartToSign,
    body: Uint8Array,
  ): Promise<string | StoreError> {
    const { addresses } = await bucket.signParts([part], limits.signedUrlLifetimeMs);
    const { url, headers } = addresses[0];
    const signal = AbortSignal.timeout(deadlineMs + Math.ceil(body.length / slowestBytesPerMs));
    let reply: SignedReply;
    try {
      reply = await this.#requests.put(url, headers, body, signal);
    } catch (error) {
      if (error instanceof StoreError) return error;
      const code = signal.aborted ? "timeout" : ((error as NodeJS.ErrnoException).code ?? "failed");
      return new StoreError(code, true, "The store did not accept a part.", error);
    }
    if (reply.status === 200 || reply.status === 201) return reply.etag ?? "";
    const isTransient = reply.status >= 500 || reply.status === 429 || reply.status === 408;
    return new StoreError(`HTTP ${reply.status}`, isTransient, "The store refused a part.");
  }

  [Symbol.dispose](): void {
    this.#requests[Symbol.dispose]();
  }
}

async function* once(pieces: readonly Uint8Array[]): AsyncGenerator<readonly Uint8Array[]> {
  if (pieces.length > 0) yield pieces;
}
