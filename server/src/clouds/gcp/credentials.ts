import { audiences, subjectOf, type ConnectionAccess } from "../../connections/connection.ts";
import type { CloudSettings } from "../cloud.ts";
import { RenewedSession, type Session } from "../session.ts";
import { callGoogle } from "./call.ts";
import { invalidReply } from "./failure.ts";

export type GcpIdentifiers = Extract<ConnectionAccess["identifiers"], { cloud: "gcp" }>["gcp"];

interface Token extends Session {
  token: string;
}

/**
 * What one connection may do at Google. A token of ours becomes a federated token, of an identity that can do
 * one thing only: act for the service account, which is to get an access token of it and to sign with its key.
 */
export class GcpCredentials {
  readonly identifiers: GcpIdentifiers;
  readonly #settings: CloudSettings;
  readonly #subject: string;
  readonly #federated: RenewedSession<Token>;
  readonly #account: RenewedSession<Token>;

  constructor(
    { organizationId, connectionId, identifiers }: ConnectionAccess,
    settings: CloudSettings,
  ) {
    if (identifiers.cloud !== "gcp") throw new Error(`BUG: identifiers got ${identifiers.cloud}`);
    this.identifiers = identifiers.gcp;
    this.#settings = settings;
    this.#subject = subjectOf(organizationId, connectionId);
    this.#federated = new RenewedSession(() => this.#exchange(), settings.clock);
    this.#account = new RenewedSession(() => this.#generateAccessToken(), settings.clock);
  }

  /** Of the service account. */
  async accessToken(): Promise<string> {
    return (await this.#account.current()).token;
  }

  /** RSA with SHA-256, by the key of the service account that Google keeps. */
  async sign(text: string, signal?: AbortSignal): Promise<Buffer> {
    const operation = "signBlob";
    const { token: bearer } = await this.#federated.current();
    const body = { payload: Buffer.from(text).toString("base64") };
    const url = this.#accountAddress(operation);
    const reply = await callGoogle({ operation, method: "POST", url, bearer, body }, signal);
    const { signedBlob } = reply;
    if (typeof signedBlob !== "string") throw invalidReply(operation);
    const signature = Buffer.from(signedBlob, "base64");
    // 2,048 bits at least; a shorter one would be an address that nobody takes.
    if (signature.byteLength < 256) throw invalidReply(operation);
    return signature;
  }

  async #exchange(): Promise<Token> {
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
    const reply = await callGoogle({ operation, method: "POST", url, body });
    const { access_token: token, expires_in: seconds } = reply;
    if (typeof token !== "string" || typeof seconds !== "number" || !(seconds > 0))
      throw invalidReply(operation);
    return { token, expiresAtMs: askedAtMs + seconds * 1000 };
  }

  async #generateAccessToken(): Promise<Token> {
    const operation = "generateAccessToken";
    const { token: bearer } = await this.#federated.current();
    const body = { scope: [cloudPlatform], lifetime: "3600s" };
    const url = this.#accountAddress(operation);
    const reply = await callGoogle({ operation, method: "POST", url, bearer, body });
    const { accessToken: token, expireTime } = reply;
    const expiresAtMs = typeof expireTime === "string" ? Date.parse(expireTime) : Number.NaN;
    if (typeof token !== "string" || Number.isNaN(expiresAtMs)) throw invalidReply(operation);
    return { token, expiresAtMs };
  }

  #accountAddress(operation: string): string {
    const { iamCredentials } = this.#settings.endpoints.gcp;
    const account = encodeURIComponent(this.identifiers.serviceAccountEmail);
    return `${iamCredentials}/v1/projects/-/serviceAccounts/${account}:${operation}`;
  }
}

const cloudPlatform = "https://www.googleapis.com/auth/cloud-platform";
