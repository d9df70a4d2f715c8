import type { FastifyReply, FastifyRequest } from "fastify";
import type { EndpointName } from "@lossless/protocol";
import type { HttpContext } from "../http-context.ts";
import { authStatus } from "./auth-status.ts";
import { experimentEvents } from "./experiment-events.ts";
import { healthz, readyz } from "./health.ts";
import { openapi } from "./openapi.ts";
import { organizationEvents } from "./organization-events.ts";
import { querySeries } from "./series.ts";

/** The work of an endpoint, after guards and authentication. */
export type Route = (
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>;

/** One route for every row of the protocol's endpoints table. */
export const routes: Readonly<Partial<Record<EndpointName, Route>>> = {
  organizationEvents,
  experimentEvents,
  querySeries,
  authStatus,
  openapi,
  healthz,
  readyz,
};
