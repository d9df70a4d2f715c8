import type { FastifyRequest } from "fastify";
import type { ScimScope } from "../../accounts/rows/sign-on/scim/token.ts";
import { scimCaller } from "../callers/caller.ts";

/** Returns the organization and token on whose behalf a request makes its changes. */
export function scopeOf(request: FastifyRequest): ScimScope {
  const { organizationId, tokenHash } = scimCaller(request);
  return { organizationId, tokenHash, address: request.ip };
}
