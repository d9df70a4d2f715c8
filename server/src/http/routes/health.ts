import { sendJson } from "../error-replies.ts";
import type { Route } from "./routes.ts";

/**
 * The process lives and its event loop turns. Never looks at the storage: a restart would not mend
 * that.
 */
export const healthz: Route = async (_context, _request, reply) =>
  sendJson(reply, '{"status":"ok"}');

/**
 * Whether requests should be sent here: storage answers and has room, and the service does not
 * stop.
 */
export const readyz: Route = async ({ state, probe }, _request, reply) => {
  const status =
    state.status === "starting"
      ? "starting"
      : state.status !== "ok"
        ? "stopping"
        : (await probe())
          ? "ok"
          : "unavailable";
  sendJson(reply, JSON.stringify({ status }), status === "ok" ? 200 : 503);
};
