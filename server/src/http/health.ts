import type { FastifyRequest } from "fastify";
import { ServiceError } from "../ground/errors.ts";
import { sendJson } from "./replies/replies.ts";
import type { Route } from "./route.ts";
import { readinessWord } from "./readiness.ts";

/** The process lives and its event loop turns. Not the storage: a restart would not mend that. */
export const healthz: Route = async (_context, _request, reply) =>
  sendJson(reply, '{"status":"ok"}');

/**
 * Whether requests should be sent here: storage answers and has room, and the service does not
 * stop. With `for=read` it needs no room: a full disk is no reason to take reads away too.
 */
export const readyz: Route = async (context, request, reply) => {
  const status = await readinessWord(context, readyFor(request));
  sendJson(reply, JSON.stringify({ status }), status === "ok" ? 200 : 503);
};

function readyFor({ query }: FastifyRequest): "reads" | "writes" {
  const { for: purpose = "write" } = query as { for?: unknown };
  if (purpose === "write") return "writes";
  if (purpose === "read") return "reads";
  throw new ServiceError("validation_failed", "for must be read or write.");
}
