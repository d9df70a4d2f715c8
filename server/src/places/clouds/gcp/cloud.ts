import { GcsBucket } from "../../../buckets/gcs/bucket.ts";
import type { ArtifactBucket } from "../../../buckets/bucket.ts";
import type { ConnectionAccess } from "../../rows/connections/connection.ts";
import { FairShares } from "../../../ground/fair-shares.ts";
import { Slots } from "../../../ground/slots.ts";
import type { Cloud, CloudSettings, CreatedBucket, OpenLimits, WantedBucket } from "../cloud.ts";
import { askForNoBucket, createGcsBucket, removeGcsBucket, type BucketCalls } from "./bucket.ts";
import { callDeadlineMs } from "./call.ts";
import { googleAdvice } from "./failure.ts";
import { GcpCredentials } from "./credentials.ts";

export function gcpCloud(settings: CloudSettings): Cloud {
  return new GcpCloud(settings);
}

const signaturesMax = 128;
/** Time after which unused credentials are forgotten, as those of removed connections are. */
const unusedMs = 10 * 60_000;

interface KeptCredentials {
  identifiers: string;
  credentials: GcpCredentials;
  usedAtMs: number;
}

class GcpCloud implements Cloud {
  readonly #settings: CloudSettings;
  /**
   * Credentials by connection and its identifiers. Drivers keep theirs: forgetting them here costs
   * two calls.
   */
  readonly #credentials = new Map<string, KeptCredentials>();

  /**
   * Limits concurrent signatures: each is a request of its own, and a list of parts has a thousand.
   */
  readonly #signing = new Slots(new FairShares(signaturesMax));

  constructor(settings: CloudSettings) {
    this.#settings = settings;
  }

  /** Verifies, without cached credentials, that the trust exists now and extends to signing. */
  async verify(access: ConnectionAccess): Promise<void> {
    const deadline = AbortSignal.timeout(callDeadlineMs);
    const credentials = new GcpCredentials(access, this.#settings, deadline);
    const calls = await this.#calls(credentials);
    await askForNoBucket(calls, access.connectionId, deadline);
    await credentials.sign("Lossless asks whether it can sign.", deadline);
  }

  async createBucket(access: ConnectionAccess, wanted: WantedBucket): Promise<CreatedBucket> {
    const credentials = this.#credentialsOf(access);
    const calls = await this.#calls(credentials);
    const { projectId } = credentials.identifiers;
    const bucket = await createGcsBucket(calls, projectId, access.connectionId, wanted);
    return { region: wanted.region, endpoint: calls.storage, bucket, pathStyle: true };
  }

  async removeBucket(access: ConnectionAccess, { bucket }: CreatedBucket): Promise<void> {
    await removeGcsBucket(await this.#calls(this.#credentialsOf(access)), bucket);
  }

  openBucket(
    access: ConnectionAccess,
    { endpoint, bucket }: CreatedBucket,
    { deadlineMs }: OpenLimits,
  ): ArtifactBucket {
    const credentials = this.#credentialsOf(access);
    return new GcsBucket({
      endpoint,
      bucket,
      tokens: credentials.accessTokens,
      advice: googleAdvice,
      signer: {
        account: credentials.identifiers.serviceAccountEmail,
        sign: (text, signal) =>
          this.#signing.in(access.organizationId, () => credentials.sign(text, signal), signal),
      },
      clock: this.#settings.clock,
      deadlineMs,
    });
  }

  async #calls(credentials: GcpCredentials): Promise<BucketCalls> {
    const { storage } = this.#settings.endpoints.gcp;
    const { token: bearer } = await credentials.accessTokens.current();
    return { storage, bearer };
  }

  #credentialsOf(access: ConnectionAccess): GcpCredentials {
    const identifiers = JSON.stringify(access.identifiers);
    const nowMs = this.#settings.clock();
    for (const [id, { usedAtMs }] of this.#credentials)
      if (nowMs - usedAtMs > unusedMs) this.#credentials.delete(id);
    const kept = this.#credentials.get(access.connectionId);
    const isSame = kept?.identifiers === identifiers;
    const credentials = isSame ? kept.credentials : new GcpCredentials(access, this.#settings);
    this.#credentials.set(access.connectionId, { identifiers, credentials, usedAtMs: nowMs });
    return credentials;
  }
}
