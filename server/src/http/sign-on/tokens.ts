import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { isAtLeast, roleNeeded } from "../../database/access/role.ts";
import { writeOne } from "../../storage/storage.ts";
import { personCaller } from "../callers/caller.ts";
import { endpointRoutes } from "../endpoint-routes.ts";

/** Personal tokens and service accounts. */
export const tokens = endpointRoutes({
  async listTokens({ caller: { organizationId, personId }, query, served, request }) {
    if (query.of === "all") requireAdmin(request);
    const input = { organizationId, personId: query.of === "all" ? null : personId };
    return { tokens: await served.storage.read("personalToken.list", input) };
  },

  /** The secret is in this reply only. */
  async createToken({ caller: { organizationId, by }, body, served, request }) {
    requireSignIn(request);
    return writeOne(served.storage, "personalToken.create", { organizationId, ...body, ...by });
  },

  async revokeToken({ caller: { organizationId, by }, query: { id }, served }) {
    await writeOne(served.storage, "personalToken.revoke", { organizationId, id, ...by });
  },

  async createServiceAccount({ caller: { organizationId, by }, body, served }) {
    return writeOne(served.storage, "serviceAccount.create", { organizationId, ...body, ...by });
  },
});

/** Requires a sign-in; otherwise a leaked token would live on in those that it made. */
function requireSignIn(request: FastifyRequest): void {
  if (personCaller(request).tokenId === null) return;
  throw new ServiceError("forbidden", "A token makes no tokens: sign in to make one.");
}

function requireAdmin(request: FastifyRequest): void {
  const { organization } = personCaller(request);
  if (organization === undefined || isAtLeast(organization.role, "admin")) return;
  throw roleNeeded("admin", organization.role);
}
