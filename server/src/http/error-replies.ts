import { codeInV1, errors, requestFailure, statusIn } from "@lossless/protocol";
import type { ArtifactFailure, EndpointDefinition, ErrorCode } from "@lossless/protocol";
import type { FastifyReply } from "fastify";
import { ServiceError } from "../ground/errors.ts";
import { bodyStream, isLarge } from "./reply-body.ts";
import { errorPage } from "./sign-in/error-page.ts";
import { pageHeaders, pageText } from "./sign-in/page.ts";

export type ErrorForm = EndpointDefinition["errorForm"];

/** A request that fails as a whole, in the form of its interface, with the table's status. */
export interface FailureReply {
  code: ErrorCode;
  status: number;
  headers: Record<string, string>;
  body: string;
}

const jsonType = "application/json; charset=utf-8";

/** Sends a reply whose text is made; what is large goes out as the client takes it. */
export function sendJson(
  reply: FastifyReply,
  text: string | Buffer | readonly Uint8Array[],
  status = 200,
): void {
  void reply.code(status).type(jsonType);
  const pieces = typeof text === "string" && isLarge(text.length) ? [Buffer.from(text)] : text;
  if (typeof pieces === "string") return void reply.send(pieces);
  const all = Array.isArray(pieces) ? pieces : [pieces as Buffer];
  const sizeBytes = all.reduce((sum, { length }) => sum + length, 0);
  if (!isLarge(sizeBytes)) return void reply.send(all.length === 1 ? all[0] : Buffer.concat(all));
  void reply.header("content-length", sizeBytes).send(bodyStream(all));
}

/**
 * The only place that gives HTTP statuses to errors. What nobody threw on purpose is `internal`,
 * without a word more.
 */
export function failureReply(error: unknown, requestId: string, form: ErrorForm): FailureReply {
  const failure = asServiceError(error) ?? new ServiceError("internal", errors.internal.sentence);
  const { code, details } = failure;
  const headers: Record<string, string> = { ...commonHeaders(requestId), "content-type": jsonType };
  if (code === "unauthorized") headers["www-authenticate"] = "Bearer";
  const { allow, retryAfterSeconds, closesConnection } = details;
  if (typeof allow === "string") headers["allow"] = allow;
  if (closesConnection === true) headers["connection"] = "close";
  const status = statusIn(form, code);
  if (status === 429 || status === 503) {
    headers["retry-after"] = typeof retryAfterSeconds === "number" ? `${retryAfterSeconds}` : "1";
  }
  const body = failureBody(failure, requestId, form);
  if (form === "page") Object.assign(headers, pageHeaders([]));
  return { code, status, headers, body };
}

function failureBody(failure: ServiceError, requestId: string, form: ErrorForm): string {
  const { code, message, details } = failure;
  switch (form) {
    case "v2":
      return JSON.stringify(requestFailure(code, message, requestId));
    case "v1": {
      const body: ArtifactFailure = { error: codeInV1(code), message };
      if (code === "superseded") body.epoch = details["epoch"] as number;
      return JSON.stringify(body);
    }
    case "oauth": {
      const { oauthError } = details;
      const error = typeof oauthError === "string" ? oauthError : oauthCode(errors[code].status);
      return JSON.stringify({ error, error_description: message });
    }
    case "page":
      return pageText(errorPage(errors[code].status, message, requestId));
  }
}

/**
 * A failure that a page shows above its form, for the person to mend. Others are thrown on, for a
 * page of their own.
 */
export function formFailure(error: unknown): { status: number; sentence: string } {
  if (!(error instanceof ServiceError)) throw error;
  const { status } = errors[error.code];
  if (status >= 500 || status === 429) throw error;
  return { status, sentence: error.message };
}

/** RFC 6749 4.1.2.1 and 5.2. */
function oauthCode(status: number): string {
  if (status === 503 || status === 429) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
}

/**
 * Headers of every reply, failed or not. No CORS headers, ever (M80): a browser page of elsewhere
 * reads nothing.
 */
export function commonHeaders(requestId: string): Record<string, string> {
  return {
    "x-request-id": requestId,
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
  };
}

/** The error as one of the protocol's table; undefined for what nobody threw on purpose. */
export function asServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new ServiceError("unsupported_media_type", errors.unsupported_media_type.sentence);
  }
  // Whatever else the framework refuses is a malformed request line or header.
  const isFramework = typeof code === "string" && code.startsWith("FST_ERR_");
  if (isFramework && typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new ServiceError("invalid_headers", errors.invalid_headers.sentence);
  }
  return undefined;
}
