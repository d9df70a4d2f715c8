import type { FastifyRequest } from "fastify";
import { ServiceError } from "../ground/errors.ts";
import { sendJson } from "./replies/replies.ts";
import type { Route } from "./route.ts";
import { readinessWord } from "./readiness.ts";

/**
 * Replies while the process lives and its event loop turns. The storage is not checked: a restart
 * would not repair it.
 */
export const healthz: Route = async (_context, _request, reply) =>
  sendJson(reply, '{"status":"ok"}');

/**
 * Tells whether requests should be sent here: storage answers and has room, and the service is not
 * stopping. With `for=read` it needs no room: a full disk is no reason to take reads away too.
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
