import { createPublicKey, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { createLocalJWKSet, createRemoteJWKSet, jwtVerify, type JWTPayload } from "jose";
import { GoogleRefusal } from "./google-reply.ts";
import { letsIn, type GoogleProject, type Provider } from "./project.ts";

interface Issued {
  member: string;
  expiresAtMs: number;
}

export interface TokenLives {
  federatedMs: number;
  accessMs: number;
}

/** Google's token exchange and service account credentials; a library verifies subject tokens. */
export class GoogleTokens {
  readonly #projects: readonly GoogleProject[];
  readonly #clock: () => number;
  readonly #lives: TokenLives;
  readonly #issued = new Map<string, Issued>();
  readonly #keys = new Map<string, { id: string; privateKey: KeyObject; publicKey: KeyObject }>();

  constructor(projects: readonly GoogleProject[], clock: () => number, lives: TokenLives) {
    this.#projects = projects;
    this.#clock = clock;
    this.#lives = lives;
  }

  /** POST /v1/token. */
  async exchange(body: Record<string, unknown>): Promise<object> {
    if (body.grantType !== "urn:ietf:params:oauth:grant-type:token-exchange")
      throw GoogleRefusal.oauth("unsupported_grant_type", "grantType");
    if (
      body.requestedTokenType !== "urn:ietf:params:oauth:token-type:access_token" ||
      body.subjectTokenType !== "urn:ietf:params:oauth:token-type:jwt" ||
      body.scope !== "https://www.googleapis.com/auth/cloud-platform"
    )
      throw GoogleRefusal.oauth("invalid_request", "token types or scope");
    const { project, provider, pool } = this.#providerOf(String(body.audience));
    const claims = await this.#verified(String(body.subjectToken), provider);
    const source = provider.attributeMapping["google.subject"];
    if (source !== "assertion.sub") throw GoogleRefusal.oauth("invalid_grant", "google.subject");
    const subject = claims.sub ?? "";
    if (subject === "" || Buffer.byteLength(subject) > 127)
      throw GoogleRefusal.oauth("invalid_grant", "The mapped attribute google.subject is invalid.");
    if (!letsIn(provider.attributeCondition, subject))
      throw GoogleRefusal.oauth(
        "unauthorized_client",
        "The given credential is rejected by the attribute condition.",
      );
    const scope = `projects/${project.projectNumber}/locations/global/workloadIdentityPools/${pool}`;
    const member = `principal://iam.googleapis.com/${scope}/subject/${subject}`;
    const lifeMs = this.#lives.federatedMs;
    return {
      access_token: this.#issue("federated", member, lifeMs),
      issued_token_type: "urn:ietf:params:oauth:token-type:access_token",
      token_type: "Bearer",
      expires_in: Math.floor(lifeMs / 1000),
    };
  }

  generateAccessToken(bearer: string, account: string, body: Record<string, unknown>): object {
    this.#requireOn(account, bearer, "iam.serviceAccounts.getAccessToken");
    const scopes = body.scope;
    if (!Array.isArray(scopes) || scopes.length === 0)
      throw GoogleRefusal.api(400, "INVALID_ARGUMENT", "scope");
    const seconds = /^(\d+)s$/.exec(String(body.lifetime ?? "3600s"))?.[1];
    if (seconds === undefined || Number(seconds) > 3_600)
      throw GoogleRefusal.api(400, "INVALID_ARGUMENT", "lifetime");
    const lifeMs = Math.min(this.#lives.accessMs, Number(seconds) * 1000);
    return {
      accessToken: this.#issue("access", `serviceAccount:${account}`, lifeMs),
      expireTime: new Date(this.#clock() + lifeMs).toISOString(),
    };
  }

  signBlob(bearer: string, account: string, body: Record<string, unknown>): object {
    this.#requireOn(account, bearer, "iam.serviceAccounts.signBlob");
    if (typeof body.payload !== "string" || !/^[A-Za-z0-9+/]+=*$/.test(body.payload))
      throw GoogleRefusal.api(400, "INVALID_ARGUMENT", "payload");
    const { id, privateKey } = this.#keyOf(account);
    const signature = sign("RSA-SHA256", Buffer.from(body.payload, "base64"), privateKey);
    return { keyId: id, signedBlob: signature.toString("base64") };
  }

  /** It tells whose a service account's access token is; undefined when it is none or expired. */
  holderOf(bearer: string): string | undefined {
    const issued = this.#issued.get(bearer);
    if (issued === undefined || this.#clock() >= issued.expiresAtMs) return undefined;
    return issued.member;
  }

  publicKeyOf(account: string): KeyObject | undefined {
    return this.#keys.get(account)?.publicKey;
  }

  /** Makes all issued tokens invalid. */
  forgetIssued(): void {
    this.#issued.clear();
  }

  #providerOf(audience: string): { project: GoogleProject; provider: Provider; pool: string } {
    const form =
      /^\/\/iam\.googleapis\.com\/projects\/(\d+)\/locations\/global\/workloadIdentityPools\/([^/]+)\/providers\/([^/]+)$/;
    const [, number, pool = "", name = ""] = form.exec(audience) ?? [];
    const project = this.#projects.find((one) => one.projectNumber === number);
    const provider = project?.providers.get(`${pool}/${name}`);
    if (project === undefined || provider === undefined)
      throw GoogleRefusal.oauth(
        "invalid_target",
        "The target service indicated by the audience parameters is invalid.",
      );
    return { project, provider, pool };
  }

  async #verified(token: string, provider: Provider): Promise<JWTPayload> {
    try {
      const keys = await keysOf(provider);
      const { payload } = await jwtVerify(token, keys, {
        issuer: provider.issuer,
        audience: [...provider.allowedAudiences],
        algorithms: ["RS256"],
        requiredClaims: ["iss", "sub", "aud", "iat", "exp"],
        currentDate: new Date(this.#clock()),
      });
      // Google takes tokens that live a day at most; ours are to live minutes.
      if ((payload.exp ?? 0) - (payload.iat ?? 0) > 600) throw new Error("lives too long");
      return payload;
    } catch (error) {
      throw GoogleRefusal.oauth("invalid_grant", error instanceof Error ? error.message : "token");
    }
  }

  #requireOn(account: string, bearer: string, permission: string): void {
    const member = this.holderOf(bearer);
    if (member === undefined)
      throw GoogleRefusal.api(401, "UNAUTHENTICATED", "Invalid authentication credentials.");
    const project = this.#projects.find((one) => one.accounts.has(account));
    if (project?.services.has("iamcredentials.googleapis.com") === false)
      throw GoogleRefusal.api(403, "PERMISSION_DENIED", "Not switched on.", "SERVICE_DISABLED");
    if (project?.mayOnAccount(member, account, permission) !== true)
      throw GoogleRefusal.api(403, "PERMISSION_DENIED", `Permission '${permission}' denied.`);
  }

  #issue(kind: string, member: string, lifeMs: number): string {
    const token = `ya29.${kind}.${crypto.randomUUID()}`;
    this.#issued.set(token, { member, expiresAtMs: this.#clock() + lifeMs });
    return token;
  }

  #keyOf(account: string) {
    const known = this.#keys.get(account);
    if (known !== undefined) return known;
    const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2_048 });
    const pair = { id: crypto.randomUUID(), privateKey, publicKey: createPublicKey(privateKey) };
    this.#keys.set(account, pair);
    return pair;
  }
}

async function keysOf({ issuer: expected, keys }: Provider) {
  if (keys !== undefined) return createLocalJWKSet(keys);
  const found = await fetch(`${expected}/.well-known/openid-configuration`);
  const { issuer, jwks_uri: address } = (await found.json()) as Record<string, string>;
  if (issuer !== expected || address === undefined) throw new Error("discovery");
  return createRemoteJWKSet(new URL(address), { timeoutDuration: 60_000 });
}
