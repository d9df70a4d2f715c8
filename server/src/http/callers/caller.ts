import type { FastifyRequest } from "fastify";
import type { PersonCaller, ScimCaller } from "./credentials.ts";
import type { OpenService } from "../service-state.ts";

/** The organization for which a request acts, after authentication. */
export interface OrganizationCaller {
  organizationId: string;
  organizationName: string;
  credential: "api_key" | "session" | "oauth";
  /** The person behind it, or null. */
  personId: string | null;
  /** Theirs, or null. */
  email: string | null;
  /** What is written to the audit log of whoever asked. */
  by: { actor: string; address: string };
}

export function organizationCaller(request: FastifyRequest): OrganizationCaller {
  const { caller, ip: address } = request;
  if (caller === undefined || caller.kind === "experiment_token" || caller.kind === "scim")
    throw notAuthenticated(request);
  if (caller.kind === "api_key") {
    const { organizationId, organizationName, kind: credential, keyId: actor } = caller;
    const nobody = { personId: null, email: null };
    return { organizationId, organizationName, credential, ...nobody, by: { actor, address } };
  }
  const { kind: credential, personId, email, organization } = caller;
  if (organization === undefined) throw notAuthenticated(request);
  const { id: organizationId, name: organizationName } = organization;
  const by = { actor: personId, address };
  return { organizationId, organizationName, credential, personId, email, by };
}

/** The person of a session or OAuth token, on endpoints that need one. */
export function personCaller(request: FastifyRequest): PersonCaller {
  const { caller } = request;
  if (caller?.kind === "session" || caller?.kind === "oauth") return caller;
  throw notAuthenticated(request);
}

/** The identity provider of a SCIM token. */
export function scimCaller(request: FastifyRequest): ScimCaller {
  const { caller } = request;
  if (caller?.kind === "scim") return caller;
  throw notAuthenticated(request);
}

/** What was open when the request was let in. */
export function openServed(request: FastifyRequest): OpenService {
  if (request.served === undefined) throw notAuthenticated(request);
  return request.served;
}

/** Authentication let a request pass that its route cannot serve. */
export function notAuthenticated({ routeOptions, caller }: FastifyRequest): Error {
  return new Error(`BUG: ${routeOptions.url} was reached by ${caller?.kind ?? "nobody"}`);
}
