import { sendJson } from "../replies.ts";
import type { Route } from "../route.ts";

/** The version of MLflow whose interface this is. */
const spoken = "3.17.2";

const mlflowVersion: Route = async (_context, _request, reply) =>
  void reply.type("text/plain; charset=utf-8").send(spoken);

/** The process lives; whether it stores anything now, /readyz says. */
const mlflowHealth: Route = async (_context, _request, reply) =>
  void reply.type("text/plain; charset=utf-8").send("OK");

const info = {
  store_type: null,
  workspaces_enabled: false,
  multipart_uploads_enabled: false,
  multipart_downloads_enabled: false,
  trace_archival_enabled: false,
};

const mlflowServerInfo: Route = async (_context, _request, reply) =>
  sendJson(reply, JSON.stringify(info));

/** What anybody may ask: nothing of any organization. */
export const serverInfo = { mlflowVersion, mlflowHealth, mlflowServerInfo };
