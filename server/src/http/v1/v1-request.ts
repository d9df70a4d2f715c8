import type { FastifyRequest } from "fastify";
import { endpoints } from "@lossless/protocol";
import type { EndpointDefinition, EndpointName, RequestBody } from "@lossless/protocol";
import { bodyPlace } from "../body-place.ts";
import type { HttpContext } from "../http-context.ts";
import { readRequestBody } from "../request-body.ts";
import type { RequestBody as ReadBody } from "../request-body.ts";

/** The JSON body of a v1 request, checked. Throws `bad_request` and says what is wrong where. */
export async function readJsonBody<Name extends EndpointName>(
  context: HttpContext,
  request: FastifyRequest,
  name: Name,
): Promise<RequestBody<Name>> {
  using body = await bodyOf(context, request, name);
  const { value } = await context.bodies.v1(name, false, body);
  return value as RequestBody<Name>;
}

/** The same for a body with a free `meta`, of which the text is kept: it is given back as it was sent. */
export async function readMetaBody(
  context: HttpContext,
  request: FastifyRequest,
  name: "beginVersion",
): Promise<Omit<RequestBody<"beginVersion">, "meta"> & { metaText: string }> {
  using body = await bodyOf(context, request, name);
  const { value, metaText = "" } = await context.bodies.v1(name, true, body);
  return { ...(value as Omit<RequestBody<"beginVersion">, "meta">), metaText };
}

function bodyOf(
  context: HttpContext,
  request: FastifyRequest,
  name: EndpointName,
): Promise<ReadBody> {
  const { request: taken, credentials }: EndpointDefinition = endpoints[name];
  const endpointBytesMax = (taken.kind === "json" ? taken.bytesMax : undefined) ?? Infinity;
  const bytesMax = Math.min(endpointBytesMax, context.settings.maxBodyBytes);
  const form = { mayBeGzip: credentials.length > 0 };
  return readRequestBody(request.raw, bytesMax, bodyPlace(context, request), form);
}
