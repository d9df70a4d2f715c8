import type { EndpointDefinition } from "./endpoint.ts";
import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  count,
  label,
  nullable,
  oneOfStrings,
  reference,
  timestamp,
} from "./schema.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, readErrors, removal, writeErrors } from "./v1-endpoint.ts";

/** Guest links: addresses by which people without an account read some experiments, for a time. */

const shows = {
  isAnonymous: Type.Boolean({
    description:
      "For review: neither names of people, runs and the organization, nor texts that people or scripts wrote.",
  }),
  showsConsole: Type.Boolean({ description: "Whether it shows consoles." }),
  showsFiles: Type.Boolean({
    description: "Whether it shows media and files of artifacts and runs, and gives them out.",
  }),
};

const kind = oneOfStrings("GuestLinkKind", ["experiment", "comparison", "report"]);
const experimentIds = Type.Array(Type.String(), {
  description: "The experiments that it shows, as they were found when it was made.",
});
const reportId = nullable(Type.String({ description: "The report that it shows; null: none." }));

export const GuestLink = closedObject("GuestLink", {
  id: assignedId("Assigned by the service."),
  name: Type.String(),
  kind,
  experimentIds,
  reportId,
  ...shows,
  created: timestamp("When it was made."),
  createdBy: Type.String({ description: "E-mail address of the person who made it." }),
  expires: timestamp("When it ends."),
  lastUsed: nullable(timestamp("When it was opened last; null: never.")),
  uses: count("How often it was opened."),
});
export type GuestLink = Type.Static<typeof GuestLink>;

export const GuestLinksReply = closedObject("GuestLinksReply", {
  links: Type.Array(GuestLink, { description: "Valid links, the newest first." }),
  membersShare: Type.Boolean({
    description: "Whether members may make links; admins and owners always may.",
  }),
});
export type GuestLinksReply = Type.Static<typeof GuestLinksReply>;

export const CreateGuestLinkBody = closedObject("CreateGuestLinkBody", {
  name: label("For those who list it; guests do not see it."),
  experimentIds: Type.Optional(
    Type.Array(reference("An experiment."), {
      description: "What it shows: one experiment, or a comparison of several.",
      minItems: 1,
      maxItems: limits.guestExperimentsMax,
    }),
  ),
  reportId: Type.Optional(
    reference("Instead: a shared report, with the experiments that it shows now."),
  ),
  days: Type.Integer({
    description: "Until it ends.",
    minimum: 1,
    maximum: limits.guestLinkDaysMax,
  }),
  isAnonymous: Type.Optional(shows.isAnonymous),
  showsConsole: Type.Optional(shows.showsConsole),
  showsFiles: Type.Optional(shows.showsFiles),
});
export type CreateGuestLinkBody = Type.Static<typeof CreateGuestLinkBody>;

export const CreateGuestLinkReply = closedObject("CreateGuestLinkReply", {
  link: GuestLink,
  address: Type.String({
    description: "The address for guests. It is shown only here; its secret is behind the `#`.",
  }),
});
export type CreateGuestLinkReply = Type.Static<typeof CreateGuestLinkReply>;

export const GuestSettings = closedObject("GuestSettings", {
  membersShare: Type.Boolean({ description: "Whether members may make guest links." }),
});
export type GuestSettings = Type.Static<typeof GuestSettings>;

export const OpenGuestLinkBody = closedObject("OpenGuestLinkBody", {
  secret: Type.String({ description: "Behind the `#` of the address.", maxLength: 128 }),
});
export type OpenGuestLinkBody = Type.Static<typeof OpenGuestLinkBody>;

/** The scope of a guest, for the pages. */
export const GuestVisit = closedObject("GuestVisit", {
  csrf: Type.String({ description: "For the header x-csrf-token of requests with the cookie." }),
  expires: timestamp("When the link ends."),
  organization: nullable(Type.String({ description: "Its name; null: the link is anonymous." })),
  kind,
  experimentIds,
  reportId,
  ...shows,
});
export type GuestVisit = Type.Static<typeof GuestVisit>;

const bytesMax = limits.setupBodyBytesMax;

export const guestEndpoints = {
  listGuestLinks: {
    ...extensionRead,
    path: "/api/guests/v1/links",
    summary: "The organization's guest links, without their secrets.",
    role: "member",
    reply: { kind: "json", status: 200, schema: GuestLinksReply },
  },
  createGuestLink: {
    ...extension,
    method: "POST",
    path: "/api/guests/v1/links",
    summary: "Makes a guest link; its address is in this reply only.",
    about:
      "Who has the address reads these experiments and nothing else, without an account, until the link ends or is revoked. " +
      "It needs a person: an admin or owner, or a member where the organization lets members share.",
    role: "member",
    request: { kind: "json", schema: CreateGuestLinkBody, bytesMax },
    reply: { kind: "json", status: 201, schema: CreateGuestLinkReply },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  revokeGuestLink: {
    ...extension,
    ...removal,
    path: "/api/guests/v1/links",
    summary: "Ends a guest link at once: the caller's own or, for an admin, any.",
    role: "member",
    query: Type.Object({ id: reference("The link.") }),
    errors: [...writeErrors, "not_found"],
  },
  setGuestSettings: {
    ...extension,
    method: "PUT",
    path: "/api/guests/v1/settings",
    summary: "Sets whether members may make guest links.",
    role: "admin",
    request: { kind: "json", schema: GuestSettings, bytesMax },
    reply: { kind: "json", status: 200, schema: GuestSettings },
    errors: writeErrors,
  },
  openGuestLink: {
    ...extension,
    method: "POST",
    path: "/api/guests/v1/visit",
    summary: "Opens a guest link: sets a cookie that reads what the link shows, and nothing else.",
    about: "Only pages of this service can ask for it.",
    credentials: [],
    request: { kind: "json", schema: OpenGuestLinkBody, bytesMax: limits.openBodyBytesMax },
    reply: { kind: "json", status: 200, schema: GuestVisit },
    errors: writeErrors,
  },
  readGuestVisit: {
    ...extensionRead,
    path: "/api/guests/v1/visit",
    summary: "What the link of the guest's cookie shows.",
    credentials: ["guest"],
    reply: { kind: "json", status: 200, schema: GuestVisit },
    errors: readErrors,
  },
} as const satisfies Record<string, EndpointDefinition>;
