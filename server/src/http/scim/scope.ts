import type { FastifyRequest } from "fastify";
import type { ScimScope } from "../../accounts/rows/sign-on/scim/token.ts";
import { scimCaller } from "../callers/caller.ts";

/** Whose word a request is, for what it changes. */
export function scopeOf(request: FastifyRequest): ScimScope {
  const { organizationId, tokenHash } = scimCaller(request);
  return { organizationId, tokenHash, address: request.ip };
}
