import { StoreError } from "../../../buckets/bucket.ts";
import type { GcsAccessToken } from "../../../buckets/gcs/bucket.ts";
import { audiences, subjectOf, type ConnectionAccess } from "../../rows/connections/connection.ts";
import type { CloudSettings } from "../cloud.ts";
import { RenewedSession } from "../session.ts";
import { callGoogle } from "./call.ts";
import { invalidReply } from "./failure.ts";

export type GcpIdentifiers = Extract<ConnectionAccess["identifiers"], { cloud: "gcp" }>["gcp"];

/**
 * Credentials of one connection at Google. A token of the service becomes a federated token, of an
 * identity that can only act for the service account: get its access tokens and sign with its key.
 */
export class GcpCredentials {
  readonly identifiers: GcpIdentifiers;
  readonly #settings: CloudSettings;
  readonly #subject: string;
  readonly #deadline: AbortSignal | undefined;
  readonly #federated: RenewedSession<GcsAccessToken>;
  /** Access tokens of the service account. */
  readonly accessTokens: RenewedSession<GcsAccessToken>;

  constructor(
    { organizationId, connectionId, identifiers }: ConnectionAccess,
    settings: CloudSettings,
    /** Bounds everything, where they are for one purpose only; otherwise each call has its own. */
    deadline?: AbortSignal,
  ) {
    if (identifiers.cloud !== "gcp") throw new Error(`BUG: identifiers got ${identifiers.cloud}`);
    this.identifiers = identifiers.gcp;
    this.#settings = settings;
    this.#deadline = deadline;
    this.#subject = subjectOf(organizationId, connectionId);
    this.#federated = new RenewedSession(() => this.#exchange(), settings.clock);
    this.accessTokens = new RenewedSession(() => this.#generateAccessToken(), settings.clock);
  }

  /** Signs by RSA with SHA-256, with the key of the service account that Google keeps. */
  async sign(text: string, signal: AbortSignal): Promise<Buffer> {
    const operation = "signBlob";
    const body = { payload: Buffer.from(text).toString("base64") };
    const { signedBlob } = await this.#asAccount(operation, body, signal);
    if (typeof signedBlob !== "string") throw invalidReply(operation);
    const signature = Buffer.from(signedBlob, "base64");
    // 2,048 bits at least; a shorter one would make an address that is refused.
    if (signature.byteLength < 256) throw invalidReply(operation);
    return signature;
  }

  async #exchange(): Promise<GcsAccessToken> {
    const { tokens, endpoints, clock } = this.#settings;
    const { projectNumber, poolId, providerId } = this.identifiers;
    const pool = `projects/${projectNumber}/locations/global/workloadIdentityPools/${poolId}`;
    const subjectToken = await tokens.mint({ subject: this.#subject, audience: audiences.gcp });
    const operation = "the token exchange";
    const body = {
      grantType: "urn:ietf:params:oauth:grant-type:token-exchange",
      audience: `//iam.googleapis.com/${pool}/providers/${providerId}`,
      scope: cloudPlatform,
      requestedTokenType: "urn:ietf:params:oauth:token-type:access_token",
      subjectTokenType: "urn:ietf:params:oauth:token-type:jwt",
      subjectToken,
    };
    const askedAtMs = clock();
    const url = `${endpoints.gcp.sts}/v1/token`;
    const reply = await callGoogle({ operation, method: "POST", url, body }, this.#deadline);
    const { access_token: token, expires_in: seconds } = reply;
    if (typeof token !== "string" || typeof seconds !== "number" || !(seconds > 0))
      throw invalidReply(operation);
    return { token, expiresAtMs: askedAtMs + seconds * 1000 };
  }

  async #generateAccessToken(): Promise<GcsAccessToken> {
    const operation = "generateAccessToken";
    const body = { scope: [cloudPlatform], lifetime: "3600s" };
    const { accessToken: token, expireTime } = await this.#asAccount(
      operation,
      body,
      this.#deadline,
    );
    const expiresAtMs = typeof expireTime === "string" ? Date.parse(expireTime) : Number.NaN;
    if (typeof token !== "string" || Number.isNaN(expiresAtMs)) throw invalidReply(operation);
    return { token, expiresAtMs };
  }

  /** A federated token that Google has forgotten, since the trust was changed, is replaced once. */
  async #asAccount(
    operation: string,
    body: object,
    signal?: AbortSignal,
  ): Promise<Record<string, unknown>> {
    const { iamCredentials } = this.#settings.endpoints.gcp;
    const account = encodeURIComponent(this.identifiers.serviceAccountEmail);
    const url = `${iamCredentials}/v1/projects/-/serviceAccounts/${account}:${operation}`;
    const call = { operation, method: "POST", url, body } as const;
    const federated = await this.#federated.current();
    try {
      return await callGoogle({ ...call, bearer: federated.token }, signal);
    } catch (error) {
      if (!(error instanceof StoreError && error.code === "UNAUTHENTICATED")) throw error;
      this.#federated.forget(federated);
      const { token: bearer } = await this.#federated.current();
      return callGoogle({ ...call, bearer }, signal);
    }
  }
}

const cloudPlatform = "https://www.googleapis.com/auth/cloud-platform";
