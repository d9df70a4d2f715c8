import type { FastifyRequest } from "fastify";
import { bodyAllowance } from "../bodies/body-allowance.ts";
import type { HttpContext } from "../http-context.ts";
import { readRequestBody, type RequestBody } from "../bodies/request-body.ts";

/** Reads the body of a request with events, counted against the budget until it is disposed. */
export function eventBody(context: HttpContext, request: FastifyRequest): Promise<RequestBody> {
  const { maxBodyBytes } = context.settings;
  return readRequestBody(request.raw, maxBodyBytes, bodyAllowance(context, request));
}
