import type { EndpointDefinition } from "./endpoint.ts";
import { savedErrors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import { ChangeReportBody, CreateReportBody, Report, ReportsReply } from "./report.ts";
import { ChangeSavedViewBody, CreateSavedViewBody, SavedView, SavedViewsReply } from "./saved.ts";
import { reference } from "./schema.ts";
import * as Type from "./type.ts";

const saved = {
  errorForm: savedErrors,
  credentials: ["api_key", "session", "oauth"],
  extension: true,
} as const;
const read = ["bad_request", "unauthorized", "forbidden", "unavailable"] as const;
const written = [...read, "storage_full", "conflict"] as const;

const id = (description: string) => Type.Object({ id: reference(description) });
const seen = (description: string) =>
  Type.Object({
    id: reference(description),
    revision: Type.String({
      description: "The revision that was seen.",
      pattern: "^\\d{1,15}$",
      "x-rule": "must be a whole number",
    }),
  });

const rules =
  "One's own nobody else sees, admins neither. What is shared with the organization every member may change; " +
  "whoever made it, and admins, may delete it. Names are 409 where they are taken.";

/** Saved views (named addresses) and reports. */
export const savedEndpoints = {
  listSavedViews: {
    ...saved,
    method: "GET",
    path: "/api/views/v1/saved",
    summary: "Saved views: names for addresses of pages.",
    about: "An API key gets those of the organization.",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: SavedViewsReply },
    errors: read,
  },
  createSavedView: {
    ...saved,
    method: "POST",
    path: "/api/views/v1/saved",
    summary: "Saves an address under a name.",
    about: rules,
    role: "member",
    request: { kind: "json", schema: CreateSavedViewBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: SavedView },
    errors: written,
  },
  changeSavedView: {
    ...saved,
    method: "PUT",
    path: "/api/views/v1/saved",
    summary: "Renames a saved view, gives it another address, or shares it.",
    about: "409 says what stands there when somebody else has changed it since it was read.",
    role: "member",
    query: id("The view."),
    request: { kind: "json", schema: ChangeSavedViewBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: SavedView },
    errors: [...written, "not_found"],
  },
  deleteSavedView: {
    ...saved,
    method: "DELETE",
    path: "/api/views/v1/saved",
    summary: "Deletes a saved view; the address itself stays one.",
    role: "member",
    query: seen("The view."),
    request: { kind: "none" },
    reply: { kind: "empty", status: 204 },
    errors: [...written, "not_found"],
  },
  listReports: {
    ...saved,
    method: "GET",
    path: "/api/views/v1/reports",
    summary: "Reports, without what is in them.",
    about: "An API key gets those of the organization.",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: ReportsReply },
    errors: read,
  },
  readReport: {
    ...saved,
    method: "GET",
    path: "/api/views/v1/report",
    summary: "One report: its text, and what its charts and tables show.",
    query: id("The report."),
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: Report },
    errors: [...read, "not_found"],
  },
  createReport: {
    ...saved,
    method: "POST",
    path: "/api/views/v1/reports",
    summary: "Makes a report.",
    about: rules,
    role: "member",
    request: { kind: "json", schema: CreateReportBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: Report },
    errors: written,
  },
  changeReport: {
    ...saved,
    method: "PUT",
    path: "/api/views/v1/report",
    summary: "Changes a report: its name, whose it is, or all of its blocks.",
    about: "409 says what stands there when somebody else has changed it since it was read.",
    role: "member",
    query: id("The report."),
    request: { kind: "json", schema: ChangeReportBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: Report },
    errors: [...written, "not_found"],
  },
  deleteReport: {
    ...saved,
    method: "DELETE",
    path: "/api/views/v1/report",
    summary: "Deletes a report; nothing brings it back.",
    role: "member",
    query: seen("The report."),
    request: { kind: "none" },
    reply: { kind: "empty", status: 204 },
    errors: [...written, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;
