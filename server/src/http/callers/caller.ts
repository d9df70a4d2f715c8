import type { FastifyRequest } from "fastify";
import { type GuestCaller, holderOf, type PersonCaller, type ScimCaller } from "./credentials.ts";
import type { OpenService } from "../service-state.ts";

/** The organization for which a request acts, after authentication. */
export interface OrganizationCaller {
  organizationId: string;
  organizationName: string;
  credential: "api_key" | "session" | "oauth";
  /** The person who acts, or null. */
  personId: string | null;
  /** E-mail address of that person, or null. */
  email: string | null;
  /** Holder of the shares that its reads take. */
  holder: string;
  /** The caller as written to the audit log. */
  by: { actor: string; address: string };
}

/** Throws for a guest whose request was not found to be within their scope (guest-scope.ts). */
export function organizationCaller(request: FastifyRequest): OrganizationCaller {
  const { caller, ip: address } = request;
  if (caller?.kind === "guest") {
    if (!request.isInGuestScope) throw notAuthenticated(request);
    const { organizationId, organizationName, linkId: actor } = caller;
    const guest = { credential: "session", personId: null, email: null } as const;
    const holder = holderOf(caller);
    return { organizationId, organizationName, ...guest, holder, by: { actor, address } };
  }
  if (caller === undefined || caller.kind === "experiment_token" || caller.kind === "scim")
    throw notAuthenticated(request);
  if (caller.kind === "api_key") {
    const { organizationId, organizationName, kind: credential, keyId: actor } = caller;
    const nobody = { personId: null, email: null };
    const holder = organizationId;
    return {
      organizationId,
      organizationName,
      credential,
      ...nobody,
      holder,
      by: { actor, address },
    };
  }
  const { kind: credential, personId, email, organization } = caller;
  if (organization === undefined) throw notAuthenticated(request);
  const { id: organizationId, name: organizationName } = organization;
  const by = { actor: personId, address };
  const holder = organizationId;
  return { organizationId, organizationName, credential, personId, email, holder, by };
}

/** Returns the person of a session or OAuth token, on endpoints that need one. */
export function personCaller(request: FastifyRequest): PersonCaller {
  const { caller } = request;
  if (caller?.kind === "session" || caller?.kind === "oauth") return caller;
  throw notAuthenticated(request);
}

/** Returns the guest of a guest link, on endpoints for guests alone. */
export function guestCaller(request: FastifyRequest): GuestCaller {
  const { caller } = request;
  if (caller?.kind === "guest") return caller;
  throw notAuthenticated(request);
}

/** Returns the identity provider of a SCIM token. */
export function scimCaller(request: FastifyRequest): ScimCaller {
  const { caller } = request;
  if (caller?.kind === "scim") return caller;
  throw notAuthenticated(request);
}

/** Returns the service that was open when the request was admitted. */
export function openServed(request: FastifyRequest): OpenService {
  if (request.served === undefined) throw notAuthenticated(request);
  return request.served;
}

/** Returns the error for a request that passed authentication but that its route cannot serve. */
export function notAuthenticated({ routeOptions, caller }: FastifyRequest): Error {
  return new Error(`BUG: ${routeOptions.url} was reached by ${caller?.kind ?? "nobody"}`);
}
