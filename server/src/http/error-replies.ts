import { errors, requestFailure } from "@lossless/protocol";
import type { ErrorCode } from "@lossless/protocol";
import type { FastifyReply } from "fastify";
import { ServiceError } from "../errors.ts";

/**
 * A request that fails as a whole: `{data: null, error}` with the status of the protocol's table.
 */
export interface FailureReply {
  code: ErrorCode;
  status: number;
  headers: Record<string, string>;
  body: string;
}

const jsonType = "application/json; charset=utf-8";

/** Sends a reply whose text is made. */
export function sendJson(reply: FastifyReply, text: string | Buffer, status = 200): void {
  void reply.code(status).type(jsonType).send(text);
}

/**
 * The only place that gives HTTP statuses to errors. What nobody threw on purpose is `internal`,
 * without a word more.
 */
export function failureReply(error: unknown, requestId: string): FailureReply {
  const failure = asServiceError(error) ?? new ServiceError("internal", errors.internal.sentence);
  const { code, message, details } = failure;
  const headers: Record<string, string> = { ...commonHeaders(requestId), "content-type": jsonType };
  if (code === "unauthorized") headers["www-authenticate"] = "Bearer";
  const { allow, retryAfterSeconds } = details;
  if (typeof allow === "string") headers["allow"] = allow;
  const { status } = errors[code];
  if (status === 429 || status === 503) {
    headers["retry-after"] = typeof retryAfterSeconds === "number" ? `${retryAfterSeconds}` : "1";
  }
  return { code, status, headers, body: JSON.stringify(requestFailure(code, message, requestId)) };
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
