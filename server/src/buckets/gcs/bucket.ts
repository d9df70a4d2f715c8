import { type PartLimits, type Signed, StoreError } from "../bucket.ts";
import { gcsAddresses, type GcsTarget, type RemoteSigner } from "./addresses.ts";
import type { OutgoingRequest } from "../s3/transport.ts";
import { S3Bucket } from "../s3/bucket.ts";
import type { RequestToSign } from "../s3/sigv4.ts";

export interface GcsAccessToken {
  token: string;
  expiresAtMs: number;
}

export interface AccessTokens {
  current(): Promise<GcsAccessToken>;
  /** The store does not take it any more, though its end has not come. */
  forget(token: GcsAccessToken): void;
}

export interface GcsSettings extends GcsTarget {
  /** Access tokens of a service account that may use the bucket. */
  tokens: AccessTokens;
  signer: RemoteSigner;
  /** Advice on a refusal, by the store's code. */
  advice: Readonly<Record<string, string>>;
  clock: () => number;
  /** Bounds every call with all its attempts, and all signatures of one list. */
  deadlineMs?: number | undefined;
}

/**
 * A bucket of Google Cloud Storage, by its XML interface, which has the form of S3: control calls
 * are those of S3Bucket with a token instead of a signature. Google signs addresses, one call each.
 */
export class GcsBucket extends S3Bucket {
  override readonly limits: PartLimits = {
    partsMax: 10_000,
    partBytesMin: 5 * 2 ** 20,
    partBytesMax: 5 * 2 ** 30,
    partsPerUploadMax: 1_000,
  };
  readonly #settings: GcsSettings;

  constructor(settings: GcsSettings) {
    const { endpoint, bucket, tokens, advice, deadlineMs } = settings;
    super({
      endpoint,
      bucket,
      signingRegion: "auto",
      pathStyle: true,
      // Placeholder: the SDK's signature is removed again.
      accessKeyId: "none",
      secretAccessKey: "none",
      egress: null,
      deadlineMs,
      advice,
      through: async (request, send) => {
        const token = await tokens.current();
        const reply = await send(asGoogleTakesIt(request, token));
        if (reply.response.statusCode !== 401) return reply;
        tokens.forget(token);
        return send(asGoogleTakesIt(request, await tokens.current()));
      },
    });
    this.#settings = settings;
  }

  override async startUpload(key: string): Promise<string> {
    refuseReserved(key);
    return super.startUpload(key);
  }

  override async put(key: string, parts: readonly Uint8Array[]): Promise<void> {
    refuseReserved(key);
    return super.put(key, parts);
  }

  protected override async sign(
    requests: readonly RequestToSign[],
    lifetimeMs: number,
  ): Promise<Signed<string>> {
    const { signer, clock, deadlineMs = usualDeadlineMs } = this.#settings;
    const deadline = AbortSignal.timeout(deadlineMs);
    const moment = { nowMs: clock(), lifetimeMs, deadline };
    const signed = gcsAddresses(this.#settings, signer, requests, moment);
    return signed.catch((error: unknown) => {
      if (!deadline.aborted) throw error;
      throw new StoreError("timeout", true, "The store failed at signBlob: timeout.");
    });
  }
}

const usualDeadlineMs = 30_000;

/** A request with both kinds of extension headers, or any of the other store's, is refused. */
function asGoogleTakesIt(request: OutgoingRequest, { token }: GcsAccessToken): OutgoingRequest {
  const headers = Object.entries(request.headers).filter(
    ([name]) => !/^(authorization$|x-amz-|amz-sdk-)/i.test(name),
  );
  const query = Object.entries(request.query ?? {}).filter(([name]) => name !== "x-id");
  return {
    ...request,
    query: Object.fromEntries(query),
    headers: { ...Object.fromEntries(headers), authorization: `Bearer ${token}` },
  };
}

/**
 * Refuses names that Google reserves for web sites' certificates; no key has the other names that
 * it refuses.
 */
function refuseReserved(key: string): void {
  if (!key.startsWith(".well-known/acme-challenge/")) return;
  const advice = "Choose another path: Google Cloud Storage takes no name that begins so.";
  throw new StoreError("reserved name", false, "The store refuses this name.", undefined, advice);
}
