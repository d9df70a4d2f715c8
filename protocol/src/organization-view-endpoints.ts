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
import { extensionRead, personal, removal, writeErrors } from "./v1-endpoint.ts";

/** Endpoints for the pages of the organization and the account, besides v1. */
export const organizationViewEndpoints = {
  readUsageView: {
    ...extensionRead,
    path: "/api/views/v1/usage",
    summary: "Points and bytes by day, what locations hold now, and the quota.",
    query: usageViewQuery,
    reply: { kind: "json", status: 200, schema: UsageViewReply },
  },
  readAuditView: {
    ...extensionRead,
    path: "/api/views/v1/audit",
    summary: "The audit log by action, actor, subject and time, newest first, by pages.",
    role: "admin",
    query: auditViewQuery,
    reply: { kind: "json", status: 200, schema: AuditViewReply },
  },
  readAuditTerms: {
    ...extensionRead,
    path: "/api/views/v1/audit-terms",
    summary: "The actions and actors that the audit log has.",
    role: "admin",
    reply: { kind: "json", status: 200, schema: AuditTermsReply },
  },
  listSignIns: {
    ...personal,
    method: "GET",
    path: "/api/v1/sign-ins",
    summary: "Where the person is signed in: sessions, and sign-ins of the command line.",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: SignInsReply },
    errors: ["unauthorized", "forbidden", "unavailable"],
  },
  endSignIn: {
    ...personal,
    ...removal,
    path: "/api/v1/sign-ins",
    summary: "Ends one of them at once; ending the session that asks signs out.",
    query: Type.Object({ id: reference("The session or sign-in.") }),
    errors: [...writeErrors, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;
