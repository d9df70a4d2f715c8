import type { FastifyRequest } from "fastify";
import { limits } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { bodyAllowance } from "../bodies/endpoint-body.ts";
import type { HttpContext } from "../http-context.ts";
import { decodeForm } from "../query.ts";
import { readRequestBody } from "../bodies/request-body.ts";

export type Form = Readonly<Record<string, string>>;

/** Reads the fields of a form, each at most once. Throws `bad_request`. */
export async function readForm(context: HttpContext, request: FastifyRequest): Promise<Form> {
  const bytesMax = Math.min(limits.openBodyBytesMax, context.settings.maxBodyBytes);
  using body = await readRequestBody(request.raw, bytesMax, bodyAllowance(context, request), {
    mediaType: "form",
    mayBeGzip: false,
  });
  const text = body.bytes.toString("latin1");
  if (/[^\x21-\x7e]/.test(text)) throw new ServiceError("bad_request", "The form is not encoded.");
  const form = decodeForm(text, "field");
  for (const [name, value] of Object.entries(form)) {
    if (value.includes("\0")) {
      throw new ServiceError("bad_request", `The field ${JSON.stringify(name)} contains U+0000.`);
    }
  }
  return form;
}
