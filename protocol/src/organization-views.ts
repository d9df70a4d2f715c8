import type { EndpointDefinition } from "./endpoint.ts";
import { AuditEvent } from "./identity.ts";
import { limits } from "./limits.ts";
import { assignedId, closedObject, count, nullable, oneOfStrings, reference } from "./schema.ts";
import { SignInsReply } from "./sign-ins.ts";
import * as Type from "./type.ts";
import { extensionRead, personal, removal, writeErrors } from "./v1-endpoint.ts";

/** Storage and traffic of an organization, and its audit log with filters. */

const day = () => Type.String({ description: "UTC, YYYY-MM-DD." });

export const usageViewQuery = Type.Object({
  days: Type.Optional(
    Type.String({
      description: `Days back, today among them; 1 to ${limits.usageDaysMax}, by default ${limits.usageDaysDefault}.`,
      pattern: "^(?:[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6])$",
      "x-rule": `must be a whole number from 1 to ${limits.usageDaysMax}`,
    }),
  ),
  by: Type.Optional(oneOfStrings("UsageGrouping", ["location", "place", "transfer"])),
});

export const UsageViewReply = closedObject("UsageViewReply", {
  firstDay: day(),
  lastDay: day(),
  points: Type.Array(closedObject("PointsOfDay", { day: day(), points: count("Points stored.") }), {
    description: "Days on which points were recorded, oldest first.",
  }),
  pointsBefore: count("Points recorded before the service counted by day."),
  pointsTotal: count("All points that the organization has."),
  groups: Type.Array(Type.String(), {
    description: `The groups named by \`of\`, those with most bytes first; at most ${limits.usageGroupsMax}.`,
  }),
  bytes: Type.Array(
    closedObject("BytesOfDay", {
      day: day(),
      kind: oneOfStrings("UsageKind", ["write", "read"]),
      of: nullable(
        Type.String({
          description:
            "Id of the location; or cloud and region of the writer or reader, with a slash between them; or the " +
            "transfer. null: all that is not among the groups.",
        }),
      ),
      bytes: count("Bytes committed, or signed for reading."),
      count: count("Versions committed, or signed reads."),
    }),
    { description: "Oldest day first." },
  ),
  stored: Type.Array(
    closedObject("StoredAtLocation", {
      location: assignedId("The location."),
      versions: count("Committed versions."),
      bytes: count("Their files together, now."),
      pendingUploads: count("Uploads that are neither committed nor abandoned."),
      pendingBytes: count("Bytes that the pending uploads will have."),
    }),
    { description: "Locations that are not empty, by id." },
  ),
  quota: Type.Array(
    closedObject("QuotaOfKind", {
      kind: oneOfStrings("QuotaKind", ["bytes", "experiments", "partitions", "uploads"]),
      used: count("The stored amount, as quotas count it."),
      maximum: nullable(count("null: there is none.")),
    }),
  ),
});
export type UsageViewReply = Type.Static<typeof UsageViewReply>;

export const auditViewQuery = Type.Object({
  action: Type.Optional(
    reference("Only this action (`apiKey.created`), or all of a noun (`apiKey`)."),
  ),
  actor: Type.Optional(reference("Only actions of this person, key or word.")),
  subject: Type.Optional(reference("Only actions on this id.")),
  since: Type.Optional(instant("Not before this time.")),
  until: Type.Optional(instant("Before this time.")),
  before: Type.Optional(reference("Events before this one.")),
});

function instant(description: string) {
  return Type.String({
    description: `${description} Unix milliseconds.`,
    pattern: "^(?:0|[1-9]\\d{0,14})$",
    "x-rule": "must be Unix milliseconds",
  });
}

const name = (whose: string) =>
  nullable(
    Type.String({
      description: `Display name of ${whose}: an address or a name; null: it has none.`,
    }),
  );

export const AuditViewReply = closedObject("AuditViewReply", {
  events: Type.Array(
    closedObject("NamedAuditEvent", {
      ...AuditEvent.properties,
      actorName: name("the actor"),
      subjectName: name("the subject"),
    }),
    { description: "Newest first." },
  ),
  next: nullable(
    Type.String({ description: "Pass it as `before`; null: there are no older ones." }),
  ),
});
export type AuditViewReply = Type.Static<typeof AuditViewReply>;

export const AuditTermsReply = closedObject("AuditTermsReply", {
  actions: Type.Array(Type.String(), { description: "Actions in the log, by name." }),
  actors: Type.Array(closedObject("AuditActor", { id: Type.String(), name: name("the actor") }), {
    description: `Actors in the log, at most ${limits.auditActorsReturnedMax}.`,
  }),
});
export type AuditTermsReply = Type.Static<typeof AuditTermsReply>;

/** Endpoints for the pages of the organization and the account, besides v1. */
export const organizationViewEndpoints = {
  readUsageView: {
    ...extensionRead,
    path: "/api/views/v1/usage",
    summary: "Points and bytes by day, the current content of locations, and the quota.",
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
    summary: "The person's sessions and command line sign-ins.",
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
