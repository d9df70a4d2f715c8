import type { Readiness } from "./readiness.ts";
import type { Figures } from "../ground/figures/figures.ts";
import type { Config } from "../settings/config.ts";
import type { Log } from "../ground/log.ts";
import type { BasePath } from "./base-path.ts";
import type { Bodies } from "./bodies/bodies.ts";
import type { Callers } from "./callers/callers.ts";
import type { ClientLimits } from "./limits/client-limits.ts";
import type { Replies } from "./replies/made-replies.ts";
import type { ServiceState } from "./service-state.ts";
import type { Tracing } from "../storage/tracing/tracing.ts";

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
