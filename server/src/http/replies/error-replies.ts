import { errors, type ErrorCode, type ErrorForm } from "@lossless/protocol";
import { ServiceError } from "../../ground/errors.ts";
import { commonHeaders, jsonType } from "./replies.ts";
import { errorPage } from "../sign-in/error-page.ts";
import { pageHeaders, pageText } from "../sign-in/page.ts";

/**
 * The reply to a request that fails as a whole, in the form of its interface, with the table's
 * status.
 */
export interface FailureReply {
  code: ErrorCode;
  status: number;
  headers: Record<string, string>;
  body: string;
}

/**
 * Returns the reply to an error; the only place that gives errors their statuses. An unexpected
 * error is `internal`.
 */
export function failureReply(error: unknown, requestId: string, form: ErrorForm): FailureReply {
  const failure = asServiceError(error) ?? new ServiceError("internal", errors.internal.sentence);
  const { code, message, details } = failure;
  const status = form.statusOf?.(code) ?? errors[code].status;
  const headers: Record<string, string> = {
    ...commonHeaders(requestId),
    "content-type": form.mediaType ?? jsonType,
  };
  if (code === "unauthorized") headers["www-authenticate"] = form.challenge ?? "Bearer";
  const { allow, retryAfterSeconds, closesConnection } = details;
  if (typeof allow === "string") headers["allow"] = allow;
  if (closesConnection === true) headers["connection"] = "close";
  if (status === 429 || status === 503) {
    headers["retry-after"] = typeof retryAfterSeconds === "number" ? `${retryAfterSeconds}` : "1";
  }
  if (form.json !== undefined) {
    const body = JSON.stringify(form.json.bodyOf({ code, message, details, requestId }));
    return { code, status, headers, body };
  }
  Object.assign(headers, pageHeaders([]));
  return { code, status, headers, body: pageText(errorPage(status, message, requestId), "") };
}

/** Returns the error as one of the protocol's table; undefined for an unexpected error. */
export function asServiceError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (!(error instanceof Error)) return undefined;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE") {
    return new ServiceError("unsupported_media_type", errors.unsupported_media_type.sentence);
  }
  // Everything else that the framework refuses is a malformed request line or header.
  const isFramework = typeof code === "string" && code.startsWith("FST_ERR_");
  if (isFramework && typeof statusCode === "number" && statusCode >= 400 && statusCode < 500) {
    return new ServiceError("invalid_headers", errors.invalid_headers.sentence);
  }
  return undefined;
}
