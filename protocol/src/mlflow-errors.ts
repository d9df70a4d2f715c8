import type { ErrorForm } from "./error-form.ts";
import { type ErrorCode, errors } from "./errors.ts";
import { closedObject } from "./schema.ts";
import * as Type from "./type.ts";

const MlflowFailure = closedObject(
  "MlflowFailure",
  {
    error_code: Type.String({ description: "A code of MLflow's." }),
    message: Type.String({ description: "A sentence for people." }),
  },
  { description: "A request of an MLflow client was refused." },
);

/**
 * Errors as MLflow clients expect them: MLflow's codes and statuses. Clients repeat 408, 429, 500,
 * 502, 503 and 504 up to seven times, so no failure that would repeat has one of these.
 */
export const mlflowErrors: ErrorForm = {
  paths:
    /^\/(?:(?:ajax-)?api\/[23]\.0\/mlflow(?:-artifacts)?(?:\/|$)|(?:version|health|(?:\/?model-versions\/)?get-artifact|v1\/traces)$)/,
  challenge: 'Basic realm="Lossless"',
  codeOf,
  statusOf: (code) =>
    (keepsStatus.has(code) ? undefined : statuses[codeOf(code)]) ?? errors[code].status,
  json: {
    schema: MlflowFailure,
    bodyOf: ({ code, message }): Type.Static<typeof MlflowFailure> => ({
      error_code: codeOf(code),
      message,
    }),
  },
};

function codeOf(code: ErrorCode): string {
  const own: string | undefined = (codes as Partial<Record<ErrorCode, string>>)[code];
  if (own !== undefined) return own;
  const { status } = errors[code];
  if (status === 503) return "TEMPORARILY_UNAVAILABLE";
  return status >= 500 ? "INTERNAL_ERROR" : "BAD_REQUEST";
}

const codes = {
  bad_request: "INVALID_PARAMETER_VALUE",
  conflict: "RESOURCE_ALREADY_EXISTS",
  folder_already_exists: "RESOURCE_ALREADY_EXISTS",
  unauthorized: "UNAUTHENTICATED",
  forbidden: "PERMISSION_DENIED",
  not_found: "ENDPOINT_NOT_FOUND",
  method_not_allowed: "ENDPOINT_NOT_FOUND",
  experiment_not_found: "RESOURCE_DOES_NOT_EXIST",
  experiment_deleted: "RESOURCE_DOES_NOT_EXIST",
  series_deleted: "RESOURCE_DOES_NOT_EXIST",
  folder_not_found: "RESOURCE_DOES_NOT_EXIST",
  model_not_found: "RESOURCE_DOES_NOT_EXIST",
  tag_not_found: "RESOURCE_DOES_NOT_EXIST",
  file_not_found: "RESOURCE_DOES_NOT_EXIST",
  feature_disabled: "FEATURE_DISABLED",
  rate_limited: "REQUEST_LIMIT_EXCEEDED",
  not_implemented: "NOT_IMPLEMENTED",
  storage_full: "RESOURCE_EXHAUSTED",
} as const satisfies Partial<Record<ErrorCode, string>>;

/** Codes whose own status is kept: clients retry on it, or it says more than any MLflow code. */
const keepsStatus: ReadonlySet<ErrorCode> = new Set([
  "request_timeout",
  "misdirected_request",
  "headers_too_large",
]);

/** Statuses of MLflow codes that differ from those of our codes. */
const statuses: Partial<Record<string, number>> = {
  INVALID_PARAMETER_VALUE: 400,
  RESOURCE_ALREADY_EXISTS: 400,
  BAD_REQUEST: 400,
  RESOURCE_DOES_NOT_EXIST: 404,
};
