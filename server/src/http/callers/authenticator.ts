import {
  type EndpointDefinition,
  type EndpointName,
  endpoints,
  errors,
  pageEndpoints,
} from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { isApiKey, isSecretOf } from "../../ground/secrets.ts";
import type { Storage } from "../../storage/storage.ts";
import { inFormOf } from "./authorize.ts";
import { isForGuests } from "./guest-scope.ts";
import type { Caller, Credentials, PresentedSecret } from "./credentials.ts";
import type { RateLimit } from "./rate-limit.ts";

/**
 * Endpoints without a credential, the only ones: documents, health, and the steps by which people
 * get a credential. Any other one without a credential is a mistake (T02).
 */
const openEndpoints: ReadonlySet<EndpointName> = new Set([
  "openapi",
  "healthz",
  "readyz",
  "createSession",
  "acceptInvitation",
  "openGuestLink",
  "oauthMetadata",
  "oauthToken",
  "oauthDevice",
  "oauthRevoke",
  "authorizePage",
  "authorize",
  "devicePage",
  "approveDevice",
  "startPage",
  "signInPage",
  "signIn",
  "signOut",
  "joinPage",
  "join",
  "beginSignOn",
  "finishSignOn",
  "readIssuer",
  "readIssuerKeys",
  "webAsset",
  "mlflowGetVersionFile",
  "mlflowVersion",
  "mlflowHealth",
  "mlflowServerInfo",
  // A single document without data.
  ...(Object.keys(pageEndpoints) as (keyof typeof pageEndpoints)[]),
]);

export interface Presented {
  /** The bearer credential as received, or that of the session cookie. */
  secret: string | undefined;
  /** The header x-svc-organization. */
  organization: string | undefined;
  /** The experimentId of the URL, where the endpoint has one. */
  experimentId: string | undefined;
  remoteAddress: string;
  startedAtMs: number;
}

/** Throws when an endpoint is not in the table of credentials; called for every route at start. */
export function requireCredentialEntry(name: EndpointName): void {
  const definition: Partial<EndpointDefinition> = endpoints[name];
  const { credentials } = definition;
  if (credentials === undefined || (credentials.length === 0) !== openEndpoints.has(name)) {
    throw new Error(`BUG: the endpoint ${name} does not say which credential it takes`);
  }
}

/**
 * Turns the credential of a request into its caller. Every fault gets the same 401 (T01, T03 to
 * T05, M11): missing, malformed, unknown, ended, of another kind, of another experiment. One
 * exception: a valid API key, or token of the command line, where a person or their session is
 * needed is 403. What the caller may do is decided in authorize.ts.
 */
export class Authenticator {
  readonly #credentials: Credentials;
  readonly #failures: RateLimit;

  constructor(credentials: Credentials, failures: RateLimit) {
    this.#credentials = credentials;
    this.#failures = failures;
  }

  async identify(name: EndpointName, presented: Presented, storage: Storage): Promise<Caller> {
    const definition: EndpointDefinition = endpoints[name];
    const { secret, organization, experimentId, startedAtMs } = presented;
    const kind = secret === undefined ? undefined : kindOf(secret);
    if (secret === undefined || kind === undefined) throw this.#refuse(presented);
    // For people's programs a personal token has the same rights as a token of the command line.
    const shown = kind === "personal_token" ? "oauth" : kind;
    const isAccepted =
      definition.credentials.includes(shown) || (kind === "guest" && isForGuests(name));
    const needsPerson = !isAccepted && isForPerson(definition, shown);
    if (!isAccepted && !needsPerson) throw this.#refuse(presented);
    const caller = await this.#credentials.find(
      storage,
      { kind, secret, organization },
      startedAtMs,
    );
    const isRight =
      caller?.kind === shown &&
      (caller.kind !== "experiment_token" || caller.experimentId === experimentId);
    if (!isRight) throw this.#refuse(presented);
    if (needsPerson) throw inFormOf(definition, personNeeded(shown));
    return caller;
  }

  #refuse({ remoteAddress }: Presented): ServiceError {
    this.#failures.take(remoteAddress);
    return new ServiceError("unauthorized", errors.unauthorized.sentence);
  }
}

/**
 * Whether the endpoint is for people, or their sessions only, while the credential is valid for
 * other endpoints.
 */
function isForPerson({ credentials, personal }: EndpointDefinition, kind: Caller["kind"]): boolean {
  // A browser of a guest is one in which nobody is signed in.
  if (kind === "guest" && personal) return false;
  return credentials.includes("session") && kind !== "experiment_token" && kind !== "scim";
}

function personNeeded(kind: Caller["kind"]): ServiceError {
  return new ServiceError("forbidden", personNeededFor[kind]);
}

const tokenSentence = "This needs the session of a signed-in person, not a token.";
const personNeededFor: Readonly<Record<Caller["kind"], string>> = {
  api_key: "This needs a signed-in person, not an API key.",
  guest: "This needs a signed-in person: a guest link shows its experiments alone.",
  session: tokenSentence,
  oauth: tokenSentence,
  experiment_token: tokenSentence,
  scim: tokenSentence,
};

/**
 * Returns the kind of a secret by its form alone; undefined when the service cannot have made it.
 */
function kindOf(secret: string): PresentedSecret["kind"] | undefined {
  if (isSecretOf(secret, "ik_")) return "experiment_token";
  if (isSecretOf(secret, "as_")) return "session";
  if (isSecretOf(secret, "at_")) return "oauth";
  if (isSecretOf(secret, "pt_")) return "personal_token";
  if (isSecretOf(secret, "sc_")) return "scim";
  if (isSecretOf(secret, "gl_")) return "guest";
  return isApiKey(secret) ? "api_key" : undefined;
}
