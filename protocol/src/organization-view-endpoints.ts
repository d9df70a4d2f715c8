import type { EndpointDefinition } from "./endpoint.ts";
import {
  AuditTermsReply,
  AuditViewReply,
  auditViewQuery,
  UsageViewReply,
  usageViewQuery,
} from "./organization-views.ts";
import { SignInsReply } from "./sign-ins.ts";
import { reference } from "./schema.ts";
import * as Type from "./type.ts";
import { v1Errors } from "./error-forms.ts";
import { extension, readErrors, writeErrors } from "./v1-endpoint.ts";

/** Endpoints for the pages of the organization and the account, besides v1. */
export const organizationViewEndpoints = {
  readUsageView: {
    ...extension,
    method: "GET",
    path: "/api/views/v1/usage",
    summary: "Points and bytes by day, what locations hold now, and the quota.",
    query: usageViewQuery,
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: UsageViewReply },
    errors: readErrors,
  },
  readAuditView: {
    ...extension,
    method: "GET",
    path: "/api/views/v1/audit",
    summary: "The audit log by action, actor, subject and time, newest first, by pages.",
    role: "admin",
    query: auditViewQuery,
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: AuditViewReply },
    errors: readErrors,
  },
  readAuditTerms: {
    ...extension,
    method: "GET",
    path: "/api/views/v1/audit-terms",
    summary: "The actions and actors that the audit log has.",
    role: "admin",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: AuditTermsReply },
    errors: readErrors,
  },
  listSignIns: {
    errorForm: v1Errors,
    method: "GET",
    path: "/api/v1/sign-ins",
    summary: "Where the person is signed in: sessions, and sign-ins of the command line.",
    credentials: ["session"],
    personal: true,
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: SignInsReply },
    errors: ["unauthorized", "forbidden", "unavailable"],
    extension: true,
  },
  endSignIn: {
    errorForm: v1Errors,
    method: "DELETE",
    path: "/api/v1/sign-ins",
    summary: "Ends one of them at once; ending the session that asks signs out.",
    credentials: ["session"],
    personal: true,
    query: Type.Object({ id: reference("The session or sign-in.") }),
    request: { kind: "none" },
    reply: { kind: "empty", status: 204 },
    errors: [...writeErrors, "not_found"],
    extension: true,
  },
} as const satisfies Record<string, EndpointDefinition>;
