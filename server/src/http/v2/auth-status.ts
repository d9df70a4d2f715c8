import type { AuthStatusReply } from "@lossless/protocol";
import { sendJson } from "../replies.ts";
import { organizationCaller } from "../callers/caller.ts";
import type { Route } from "../route.ts";

/** `GET /api/v2/auth/status`: which kind of credential was sent, and whose. */
export const authStatus: Route = async (_context, request, reply) => {
  const { organizationId, organizationName, credential: kind } = organizationCaller(request);
  const body: AuthStatusReply = {
    data: {
      auth: { kind },
      organization: { id: organizationId, name: organizationName },
    },
    error: null,
  };
  sendJson(reply, JSON.stringify(body));
};
