import type { Whoami } from "@lossless/protocol";
import { sendJson } from "../replies.ts";
import { organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `GET /api/v1/whoami` */
export const whoami: Route = async (_context, request, reply) => {
  const { organizationId: orgId, personId: userId, credential } = organizationCaller(request);
  sendJson(reply, JSON.stringify({ orgId, userId, credential } satisfies Whoami));
};
