import type { Readiness } from "./readiness.ts";
import type { Figures } from "../ground/figures/figures.ts";
import type { Config } from "../settings/config.ts";
import type { FairShares } from "../ground/fair-shares.ts";
import type { Log } from "../ground/log.ts";
import type { Passwords } from "../ground/passwords.ts";
import type { Authenticator } from "./callers/authenticator.ts";
import type { BasePath } from "./base-path.ts";
import type { BodyWatch } from "./bodies/body-progress.ts";
import type { BodyReader } from "./bodies/body-reader.ts";
import type { ClientAddresses } from "./limits/client-address.ts";
import type { Credentials } from "./callers/credentials.ts";
import type { Guards } from "./limits/guards.ts";
import type { GuessLimit } from "./callers/guess-limit.ts";
import type { RateLimit } from "./callers/rate-limit.ts";
import type { ReadReplies } from "./replies/read-replies.ts";
import type { RequestBudget } from "./limits/request-budget.ts";
import type { ServiceState } from "./service-state.ts";
import type { ConnectionShares } from "./limits/connection-shares.ts";
import type { Tracing } from "../storage/tracing/tracing.ts";
import type { Watching } from "./watching/watching.ts";
import type { WebFiles } from "./web/web-files.ts";

export type HttpSettings = Pick<
  Config,
  | "baseUrl"
  | "trustedProxies"
  | "maxBodyBytes"
  | "maxDepth"
  | "maxStreams"
  | "maxConnections"
  | "headersTimeoutMs"
  | "requestTimeoutMs"
  | "idleTimeoutMs"
  | "streamIdleMs"
  | "seriesLimit"
  | "trashDays"
>;

/** Dependencies of the routes; built once, in service.ts. */
export interface HttpContext {
  readonly settings: HttpSettings;
  readonly log: Log;
  readonly figures: Figures;
  /** Set with --traces. */
  readonly tracing: Tracing | undefined;
  readonly state: ServiceState;
  readonly clock: () => number;
  /** Whether writes can be stored now, and what the service needs for it (readyz). */
  readonly probe: () => Promise<Readiness>;
  /** `{base_url}`: the address that clients use, with no last slash. Known once it listens. */
  readonly baseUrl: () => string;
  /** The path of that address, which requests have before those of the endpoints table. */
  readonly basePath: BasePath;
  /** Address of the token issuer: the same, unless its documents are published elsewhere. */
  readonly issuerUrl: () => string;
  readonly limits: ClientLimits;
  readonly bodies: Bodies;
  readonly callers: Callers;
  readonly replies: Replies;
}

/** What clients may take of the service. */
export interface ClientLimits {
  readonly guards: Guards;
  readonly addresses: ClientAddresses;
  /** Bodies of requests with a credential, shared out between organizations. */
  readonly budget: RequestBudget;
  /** Bodies of endpoints that take no credential, shared out between addresses. */
  readonly openBudget: RequestBudget;
  /** Connections without a valid credential. */
  readonly connections: ConnectionShares;
  /** Running series streams, by organization. */
  readonly streams: FairShares;
  /** Requests that are not answered to their end. */
  activeRequests: number;
}

export interface Bodies {
  readonly reader: BodyReader;
  /** Bodies on their way. */
  readonly watch: BodyWatch;
  /** Parts of files on their way. */
  readonly partWatch: BodyWatch;
}

export interface Callers {
  readonly credentials: Credentials;
  readonly authenticator: Authenticator;
  readonly organizationRate: RateLimit;
  /** Limit of devices that ask to be signed in, and of wrong user codes, by network address. */
  readonly deviceStarts: RateLimit;
  readonly userCodes: RateLimit;
  /** Limit of sign-ins by identity providers that are begun or answered, by network address. */
  readonly signOns: RateLimit;
  readonly passwords: Passwords;
  readonly guesses: GuessLimit;
}

export interface Replies {
  /** Replies to reads, from when they are made until they are taken. */
  readonly reads: ReadReplies;
  /** The web application, as browsers get it. */
  readonly web: WebFiles;
  /** The OpenAPI document. */
  readonly openApi: Buffer;
  /** Requests that wait until an experiment changes. */
  readonly watching: Watching;
}
