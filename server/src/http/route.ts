import type { FastifyReply, FastifyRequest } from "fastify";
import type { HttpContext } from "./http-context.ts";

/** The work of an endpoint, after guards and authentication. */
export type Route = (
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
) => Promise<void>;
