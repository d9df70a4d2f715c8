import type { FastifyRequest } from "fastify";
import { checkBody, endpoints, limits, metaTooLarge } from "@lossless/protocol";
import type { EndpointDefinition, EndpointName, Problem, RequestBody } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";
import { compactMember } from "./compact-member.ts";
import type { HttpContext } from "./http-context.ts";
import { readRequestBody } from "./request-body.ts";
import type { RequestBody as ReadBody } from "./request-body.ts";
import { requestValue } from "./routes/request-value.ts";

/** The JSON body of a v1 request, checked. Throws `bad_request` and says what is wrong where. */
export async function readJsonBody<Name extends EndpointName>(
  context: HttpContext,
  request: FastifyRequest,
  name: Name,
): Promise<RequestBody<Name>> {
  using body = await bodyOf(context, request, name);
  return checkedValue(context, body, name);
}

/** The same for a body with a free `meta`, of which the text is kept: it is given back as it was sent. */
export async function readMetaBody(
  context: HttpContext,
  request: FastifyRequest,
  name: "beginVersion",
): Promise<Omit<RequestBody<"beginVersion">, "meta"> & { metaText: string }> {
  using body = await bodyOf(context, request, name);
  const { meta: _meta, ...others } = checkedValue(context, body, name);
  const metaText = compactMember(body.bytes, "meta");
  if (metaText === undefined) throw new Error("BUG: a meta was accepted and has no text");
  if (Buffer.byteLength(metaText) > limits.jsonMetaBytesMax) {
    throw new ServiceError("bad_request", problemsText([metaTooLarge("meta")]));
  }
  return { ...others, metaText };
}

function bodyOf(
  { settings, budget }: HttpContext,
  request: FastifyRequest,
  name: EndpointName,
): Promise<ReadBody> {
  const { request: taken, credentials }: EndpointDefinition = endpoints[name];
  const endpointBytesMax = (taken.kind === "json" ? taken.bytesMax : undefined) ?? Infinity;
  const bytesMax = Math.min(endpointBytesMax, settings.maxBodyBytes);
  const form = { mayBeGzip: credentials.length > 0 };
  return readRequestBody(request.raw, bytesMax, budget, form);
}

function checkedValue<Name extends EndpointName>(
  context: HttpContext,
  body: ReadBody,
  name: Name,
): RequestBody<Name> {
  const value = requestValue(context, body);
  const verdict = checkBody(name, value);
  if (!verdict.ok) throw new ServiceError("bad_request", problemsText(verdict.problems));
  return value as RequestBody<Name>;
}

/** `files[0].size must be …; meta is missing` */
export function problemsText(problems: readonly Problem[]): string {
  return problems
    .map(({ path, message }) => `${path === "" ? "The body" : path} ${message}`)
    .join("; ");
}
