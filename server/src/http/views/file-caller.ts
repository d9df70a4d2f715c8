import type { FastifyRequest } from "fastify";
import { ServiceError } from "../../ground/errors.ts";
import { type OrganizationCaller, organizationCaller } from "../callers/caller.ts";
import { isSameOrigin } from "../callers/csrf.ts";
import type { HttpContext } from "../http-context.ts";

/**
 * Returns the caller of a file that a browser saves: the request is a GET, so another site's page
 * must not be able to send it with a session.
 */
export function fileCaller(
  context: Pick<HttpContext, "limits">,
  request: FastifyRequest,
): OrganizationCaller {
  const caller = organizationCaller(request);
  if (caller.credential !== "session" || isSameOrigin(context.limits, request)) return caller;
  throw new ServiceError("forbidden", "Only a page of this service may ask for this.");
}
