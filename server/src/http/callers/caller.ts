import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import type { Caller } from "./credentials.ts";
import type { Served } from "../service-state.ts";

/** The organization for which a request acts, after authentication. */
export interface OrganizationCaller {
  organizationId: string;
  organizationName: string;
  credential: "api_key" | "session" | "oauth";
  /** The person behind it, or null. */
  personId: string | null;
  served: Served;
}

export function organizationCaller(request: FastifyRequest): OrganizationCaller {
  const { caller, served } = request;
  if (caller === undefined || caller.kind === "experiment_token" || served === undefined) {
    throw notAuthenticated(request);
  }
  if (caller.kind === "api_key") {
    const { organizationId, organizationName } = caller;
    return { organizationId, organizationName, credential: "api_key", personId: null, served };
  }
  const { kind: credential, personId, organization } = caller;
  if (organization === undefined) throw notAuthenticated(request);
  const { id: organizationId, name: organizationName } = organization;
  return { organizationId, organizationName, credential, personId, served };
}

/** The person of a session or OAuth token, on endpoints that need one. */
export function personCaller(
  request: FastifyRequest,
): Extract<Caller, { kind: "session" | "oauth" }> & { served: Served } {
  const { caller, served } = request;
  if ((caller?.kind !== "session" && caller?.kind !== "oauth") || served === undefined) {
    throw notAuthenticated(request);
  }
  return { ...caller, served };
}

/** The storage, on endpoints that are open to everybody. */
export function openServed(request: FastifyRequest): Served {
  if (request.served === undefined) throw notAuthenticated(request);
  return request.served;
}

/** What is written to the audit log of whoever asked. */
export function actorOf({ caller, ip }: FastifyRequest): { actor: string; address: string } {
  if (caller === undefined || caller.kind === "experiment_token") {
    throw new ServiceError("internal", "BUG: nobody can be named as the actor");
  }
  return { actor: caller.kind === "api_key" ? caller.keyId : caller.personId, address: ip };
}

/** Authentication let a request pass that its route cannot serve. */
export function notAuthenticated({ routeOptions, caller }: FastifyRequest): Error {
  return new Error(`BUG: ${routeOptions.url} was reached by ${caller?.kind ?? "nobody"}`);
}
