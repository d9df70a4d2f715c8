import { type EndpointDefinition, type EndpointName, endpoints } from "@lossless/protocol";
import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import { authorize } from "./authorize.ts";
import { holderOf, organizationIdOf } from "./credentials.ts";
import { requireOwnPage } from "./csrf.ts";
import { presentedCredential } from "./presented-secret.ts";

/**
 * Finds the caller of a request, and checks that they may call this endpoint. Throws ServiceError.
 */
export async function authenticate(
  context: HttpContext,
  name: EndpointName,
  request: FastifyRequest,
): Promise<void> {
  const served = context.state.served();
  const { experimentId } = request.params as { experimentId?: string };
  const row: EndpointDefinition = endpoints[name];
  const { secret, isCookie } = presentedCredential(context, request, row.basic);
  const organization = namedOrganization(request);
  const caller = await context.callers.authenticator.identify(
    name,
    {
      secret,
      organization,
      experimentId,
      remoteAddress: request.ip,
      startedAtMs: request.startedAtMs,
    },
    served.storage,
  );
  context.limits.connections.recognize(request.raw.socket, holderOf(caller));
  if (isCookie) requireOwnPage(context.limits, name, request, secret);
  authorize(name, caller, organization);
  const organizationId = organizationIdOf(caller);
  const { guestRate, organizationRate } = context.callers;
  const rate = caller.kind === "guest" ? guestRate : organizationRate;
  if (organizationId !== undefined) rate.take(organizationId);
  request.caller = caller;
  request.served = served;
}

/**
 * Returns the organization that a command-line token names in a header. Header bytes are
 * characters; names are UTF-8.
 */
function namedOrganization({ headers }: FastifyRequest): string | undefined {
  const header = headers["x-svc-organization"];
  if (typeof header !== "string" || header === "") return undefined;
  return Buffer.from(header, "latin1").toString("utf8");
}
