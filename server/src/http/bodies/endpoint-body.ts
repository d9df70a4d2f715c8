import { type EndpointDefinition, type EndpointName, endpoints } from "@lossless/protocol";
import type { FastifyRequest } from "fastify";
import { bodyAllowance } from "./body-allowance.ts";
import type { HttpContext } from "../http-context.ts";
import { readRawBody } from "./raw-body.ts";
import { readRequestBody } from "./request-body.ts";

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
