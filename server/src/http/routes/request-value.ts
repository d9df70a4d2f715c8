import type { FastifyRequest } from "fastify";
import type { HttpContext } from "../http-context.ts";
import { readRequestBody } from "../request-body.ts";
import type { RequestBody } from "../request-body.ts";
import { parseStrictJson } from "../../strict-json.ts";
import type { JsonValue } from "../../strict-json.ts";

/** The body of a request, counted against the budget until it is disposed. */
export function requestBody(
  { settings, budget }: HttpContext,
  request: FastifyRequest,
): Promise<RequestBody> {
  return readRequestBody(request.raw, settings.maxBodyBytes, budget);
}

export function requestValue({ settings }: HttpContext, { bytes }: RequestBody): JsonValue {
  return parseStrictJson(bytes, { depth: settings.maxDepth });
}
