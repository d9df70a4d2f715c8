import Type from "typebox";
import type { TSchema } from "typebox";
import type { ErrorCode } from "./errors.ts";
import type { EventEndpoint } from "./events.ts";
import { AuthStatusReply } from "./organization.ts";
import { closedObject, oneOfStrings } from "./schema.ts";

/**
 * Who may call an endpoint. `api_key`: an organization API key (`ak_…`); `experiment_token`: a
 * token of the very experiment in the URL (`ik_…`); none: open to everyone.
 */
export type CredentialKind = "api_key" | "experiment_token";

export interface EndpointDefinition {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Parameters in braces, as in OpenAPI. */
  path: string;
  summary: string;
  credentials: readonly CredentialKind[];
  /**
   * Events: the envelopes of that endpoint, one or an array (`series`: one, answered by a stream).
   */
  request:
    | { kind: "none" }
    | { kind: "events"; endpoint: EventEndpoint }
    | { kind: "json"; schema: TSchema };
  reply:
    | { kind: "events"; endpoint: EventEndpoint }
    | { kind: "json"; status: number; otherStatuses?: readonly number[]; schema: TSchema };
  /** Request-level codes besides those that every endpoint can answer (everyEndpointErrors). */
  errors: readonly ErrorCode[];
  extension: boolean;
}

/** Codes of the guards in front of every endpoint. */
export const everyEndpointErrors = [
  "invalid_headers",
  "method_not_allowed",
  "request_timeout",
  "misdirected_request",
  "headers_too_large",
  "rate_limited",
  "internal",
  "overloaded",
  "shutting_down",
] as const satisfies readonly ErrorCode[];

const bodyErrors = [
  "malformed_json",
  "validation_failed",
  "payload_too_large",
  "unsupported_media_type",
] as const;
const storageErrors = ["storage_unavailable"] as const;

const Health = closedObject("Health", {
  status: oneOfStrings(["ok", "starting", "stopping", "unavailable"]),
});

export const endpoints = {
  organizationEvents: {
    method: "POST",
    path: "/api/v2/events",
    summary: "Folder events, open, tokenRefresh and reads, with the organization's API key.",
    credentials: ["api_key"],
    request: { kind: "events", endpoint: "organization" },
    reply: { kind: "events", endpoint: "organization" },
    errors: ["unauthorized", ...bodyErrors, ...storageErrors, "storage_full"],
    extension: false,
  },
  experimentEvents: {
    method: "POST",
    path: "/api/v2/experiments/{experimentId}/events",
    summary: "Lifecycle, metric points and annotations of one experiment, with its token.",
    credentials: ["experiment_token"],
    request: { kind: "events", endpoint: "experiment" },
    reply: { kind: "events", endpoint: "experiment" },
    errors: [
      "unauthorized",
      ...bodyErrors,
      "duplicate_message_id",
      ...storageErrors,
      "storage_full",
    ],
    extension: false,
  },
  querySeries: {
    method: "POST",
    path: "/api/v2/query/series",
    summary: "Streams series as NDJSON, one reply envelope per line.",
    credentials: ["api_key"],
    request: { kind: "events", endpoint: "series" },
    reply: { kind: "events", endpoint: "series" },
    errors: ["unauthorized", ...bodyErrors, ...storageErrors, "data_corrupted"],
    extension: false,
  },
  authStatus: {
    method: "GET",
    path: "/api/v2/auth/status",
    summary: "Says which kind of credential was sent and which organization it acts for.",
    credentials: ["api_key"],
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: AuthStatusReply },
    errors: ["unauthorized", ...storageErrors],
    extension: false,
  },
  openapi: {
    method: "GET",
    path: "/api/openapi.json",
    summary: "This document.",
    credentials: [],
    request: { kind: "none" },
    reply: {
      kind: "json",
      status: 200,
      schema: Type.Unsafe<Record<string, unknown>>({ type: "object" }),
    },
    errors: [],
    extension: false,
  },
  healthz: {
    method: "GET",
    path: "/healthz",
    summary: "Answers 200 as long as the process lives.",
    credentials: [],
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: Health },
    errors: [],
    extension: true,
  },
  readyz: {
    method: "GET",
    path: "/readyz",
    summary: "Answers 200 when requests are served, else 503 with the same form.",
    credentials: [],
    request: { kind: "none" },
    reply: { kind: "json", status: 200, otherStatuses: [503], schema: Health },
    errors: [],
    extension: true,
  },
} as const satisfies Record<string, EndpointDefinition>;

export type EndpointName = keyof typeof endpoints;
