import type { FastifyRequest } from "fastify";
import { checkBody, endpoints } from "@lossless/protocol";
import type { EndpointDefinition, EndpointName, Problem, RequestBody } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";
import type { HttpContext } from "./http-context.ts";
import { readRequestBody } from "./request-body.ts";
import { requestValue } from "./routes/request-value.ts";

/** The JSON body of a v1 request, checked. Throws `bad_request` and says what is wrong where. */
export async function readJsonBody<Name extends EndpointName>(
  context: HttpContext,
  request: FastifyRequest,
  name: Name,
): Promise<RequestBody<Name>> {
  const { settings, budget } = context;
  const { request: taken, credentials }: EndpointDefinition = endpoints[name];
  const endpointBytesMax = (taken.kind === "json" ? taken.bytesMax : undefined) ?? Infinity;
  const bytesMax = Math.min(endpointBytesMax, settings.maxBodyBytes);
  const form = { mayBeGzip: credentials.length > 0 };
  using body = await readRequestBody(request.raw, bytesMax, budget, form);
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
