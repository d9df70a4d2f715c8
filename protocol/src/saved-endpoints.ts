import type { EndpointDefinition } from "./endpoint.ts";
import { savedErrors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import {
  AddedPicture,
  ChangeReportBody,
  CreateReportBody,
  pictureName,
  Report,
  ReportsReply,
} from "./report.ts";
import {
  ChangeSavedViewBody,
  CreateSavedViewBody,
  keptChange,
  SavedView,
  SavedViewsReply,
  seenRow,
} from "./saved.ts";
import { reference } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, readErrors, removal, writeErrors } from "./v1-endpoint.ts";

const saved = { ...extension, errorForm: savedErrors } as const;
const written = [...writeErrors, "conflict"] as const;
const bytesMax = limits.setupBodyBytesMax;

const rules =
  "Only their author sees own ones, not even admins. Every member may change shared ones; " +
  "their author and admins may delete them. A viewer keeps own views alone. A taken name is 409.";

const listing = {
  ...extensionRead,
  errorForm: savedErrors,
  about: "An API key gets the shared ones.",
} as const;
const creating = {
  ...saved,
  method: "POST",
  about: rules,
  role: "member",
  errors: written,
} as const;
const changing = {
  ...saved,
  ...keptChange,
  role: "member",
  errors: [...written, "not_found"],
} as const;
const deleting = { ...saved, ...removal, role: "member", errors: changing.errors } as const;

/** Saved views (named addresses) and reports. */
export const savedEndpoints = {
  listSavedViews: {
    ...listing,
    path: "/api/views/v1/saved",
    summary: "Saved views: names for addresses of pages.",
    reply: { kind: "json", status: 200, schema: SavedViewsReply },
  },
  createSavedView: {
    ...creating,
    role: "viewer",
    path: "/api/views/v1/saved",
    summary: "Saves an address under a name.",
    request: { kind: "json", schema: CreateSavedViewBody, bytesMax },
    reply: { kind: "json", status: 201, schema: SavedView },
  },
  changeSavedView: {
    ...changing,
    role: "viewer",
    path: "/api/views/v1/saved",
    summary: "Renames a saved view, gives it another address, or shares it.",
    query: Type.Object({ id: reference("The view.") }),
    request: { kind: "json", schema: ChangeSavedViewBody, bytesMax },
    reply: { kind: "json", status: 200, schema: SavedView },
  },
  deleteSavedView: {
    ...deleting,
    role: "viewer",
    path: "/api/views/v1/saved",
    summary: "Deletes a saved view; the address itself stays one.",
    query: seenRow("The view."),
  },
  listReports: {
    ...listing,
    path: "/api/views/v1/reports",
    summary: "Reports, without their blocks.",
    reply: { kind: "json", status: 200, schema: ReportsReply },
  },
  readReport: {
    ...extensionRead,
    errorForm: savedErrors,
    path: "/api/views/v1/report",
    summary: "One report, with its blocks.",
    query: Type.Object({ id: reference("The report.") }),
    reply: { kind: "json", status: 200, schema: Report },
    errors: [...readErrors, "not_found"],
  },
  createReport: {
    ...creating,
    path: "/api/views/v1/reports",
    summary: "Makes a report.",
    request: { kind: "json", schema: CreateReportBody, bytesMax },
    reply: { kind: "json", status: 201, schema: Report },
  },
  changeReport: {
    ...changing,
    path: "/api/views/v1/report",
    summary: "Changes a report: its name, its scope, or all of its blocks.",
    query: Type.Object({ id: reference("The report.") }),
    request: { kind: "json", schema: ChangeReportBody, bytesMax },
    reply: { kind: "json", status: 200, schema: Report },
  },
  deleteReport: {
    ...deleting,
    path: "/api/views/v1/report",
    summary: "Deletes a report; nothing brings it back.",
    query: seenRow("The report."),
  },
  addReportPicture: {
    ...saved,
    method: "POST",
    path: "/api/views/v1/report-picture",
    summary: "Puts a picture beside a report, whose texts can name it then.",
    about:
      "PNG, JPEG, WebP or GIF, as its bytes say: the media type of the request does not count. The same bytes are one " +
      "picture. One that no text of the report names is removed after a week; all go with the report.",
    role: "member",
    query: Type.Object({ id: reference("The report.") }),
    request: { kind: "bytes", bytesMax: limits.reportPictureBytesMax },
    reply: { kind: "json", status: 201, schema: AddedPicture },
    errors: [...written, "not_found"],
  },
  readReportPicture: {
    ...extensionRead,
    errorForm: savedErrors,
    path: "/api/views/v1/report-picture",
    summary: "A picture of a report, for whoever reads the report.",
    about: "With a session cookie only a page of the service may ask for it.",
    query: Type.Object({ id: reference("The report."), picture: pictureName }),
    reply: { kind: "bytes", status: 200, isTyped: true },
    errors: [...readErrors, "not_found"],
  },
} as const satisfies Record<string, EndpointDefinition>;
