import { randomUUID } from "node:crypto";
import { createRemoteJWKSet, errors, jwtVerify, SignJWT, type JWTPayload } from "jose";
import type { DoubleReply } from "./blob-requests.ts";

/** It is a tenant's application, its federated credential and its roles in its resource group. */
export interface AzureApplication {
  tenantId: string;
  clientId: string;
  subscriptionId: string;
  resourceGroup: string;
  /** Where the double finds the issuer's documents is the issuer itself. */
  issuer: string;
  subject: string;
  audience: string;
  roles: readonly string[];
}

/** Entra's token endpoint: takes a client assertion of the trusted issuer, and nothing else. */
export class EntraDouble {
  readonly applications: AzureApplication[] = [];
  readonly forms: URLSearchParams[] = [];
  /** `kid` of every assertion that was taken. */
  readonly keysSeen: string[] = [];
  #secret: Uint8Array;
  readonly #keySets = new Map<string, ReturnType<typeof createRemoteJWKSet>>();

  constructor(secret: Uint8Array) {
    this.#secret = secret;
  }

  /** Tokens that were given so far are good for nothing any more. */
  revokeTokens(): void {
    this.#secret = crypto.getRandomValues(new Uint8Array(32));
  }

  async answer(tenantId: string, form: URLSearchParams): Promise<DoubleReply> {
    this.forms.push(form);
    const ofTenant = this.applications.filter((one) => one.tenantId === tenantId);
    if (ofTenant.length === 0) return refusal(90002, "invalid_request", 400);
    const application = ofTenant.find(({ clientId }) => clientId === form.get("client_id"));
    if (application === undefined) return refusal(700016, "unauthorized_client", 400);
    const isAssertion =
      form.get("grant_type") === "client_credentials" &&
      form.get("client_assertion_type") ===
        "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
    if (!isAssertion) return refusal(900144, "invalid_request", 400);
    const resource = /^(https:\/\/(?:storage|management)\.azure\.com)\/\.default$/.exec(
      form.get("scope") ?? "",
    )?.[1];
    if (resource === undefined) return refusal(70011, "invalid_scope", 400);
    const problem = await this.#problemOf(form.get("client_assertion") ?? "", application);
    if (problem !== undefined) return refusal(problem, "invalid_client", 401);
    const body = {
      token_type: "Bearer",
      expires_in: 3_599,
      access_token: await this.#token(application, resource),
    };
    return { status: 200, body: JSON.stringify(body) };
  }

  /** It gives the token's application; undefined when the token is not good for the resource. */
  async applicationOf(token: string, resource: string): Promise<AzureApplication | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#secret, { audience: resource });
      return this.applications.find(({ clientId }) => clientId === payload.appid);
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined;
      throw error;
    }
  }

  async #problemOf(assertion: string, trusted: AzureApplication): Promise<number | undefined> {
    let keys = this.#keySets.get(trusted.issuer);
    if (keys === undefined) {
      const url = new URL(`${trusted.issuer}/.well-known/jwks.json`);
      // Entra reads the keys again when it meets an unknown one.
      keys = createRemoteJWKSet(url, { cooldownDuration: 0, timeoutDuration: 60_000 });
      this.#keySets.set(trusted.issuer, keys);
    }
    let payload: JWTPayload;
    try {
      const verified = await jwtVerify(assertion, keys, {
        algorithms: ["RS256"],
        requiredClaims: ["iss", "sub", "aud", "exp"],
      });
      payload = verified.payload;
      this.keysSeen.push(verified.protectedHeader.kid ?? "");
    } catch (error) {
      if (error instanceof errors.JWTExpired) return 700024;
      if (error instanceof errors.JOSEError) return 700027;
      return 50166;
    }
    if (payload.iss !== trusted.issuer) return 700211;
    if (payload.aud !== trusted.audience) return 700212;
    return payload.sub === trusted.subject ? undefined : 700213;
  }

  /** As Azurite wants it too: it looks at all of this but the signature. */
  #token({ tenantId, clientId }: AzureApplication, resource: string): Promise<string> {
    return new SignJWT({ appid: clientId, oid: clientId, tid: tenantId, jti: randomUUID() })
      .setProtectedHeader({ alg: "HS256", typ: "JWT" })
      .setIssuer(`https://sts.windows.net/${tenantId}/`)
      .setAudience(resource)
      .setSubject(clientId)
      .setIssuedAt()
      .setNotBefore("0s")
      .setExpirationTime("1h")
      .sign(this.#secret);
  }
}

function refusal(number: number, error: string, status: number): DoubleReply {
  const error_description = `AADSTS${number}: some words, and never the whole truth.`;
  return { status, body: JSON.stringify({ error, error_description, error_codes: [number] }) };
}
