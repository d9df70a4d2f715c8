import type { FastifyRequest } from "fastify";
import { checkBody } from "@lossless/protocol";
import type { EndpointName, Problem, RequestBody } from "@lossless/protocol";
import { ServiceError } from "../errors.ts";
import type { HttpContext } from "./http-context.ts";
import { requestBody, requestValue } from "./routes/request-value.ts";

/** The JSON body of a v1 request, checked. Throws `bad_request` and says what is wrong where. */
export async function readJsonBody<Name extends EndpointName>(
  context: HttpContext,
  request: FastifyRequest,
  name: Name,
): Promise<RequestBody<Name>> {
  using body = await requestBody(context, request);
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
