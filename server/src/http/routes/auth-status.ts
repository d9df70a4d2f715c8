import type { AuthStatusReply } from "@lossless/protocol";
import { sendJson } from "../error-replies.ts";
import type { Route } from "./routes.ts";

/** `GET /api/v2/auth/status`: which kind of credential was sent, and whose. */
export const authStatus: Route = async (_context, { caller }, reply) => {
  if (caller?.kind !== "api_key") throw new Error(`BUG: auth status for ${caller?.kind}`);
  const body: AuthStatusReply = {
    data: {
      auth: { kind: "api_key" },
      organization: { id: caller.organizationId, name: caller.organizationName },
    },
    error: null,
  };
  sendJson(reply, JSON.stringify(body));
};
