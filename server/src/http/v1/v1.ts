import { type EndpointDefinition, type EndpointName, endpoints } from "@lossless/protocol";
import type { FastifyRequest } from "fastify";
import { bodyAllowance } from "../body-allowance.ts";
import { endpointRoutes } from "../endpoint-routes.ts";
import type { HttpContext } from "../http-context.ts";
import { readRequestBody } from "../request-body.ts";
import { readRawBody } from "./raw-body.ts";

/** Makes routes of v1: strict JSON, checked, or bytes as they are. */
export const v1 = endpointRoutes(readV1);

async function readV1(
  context: HttpContext,
  request: FastifyRequest,
  name: EndpointName,
): Promise<unknown> {
  const { request: taken, credentials }: EndpointDefinition = endpoints[name];
  const place = bodyAllowance(context, request);
  const endpointBytesMax = ("bytesMax" in taken ? taken.bytesMax : undefined) ?? Infinity;
  if (taken.kind === "bytes") return readRawBody(request.raw, endpointBytesMax, place);
  const bytesMax = Math.min(endpointBytesMax, context.settings.maxBodyBytes);
  const form = { mayBeGzip: credentials.length > 0 };
  using body = await readRequestBody(request.raw, bytesMax, place, form);
  return await context.bodies.v1(name, body);
}
