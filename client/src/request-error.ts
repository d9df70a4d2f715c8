import { EditConflictError, RequestError, SavedConflictError, SupersededError } from "./errors.ts";
import { isObject } from "./replies.ts";
import type { PresentRevision, PresentTexts } from "./wire.ts";

interface ErrorBody {
  message?: string | undefined;
  code?: string | undefined;
  requestId?: string | undefined;
  epoch?: number | undefined;
  present?: PresentTexts | PresentRevision | undefined;
}

/**
 * Builds the error of a reply with an HTTP error status, in the form of v2, v1 or a proxy in
 * between.
 */
export function requestError(response: Response, text: string): RequestError {
  const body = errorBody(text);
  const message =
    body.message ?? `the service answered HTTP ${response.status} ${response.statusText}`.trim();
  const requestId = body.requestId ?? response.headers.get("x-request-id") ?? undefined;
  const { status } = response;
  if (body.code === "superseded" && body.epoch !== undefined) {
    return new SupersededError(message, status, body.epoch, requestId);
  }
  if (body.code === "conflict" && body.present !== undefined) {
    return "revision" in body.present
      ? new SavedConflictError(message, status, body.present, requestId)
      : new EditConflictError(message, status, body.present, requestId);
  }
  return new RequestError(
    message,
    status,
    body.code ?? "unknown",
    requestId,
    retryAfterMs(response),
  );
}

function errorBody(text: string): ErrorBody {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return {};
  }
  if (!isObject(body)) return {};
  const { error } = body;
  if (isObject(error)) return errorOfV2(error);
  const { message, epoch, present } = body;
  return {
    message: typeof message === "string" ? message : undefined,
    code: typeof error === "string" ? error : undefined,
    epoch: typeof epoch === "number" ? epoch : undefined,
    present: isObject(present) ? present : undefined,
  };
}

/** `details` is `code=<code>; request_id=<id>`. */
function errorOfV2({ message, details }: Record<string, unknown>): ErrorBody {
  const text = typeof details === "string" ? details : "";
  return {
    message: typeof message === "string" ? message : undefined,
    code: /(?:^|; )code=([^;]*)/.exec(text)?.[1],
    requestId: /(?:^|; )request_id=([^;]*)/.exec(text)?.[1],
  };
}

/** Retry-After is a number of seconds or an HTTP date. */
function retryAfterMs(response: Response): number | undefined {
  const value = response.headers.get("retry-after");
  if (value === null) return undefined;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const dateMs = Date.parse(value);
  return Number.isNaN(dateMs) ? undefined : Math.max(0, dateMs - serverTimeMs(response));
}

/** The service's clock from its Date header, Unix milliseconds to the second; ours if missing. */
export function serverTimeMs(response: Response): number {
  const dateMs = Date.parse(response.headers.get("date") ?? "");
  return Number.isNaN(dateMs) ? Date.now() : dateMs;
}
