/**
 * The layers at which a code can appear: the HTTP error of a request, an `svc.v2.error` reply, the
 * end of a stream, the error of a v1 request (artifacts and organizations), or answers to MLflow
 * clients only.
 */
export type ErrorLayer = "request" | "event" | "stream" | "v1" | "mlflow";

export interface ErrorDefinition {
  /** HTTP status of the request, or the status a failed event would have had. */
  status: number;
  layers: readonly ErrorLayer[];
  /** The code shown instead in v1, whose table is closed (A40, A63). The status stays. */
  shownInV1?: string;
  /** The meaning, for people; also the default message. */
  sentence: string;
}

/** Every error code of the service. Clients branch on the code; messages may change. */
export const errors = {
  unauthorized: {
    status: 401,
    layers: ["request", "v1"],
    sentence:
      "The credential is missing, malformed, expired, revoked, or not valid for this address.",
  },
  malformed_json: {
    status: 400,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence: "The body is not one JSON document in UTF-8, repeats a key, or is nested too deeply.",
  },
  validation_failed: {
    status: 400,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence: "The body does not have the form that this address accepts; nothing was executed.",
  },
  duplicate_message_id: {
    status: 400,
    layers: ["request"],
    sentence: "A messageId occurs twice in one experiment batch; nothing was executed.",
  },
  checksum_mismatch: {
    status: 400,
    layers: ["request"],
    sentence:
      "The checksum at the end of the body is not that of its bytes: they were changed on their way; nothing was executed.",
  },
  invalid_headers: {
    status: 400,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence:
      "The request line or a header is malformed, or a header that may occur only once is repeated.",
  },
  not_found: {
    status: 404,
    layers: ["request", "v1"],
    sentence: "There is nothing at this address.",
  },
  method_not_allowed: {
    status: 405,
    layers: ["request", "v1"],
    sentence: "This address does not accept the method; the Allow header names those it does.",
  },
  request_timeout: {
    status: 408,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence: "The request did not arrive completely in time; nothing was executed.",
  },
  payload_too_large: {
    status: 413,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence: "The body is larger than the service accepts; nothing was executed.",
  },
  unsupported_media_type: {
    status: 415,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence: "The body must be application/json in UTF-8, plain or with content-encoding gzip.",
  },
  misdirected_request: {
    status: 421,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence: "The Host header names another service than this one.",
  },
  headers_too_large: {
    status: 431,
    layers: ["request"],
    shownInV1: "bad_request",
    sentence: "The headers are larger than the service accepts.",
  },
  rate_limited: {
    status: 429,
    layers: ["request", "v1"],
    sentence: "Too many requests; nothing was executed. Retry-After says when to try again.",
  },
  internal: {
    status: 500,
    layers: ["request", "event", "stream", "v1"],
    sentence: "The service failed in an unexpected way; its log has the request id.",
  },
  data_corrupted: {
    status: 500,
    layers: ["request", "event", "stream"],
    shownInV1: "internal",
    sentence: "Stored data does not match its checksum; it is reported instead of being returned.",
  },
  overloaded: {
    status: 503,
    layers: ["request", "event", "stream"],
    shownInV1: "unavailable",
    sentence:
      "The service is overloaded; nothing was executed. Retry-After says when to try again.",
  },
  shutting_down: {
    status: 503,
    layers: ["request", "event", "stream"],
    shownInV1: "unavailable",
    sentence: "The service is shutting down.",
  },
  model_not_found: {
    status: 404,
    layers: ["mlflow"],
    shownInV1: "not_found",
    sentence: "There is no logged model with this id.",
  },
  tag_not_found: {
    status: 404,
    layers: ["mlflow"],
    sentence: "The run or experiment has no tag with this key.",
  },
  file_not_found: {
    status: 404,
    layers: ["mlflow"],
    shownInV1: "not_found",
    sentence: "The run or model has no such file.",
  },
  feature_disabled: {
    status: 400,
    layers: ["mlflow"],
    sentence: "Lossless does not have the feature that the request enables.",
  },
  not_implemented: {
    status: 501,
    layers: ["mlflow"],
    sentence: "Lossless does not have this part of MLflow; sending it again will not help.",
  },
  storage_unavailable: {
    status: 503,
    layers: ["request", "event", "stream"],
    shownInV1: "unavailable",
    sentence:
      "The storage does not answer. Writes may or may not have happened; metrics are safe to " +
      "send again with the same messageIds.",
  },
  storage_full: {
    status: 507,
    layers: ["request", "event"],
    shownInV1: "unavailable",
    sentence: "The storage is full; nothing was written.",
  },

  folder_already_exists: {
    status: 409,
    layers: ["event"],
    sentence: "The name is already taken in this folder, by the folder of details.folderId.",
  },
  folder_not_found: {
    status: 404,
    layers: ["event"],
    shownInV1: "not_found",
    sentence: "There is no folder with this id in the organization.",
  },
  folder_not_empty: {
    status: 409,
    layers: ["event"],
    sentence: "The folder still contains folders or experiments.",
  },
  folder_cycle: {
    status: 409,
    layers: ["event"],
    sentence: "A folder cannot be moved into itself or into a folder below it.",
  },
  experiment_not_found: {
    status: 404,
    layers: ["event"],
    shownInV1: "not_found",
    sentence: "There is no experiment with this id or slug in the organization.",
  },
  experiment_deleted: {
    status: 409,
    layers: ["event"],
    shownInV1: "conflict",
    sentence:
      "The experiment is in the trash or was purged, and its slug stays taken; nothing was " +
      "stored. details.experimentId has its id.",
  },
  experiment_changed: {
    status: 409,
    layers: ["event"],
    sentence:
      "The experiment is not as it was at seenUpdatedAtMs: it was made, changed or deleted since. Nothing " +
      "was changed. details.experimentId has its id, if there is one.",
  },
  series_deleted: {
    status: 409,
    layers: ["event"],
    shownInV1: "conflict",
    sentence:
      "The series is in the trash and accepts no points. Restore it, ask an admin to purge it, or " +
      "record under another name.",
  },
  experiment_id_mismatch: {
    status: 409,
    layers: ["event"],
    sentence:
      "The experimentId of the event is not the one in the URL; details has expected and received.",
  },
  experiment_token_invalid: {
    status: 401,
    layers: ["event"],
    sentence:
      "The experiment token is unknown, expired, revoked or of another experiment; open the slug " +
      "again for a new one.",
  },
  message_id_conflict: {
    status: 409,
    layers: ["event"],
    sentence:
      "A metric with this messageId and another payload is already stored in the experiment; the " +
      "first one stays.",
  },
  limit_exceeded: {
    status: 409,
    layers: ["event"],
    shownInV1: "conflict",
    sentence:
      "A limit on stored data is reached; details has limit and maximum, and used if it is a quota of the organization.",
  },
  result_too_large: {
    status: 413,
    layers: ["event"],
    sentence: "The result is larger than one reply may be.",
  },

  bad_request: {
    status: 400,
    layers: ["v1"],
    sentence: "A body or parameter does not have the form that this address accepts.",
  },
  forbidden: {
    status: 403,
    layers: ["v1"],
    sentence:
      "This needs a signed-in person with the right role, in an organization that they belong to.",
  },
  not_empty: {
    status: 409,
    layers: ["v1"],
    sentence: "The artifact already has versions; open it with the mode latest.",
  },
  superseded: {
    status: 409,
    layers: ["v1"],
    sentence:
      "Another writer has opened the artifact; this one must stop. epoch is the current one.",
  },
  not_after_latest: {
    status: 409,
    layers: ["v1"],
    sentence: "The version is not above the latest one; versions are ordered by name, bytewise.",
  },
  not_ready: {
    status: 409,
    layers: ["v1"],
    sentence: "No location can take the write; add a fallback location.",
  },
  conflict: {
    status: 409,
    layers: ["v1"],
    sentence: "The request conflicts with the current state.",
  },
  upstream: {
    status: 502,
    layers: ["v1"],
    sentence: "A call to a cloud or a bucket failed.",
  },
  unavailable: {
    status: 503,
    layers: ["v1"],
    sentence: "The service or its storage does not answer at the moment; try again.",
  },
} as const satisfies Record<string, ErrorDefinition>;

export type ErrorCode = keyof typeof errors;

/** Codes that only v1 replies have. */
export type V1Code = {
  [Code in ErrorCode]: (typeof errors)[Code]["layers"] extends readonly ["v1"] ? Code : never;
}[ErrorCode];

/** Codes sent only to MLflow's clients, under MLflow's names. */
export type MlflowCode = {
  [Code in ErrorCode]: (typeof errors)[Code]["layers"] extends readonly ["mlflow"] ? Code : never;
}[ErrorCode];

export const errorCodes = Object.keys(errors) as ErrorCode[];

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(errors, code);
}

/** Whether a request may be retried: true for 429 and 5xx only, by the specification's rule. */
export function isRetryable(code: ErrorCode): boolean {
  const { status } = errors[code];
  return status === 429 || status >= 500;
}

/** The `data` of an `svc.v2.error` reply or stream record. */
export interface ErrorData {
  code: ErrorCode;
  message: string;
  status: number;
  retryable: boolean;
  details: Record<string, unknown>;
}

export function errorData(
  code: ErrorCode,
  message: string = errors[code].sentence,
  details: Record<string, unknown> = {},
): ErrorData {
  return { code, message, status: errors[code].status, retryable: isRetryable(code), details };
}
