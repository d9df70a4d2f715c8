import type { FastifyRequest } from "fastify";
import type { Served } from "../service-state.ts";

/** The organization whose API key a request carries, after authentication. */
export interface OrganizationCaller {
  organizationId: string;
  organizationName: string;
  served: Served;
}

export function organizationCaller(request: FastifyRequest): OrganizationCaller {
  const { caller, served } = request;
  if (caller?.kind !== "api_key" || served === undefined) throw notAuthenticated(request);
  const { organizationId, organizationName } = caller;
  return { organizationId, organizationName, served };
}

/** Authentication let a request pass that its route cannot serve. */
export function notAuthenticated({ routeOptions, caller }: FastifyRequest): Error {
  return new Error(`BUG: ${routeOptions.url} was reached by ${caller?.kind ?? "nobody"}`);
}
