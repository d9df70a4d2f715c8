import type { IncomingHttpHeaders } from "node:http";
import { endpoints, errors } from "@lossless/protocol";
import type { EndpointDefinition, EndpointName } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";
import { isApiKey, isExperimentToken } from "../secrets.ts";
import type { Storage } from "../storage/storage.ts";
import type { Caller, Credentials } from "./credentials.ts";
import type { RateLimit } from "./rate-limit.ts";

/**
 * The only endpoints that answer to everyone. Any other one without a credential is a mistake
 * (T02).
 */
const openEndpoints: ReadonlySet<EndpointName> = new Set(["openapi", "healthz", "readyz"]);

export interface Presented {
  headers: IncomingHttpHeaders;
  /** The experimentId of the URL, where the endpoint has one. */
  experimentId: string | undefined;
  remoteAddress: string;
  startedAtMs: number;
}

/**
 * Throws when an endpoint has no entry in the table of credentials; called for every route at
 * start-up.
 */
export function requireCredentialEntry(name: EndpointName): void {
  const definition: Partial<EndpointDefinition> = endpoints[name];
  const { credentials } = definition;
  if (credentials === undefined || (credentials.length === 0) !== openEndpoints.has(name)) {
    throw new Error(`BUG: the endpoint ${name} does not say which credential it takes`);
  }
}

/**
 * Turns the bearer credential of a request into its caller. Whatever is wrong, the answer is the
 * same 401 (T01, T03 to T05, M11): missing, malformed, unknown, ended, of another kind, of another
 * experiment.
 */
export class Authenticator {
  readonly #credentials: Credentials;
  readonly #failures: RateLimit;

  constructor(credentials: Credentials, failures: RateLimit) {
    this.#credentials = credentials;
    this.#failures = failures;
  }

  async identify(name: EndpointName, presented: Presented, storage: Storage): Promise<Caller> {
    const accepted: readonly string[] = endpoints[name].credentials;
    const secret = bearer(presented.headers.authorization);
    const kind =
      secret === undefined
        ? undefined
        : isExperimentToken(secret)
          ? "experiment_token"
          : isApiKey(secret)
            ? "api_key"
            : undefined;
    if (secret === undefined || kind === undefined || !accepted.includes(kind)) {
      throw this.#refuse(presented);
    }
    const caller = await this.#credentials.find(storage, secret, presented.startedAtMs);
    const isRight =
      caller?.kind === kind &&
      (caller.kind !== "experiment_token" || caller.experimentId === presented.experimentId);
    if (!isRight) throw this.#refuse(presented);
    return caller;
  }

  #refuse({ remoteAddress }: Presented): ServiceError {
    this.#failures.take(remoteAddress);
    return new ServiceError("unauthorized", errors.unauthorized.sentence);
  }
}

function bearer(header: string | undefined): string | undefined {
  return /^bearer +([\x21-\x7e]{1,1024}) *$/i.exec(header ?? "")?.[1];
}
