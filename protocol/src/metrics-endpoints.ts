import * as Type from "./type.ts";
import { bodyErrors, type EndpointDefinition, storageErrors } from "./endpoint.ts";
import { v2Errors } from "./error-forms.ts";
import { AuthStatusReply } from "./organization.ts";
import { closedObject, oneOfStrings } from "./schema.ts";

const Health = closedObject("Health", {
  status: oneOfStrings(undefined, ["ok", "starting", "stopping", "unavailable"]),
});

/** v2, and endpoints of no interface. Sessions and OAuth tokens are an extension here (M15). */
export const metricsEndpoints = {
  organizationEvents: {
    errorForm: v2Errors,
    method: "POST",
    path: "/api/v2/events",
    summary: "Folder events, open, tokenRefresh and reads, with the organization's API key.",
    credentials: ["api_key", "session", "oauth"],
    request: { kind: "events", endpoint: "organization" },
    reply: { kind: "events", endpoint: "organization" },
    errors: ["unauthorized", ...bodyErrors, ...storageErrors, "storage_full"],
    extension: false,
  },
  experimentEvents: {
    errorForm: v2Errors,
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
    errorForm: v2Errors,
    method: "POST",
    path: "/api/v2/query/series",
    summary: "Streams series as NDJSON, one reply envelope per line.",
    credentials: ["api_key", "session", "oauth"],
    request: { kind: "events", endpoint: "series" },
    reply: { kind: "events", endpoint: "series" },
    errors: ["unauthorized", ...bodyErrors, ...storageErrors, "data_corrupted"],
    extension: false,
  },
  authStatus: {
    errorForm: v2Errors,
    method: "GET",
    path: "/api/v2/auth/status",
    summary: "Says which kind of credential was sent and which organization it acts for.",
    credentials: ["api_key", "session", "oauth"],
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: AuthStatusReply },
    errors: ["unauthorized", ...storageErrors],
    extension: false,
  },
  openapi: {
    errorForm: v2Errors,
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
    errorForm: v2Errors,
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
    errorForm: v2Errors,
    method: "GET",
    path: "/readyz",
    summary:
      "Answers 200 when requests are served, else 503 with the same form. With for=read a full disk is no " +
      "reason for 503: reads go on.",
    credentials: [],
    query: Type.Object({
      for: Type.Optional(
        Type.Union([Type.Literal("read"), Type.Literal("write")], {
          description: "What for; write when it is left out.",
        }),
      ),
    }),
    request: { kind: "none" },
    reply: { kind: "json", status: 200, otherStatuses: [503], schema: Health },
    errors: ["validation_failed"],
    extension: true,
  },
} as const satisfies Record<string, EndpointDefinition>;
