import * as Type from "./type.ts";
import { bodyErrors, type EndpointDefinition, storageErrors } from "./endpoint.ts";
import { v2Errors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import { RecordColumnsReply } from "./columns.ts";
import { AuthStatusReply } from "./organization.ts";
import { closedObject, oneOfStrings } from "./schema.ts";

const Health = closedObject("Health", {
  status: oneOfStrings(undefined, ["ok", "starting", "stopping", "unavailable"]),
});

const specified = {
  errorForm: v2Errors,
  credentials: ["api_key", "session", "oauth"],
  extension: false,
} as const;
/** Open to everybody. */
const open = {
  ...specified,
  method: "GET",
  credentials: [],
  request: { kind: "none" },
  errors: [],
} as const;
const eventErrors = ["unauthorized", ...bodyErrors, ...storageErrors] as const;

/** v2, and endpoints of no interface. Sessions and OAuth tokens are an extension here (M15). */
export const metricsEndpoints = {
  organizationEvents: {
    ...specified,
    method: "POST",
    path: "/api/v2/events",
    summary: "Folder events, open, tokenRefresh and reads, with the organization's API key.",
    request: { kind: "events", endpoint: "organization" },
    reply: { kind: "events", endpoint: "organization" },
    errors: [...eventErrors, "storage_full"],
  },
  experimentEvents: {
    ...specified,
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
  },
  recordColumns: {
    ...specified,
    method: "POST",
    path: "/api/v2/experiments/{experimentId}/columns",
    summary: "Metric points of one experiment as columns: many at once, much cheaper than as JSON.",
    about:
      "The body is binary: docs/columns.md describes its bytes. The rules of points are those of " +
      "`svc.v2.experiment.metric`; a point that was sent either way is recognised in both.",
    credentials: ["experiment_token"],
    request: { kind: "bytes", bytesMax: limits.columnsBodyBytesMax },
    reply: { kind: "json", status: 200, schema: RecordColumnsReply },
    errors: [
      "unauthorized",
      ...bodyErrors,
      "checksum_mismatch",
      "duplicate_message_id",
      ...storageErrors,
      "storage_full",
    ],
    extension: true,
  },
  querySeries: {
    ...specified,
    method: "POST",
    path: "/api/v2/query/series",
    summary: "Streams series as NDJSON, one reply envelope per line.",
    request: { kind: "events", endpoint: "series" },
    reply: { kind: "events", endpoint: "series" },
    errors: [...eventErrors, "data_corrupted"],
  },
  authStatus: {
    ...specified,
    method: "GET",
    path: "/api/v2/auth/status",
    summary: "Says which kind of credential was sent and which organization it acts for.",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: AuthStatusReply },
    errors: ["unauthorized", ...storageErrors],
  },
  openapi: {
    ...open,
    path: "/api/openapi.json",
    summary: "This document.",
    reply: {
      kind: "json",
      status: 200,
      schema: Type.Unsafe<Record<string, unknown>>({ type: "object" }),
    },
  },
  healthz: {
    ...open,
    path: "/healthz",
    summary: "Answers 200 as long as the process lives.",
    reply: { kind: "json", status: 200, schema: Health },
    extension: true,
  },
  readyz: {
    ...open,
    path: "/readyz",
    summary:
      "Answers 200 while requests are served, otherwise 503 in the same form. With for=read a full disk is no " +
      "reason for 503: reads go on.",
    query: Type.Object({
      for: Type.Optional(
        Type.Union([Type.Literal("read"), Type.Literal("write")], {
          description: "The purpose; default write.",
        }),
      ),
    }),
    reply: { kind: "json", status: 200, otherStatuses: [503], schema: Health },
    errors: ["validation_failed"],
    extension: true,
  },
} as const satisfies Record<string, EndpointDefinition>;
