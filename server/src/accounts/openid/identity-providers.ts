import { limits } from "@lossless/protocol/limits";
import type { Configuration, CustomFetch, IDToken, ServerMetadata } from "openid-client";
import type { EgressPolicy } from "../../buckets/egress.ts";
import { ServiceError } from "../../ground/errors.ts";
import type { Sealing } from "../../ground/sealing.ts";
import {
  type ProviderSettings,
  signOnSecretContext,
  type StoredSignOn,
} from "../rows/sign-on/setting.ts";
import { type Attempt, newAttempt, openAttempt, sealAttempt } from "./attempt.ts";
import { type Claims, emailOf, groupsOf, type ToldEmail } from "./claims.ts";
import { clientAuthentications, isUnknownClient } from "./client-authentication.ts";
import { failureSentence } from "./failure.ts";
import { judgedFetch } from "./judged-fetch.ts";

/** Age at which metadata is read again. Keys are read again when a token names an unknown one. */
const metadataKeptMs = 60 * 60 * 1_000;
const providersKeptMax = 1_000;
/** Tolerated difference between the provider's clock and ours. */
const clockToleranceSeconds = 30;
/** Timeout of openid-client; longer than that of judged-fetch, which ends first. */
const requestSeconds = 15;

export interface IdentityProviderSettings {
  egress: EgressPolicy;
  sealing: Sealing;
  clock: () => number;
  /** Returns `{base_url}`, under which providers know the service. */
  baseUrl: () => string;
}

/**
 * The address to which a browser is redirected, and the cookie that it keeps until it comes back.
 */
export interface BegunSignOn {
  address: string;
  cookie: string;
  lifetimeMs: number;
}

/** The person for whom the provider vouches. */
export interface Vouched extends ToldEmail {
  revision: number;
  issuer: string;
  subject: string;
  groups: string[];
  /**
   * Set when the provider identified the person but sent less than is needed: the sign-in is
   * refused.
   */
  failure?: ServiceError;
}

type Client = Pick<StoredSignOn, "issuer" | "clientId">;

/**
 * Client of the organizations' identity providers: OpenID Connect, code flow with PKCE, state and
 * nonce; the signature of the ID token is checked. Each organization has its own redirect address,
 * so that no provider's reply can be passed off as another's (RFC 9700 4.4).
 */
export class IdentityProviders implements Disposable {
  readonly #settings: IdentityProviderSettings;
  readonly #requests: ReturnType<typeof judgedFetch>;
  readonly #known = new Map<
    string,
    { revision: number; readAtMs: number; found: Promise<Configuration[]> }
  >();

  constructor(settings: IdentityProviderSettings) {
    this.#settings = settings;
    this.#requests = judgedFetch(settings.egress);
  }

  [Symbol.dispose](): void {
    this.#requests.close();
  }

  /** Returns the redirect address to register at the provider. */
  redirectAddress(organizationId: string): string {
    return `${this.startAddress(organizationId)}/callback`;
  }

  startAddress(organizationId: string): string {
    return `${this.#settings.baseUrl()}/sign-on/${organizationId}`;
  }

  /** Seals a client secret; null for a public client, which has none. */
  seal(organizationId: string, secret: string | null): Uint8Array {
    return this.#settings.sealing.seal(secret ?? "", signOnSecretContext(organizationId));
  }

  /** Opens a sealed client secret; null for a public client. Throws SealBroken. */
  secretOf({
    organizationId,
    sealedSecret,
  }: Pick<StoredSignOn, "organizationId" | "sealedSecret">) {
    const secret = this.#settings.sealing.open(sealedSecret, signOnSecretContext(organizationId));
    return secret === "" ? null : secret;
  }

  /**
   * Reads the provider's metadata; throws `bad_request` or `upstream` where they are unusable.
   * `secret` is undefined where the stored one stays.
   */
  async check(settings: ProviderSettings, secret: string | null | undefined): Promise<void> {
    const [config] = await this.#discover(settings, secret ?? "");
    const { authorization_endpoint, token_endpoint, jwks_uri } = config.serverMetadata();
    if (
      authorization_endpoint !== undefined &&
      token_endpoint !== undefined &&
      jwks_uri !== undefined
    )
      return;
    throw new ServiceError(
      "bad_request",
      "The provider's metadata lacks authorization_endpoint, token_endpoint or jwks_uri.",
    );
  }

  async begin(provider: StoredSignOn, next: string | undefined): Promise<BegunSignOn> {
    const { organizationId, revision, scopes } = provider;
    const { buildAuthorizationUrl, calculatePKCECodeChallenge } = await import("openid-client");
    const [config] = await this.#configurations(provider);
    const lifetimeMs = limits.signOnLifetimeMs;
    const expiresAtMs = this.#settings.clock() + lifetimeMs;
    const attempt = newAttempt({ organizationId, revision, next, expiresAtMs });
    const address = buildAuthorizationUrl(config, {
      redirect_uri: this.redirectAddress(organizationId),
      scope: scopes,
      response_type: "code",
      state: attempt.state,
      nonce: attempt.nonce,
      code_challenge: await calculatePKCECodeChallenge(attempt.verifier),
      code_challenge_method: "S256",
    });
    return {
      address: address.href,
      cookie: sealAttempt(this.#settings.sealing, attempt),
      lifetimeMs,
    };
  }

  /**
   * Opens the attempt in a cookie; undefined unless it was begun for this organization and is
   * valid.
   */
  attempt(organizationId: string, cookie: string): Attempt | undefined {
    const found = openAttempt(this.#settings.sealing, cookie, this.#settings.clock());
    return found?.organizationId === organizationId ? found : undefined;
  }

  /**
   * Finishes a sign-in. `query` is the part behind the `?` of the address to which the browser
   * returned.
   */
  async finish(provider: StoredSignOn, attempt: Attempt, query: string): Promise<Vouched> {
    const { organizationId, issuer, revision, groupsClaim, name } = provider;
    const configs = await this.#configurations(provider);
    const address = new URL(`${this.redirectAddress(organizationId)}?${query}`);
    const asked = attempt.revision === revision ? attempt : undefined;
    if (asked === undefined) throw changed();
    const { config, tokens } = await exchange(configs, address, asked).catch((error: unknown) => {
      throw asRefusal(error, name);
    });
    const token = tokens.claims();
    if (token === undefined) throw new Error("BUG: an ID token was expected and is not there");
    const known = { revision, issuer, subject: token.sub };
    let claims: Claims = token;
    try {
      claims = await this.#allClaims(provider, config, token, tokens.access_token);
      const groups = groupsClaim === null ? [] : groupsOf(claims, groupsClaim);
      return { ...known, ...emailOf(claims, issuer), groups };
    } catch (error) {
      const failure = asRefusal(error, name);
      return { ...known, ...emailOf(claims, issuer), groups: [], failure };
    }
  }

  /**
   * Returns the claims of the ID token; where it lacks a needed one, also those of the userinfo
   * endpoint.
   */
  async #allClaims(
    { groupsClaim }: StoredSignOn,
    config: Configuration,
    token: IDToken,
    accessToken: string,
  ): Promise<Claims> {
    const isWhole =
      token["email"] !== undefined && (groupsClaim === null || token[groupsClaim] !== undefined);
    if (isWhole || config.serverMetadata().userinfo_endpoint === undefined) return token;
    const { fetchUserInfo } = await import("openid-client");
    const more = await fetchUserInfo(config, accessToken, token.sub);
    return { ...more, ...token };
  }

  #configurations(provider: StoredSignOn): Promise<Configuration[]> {
    const { organizationId, revision } = provider;
    const nowMs = this.#settings.clock();
    const known = this.#known.get(organizationId);
    if (known?.revision === revision && nowMs - known.readAtMs < metadataKeptMs) return known.found;
    const found = this.#discover(provider, this.secretOf(provider) ?? "");
    this.#known.delete(organizationId);
    this.#known.set(organizationId, { revision, readAtMs: nowMs, found });
    const [oldest] = this.#known.keys();
    if (this.#known.size > providersKeptMax && oldest !== undefined) this.#known.delete(oldest);
    // Metadata that could not be read are requested again by the next sign-in.
    found.catch(() => {
      if (this.#known.get(organizationId)?.found === found) this.#known.delete(organizationId);
    });
    return found;
  }

  /**
   * Returns one configuration for each way of client authentication, the one to try first first.
   */
  async #discover({ issuer, clientId }: Client, secret: string): Promise<Configuration[]> {
    const openid = await import("openid-client");
    // Egress decides whether plain http is allowed: only to permitted private ranges.
    const execute = issuer.startsWith("http:") ? [openid.allowInsecureRequests] : [];
    // openid-client takes such an address as that of the metadata and then compares no issuer.
    if (issuer.includes("/.well-known/")) throw new ServiceError("bad_request", wholeAddress);
    const fetch: CustomFetch = (url, options) => this.#requests.fetch(url, options);
    const settings = { [openid.customFetch]: fetch, execute, timeout: requestSeconds };
    let server: ServerMetadata;
    try {
      const address = new URL(issuer);
      server = (
        await openid.discovery(address, clientId, undefined, openid.None(), settings)
      ).serverMetadata();
    } catch (error) {
      throw asRefusal(error, "The provider");
    }
    // An issuer common to all tenants of a cloud would vouch for people of any of them.
    const { issuer: named } = server;
    if (named !== issuer) {
      throw new ServiceError(
        "bad_request",
        `The provider calls itself ${JSON.stringify(named.slice(0, 300))}: the issuer has to be exactly that, and belong to your organization alone.`,
      );
    }
    const metadata = { [openid.clockTolerance]: clockToleranceSeconds };
    return (await clientAuthentications(server, secret)).map((authentication) => {
      const config = new openid.Configuration(server, clientId, metadata, authentication);
      config[openid.customFetch] = fetch;
      config.timeout = requestSeconds;
      // Without this, a token received directly from the provider would be accepted unsigned.
      for (const extension of [...execute, openid.enableNonRepudiationChecks]) extension(config);
      return config;
    });
  }
}

/** Exchanges a code for tokens; keeps only the client authentication that succeeded. */
async function exchange(configs: Configuration[], address: URL, attempt: Attempt) {
  const { authorizationCodeGrant } = await import("openid-client");
  const ways = [...configs];
  for (const config of ways) {
    try {
      const tokens = await authorizationCodeGrant(config, address, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.verifier,
        idTokenExpected: true,
      });
      configs.splice(0, configs.length, config);
      return { config, tokens };
    } catch (error) {
      if (config === ways.at(-1) || !isUnknownClient(error)) throw error;
    }
  }
  throw new Error("BUG: there was no way to say which client it is");
}

export function changed(): ServiceError {
  return new ServiceError(
    "bad_request",
    "The sign-on was changed meanwhile. Go back and sign in again.",
  );
}

const wholeAddress =
  "The issuer is the address above /.well-known/openid-configuration, without that part.";

function asRefusal(error: unknown, name: string): ServiceError {
  if (error instanceof ServiceError) return error;
  const { isAway, sentence } = failureSentence(error);
  return new ServiceError(isAway ? "upstream" : "bad_request", `${name} ${sentence}`);
}
