import { type EndpointDefinition, type EndpointName, endpoints } from "@lossless/protocol";
import type { FastifyRequest } from "fastify";
import { holderOf } from "../callers/credentials.ts";
import type { HttpContext } from "../http-context.ts";
import { senderOf } from "../limits/client-address.ts";
import { readRawBody } from "./raw-body.ts";
import { readRequestBody, type RequestBody } from "./request-body.ts";
import type { BodyAllowance } from "./whole-body.ts";

/**
 * Reads the body that an endpoint takes: strict JSON, checked against its schema, or plain bytes.
 */
export async function readEndpointBody(
  context: HttpContext,
  request: FastifyRequest,
  name: EndpointName,
): Promise<unknown> {
  const { request: taken, credentials }: EndpointDefinition = endpoints[name];
  const allowance = bodyAllowance(context, request);
  const endpointBytesMax = ("bytesMax" in taken ? taken.bytesMax : undefined) ?? Infinity;
  if (taken.kind === "bytes") return readRawBody(request.raw, endpointBytesMax, allowance);
  const bytesMax = Math.min(endpointBytesMax, context.settings.maxBodyBytes);
  const mediaType = "mediaType" in taken && taken.mediaType !== undefined ? "scim" : "json";
  const form = { mediaType, mayBeGzip: credentials.length > 0 } as const;
  using body = await readRequestBody(request.raw, bytesMax, allowance, form);
  return await context.bodies.reader.json(name, body);
}

/** Reads the body of a request with events, counted against the budget until it is disposed. */
export function eventBody(context: HttpContext, request: FastifyRequest): Promise<RequestBody> {
  const { maxBodyBytes } = context.settings;
  return readRequestBody(request.raw, maxBodyBytes, bodyAllowance(context, request));
}

/**
 * Returns the budget from which the body of a request is taken. A request without a credential has
 * one of its own, so that strangers take nothing from callers with credentials.
 */
export function bodyAllowance(
  { limits: { budget, openBudget }, bodies: { watch } }: HttpContext,
  { caller, ip }: Pick<FastifyRequest, "caller" | "ip">,
): BodyAllowance {
  return caller === undefined
    ? { budget: openBudget, holder: senderOf(ip), watch }
    : { budget, holder: holderOf(caller), watch };
}
