import * as Type from "./type.ts";
import { CompleteConnectionBody, Connection, CreateConnectionBody } from "./connection.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import {
  AcceptInvitationBody,
  ApiKeysReply,
  AuditReply,
  ChangePasswordBody,
  ChangeRoleBody,
  CreateApiKeyBody,
  CreateApiKeyReply,
  CreateInvitationBody,
  CreateInvitationReply,
  CreateSessionBody,
  CurrentSession,
  EraseAccountBody,
  InvitationsReply,
  OrganizationsReply,
  OrganizationView,
  PeopleReply,
  Person,
  SessionReply,
  SwitchOrganizationBody,
  Whoami,
} from "./identity.ts";
import { CreateLocationBody, Location, UpdateLocationBody, UsageReply } from "./location.ts";
import { limits } from "./limits.ts";
import { MlflowLocations } from "./mlflow-locations.ts";
import { reference } from "./schema.ts";
import {
  extension,
  extensionRead,
  personal,
  removal,
  specified,
  specifiedRead,
  writeErrors,
} from "./v1-endpoint.ts";

/** Begins a session, for whoever knows a secret. */
const sessionOpening = {
  ...extension,
  method: "POST",
  credentials: [],
  reply: { kind: "json", status: 201, schema: SessionReply },
  errors: writeErrors,
} as const;

const id = (description: string) => Type.Object({ id: reference(description) });
const connectionId = id("The connection.");
const locationId = id("The location.");
const keyId = id("The key.");
const personId = id("The person.");
const invitationId = id("The invitation.");

/** v1: organizations, their setup and access to them. */
export const organizationEndpoints = {
  readOrganization: {
    ...specifiedRead,
    path: "/api/v1/org",
    summary: "The organization with its connections and locations.",
    reply: { kind: "json", status: 200, schema: OrganizationView },
  },
  createConnection: {
    ...specified,
    method: "POST",
    path: "/api/v1/connections",
    summary: "Begins to connect a cloud account.",
    role: "admin",
    request: { kind: "json", schema: CreateConnectionBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: Connection },
    errors: [...writeErrors, "conflict"],
  },
  completeConnection: {
    ...specified,
    method: "PUT",
    path: "/api/v1/connections",
    summary: "Stores the identifiers of the cloud account, after a token was exchanged for them.",
    role: "admin",
    query: connectionId,
    request: { kind: "json", schema: CompleteConnectionBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: Connection },
    errors: [...writeErrors, "not_found", "upstream"],
  },
  deleteConnection: {
    ...specified,
    ...removal,
    path: "/api/v1/connections",
    summary: "Removes a connection that no active location needs.",
    role: "admin",
    query: connectionId,
    errors: [...writeErrors, "not_found", "conflict"],
  },
  createLocation: {
    ...specified,
    method: "POST",
    path: "/api/v1/locations",
    summary: "Adds a location after it was probed: put, ranged get, multipart upload, delete.",
    role: "admin",
    request: { kind: "json", schema: CreateLocationBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: Location },
    errors: [...writeErrors, "not_found", "conflict", "upstream"],
  },
  updateLocation: {
    ...specified,
    method: "PATCH",
    path: "/api/v1/locations",
    summary: "Renames or retires a location, makes it the fallback or the default of its cloud.",
    role: "admin",
    query: locationId,
    request: { kind: "json", schema: UpdateLocationBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: Location },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  readMlflowLocations: {
    ...extensionRead,
    path: "/api/v1/mlflow-locations",
    summary: "Which artifact locations of their own MLflow's experiments may have.",
    reply: { kind: "json", status: 200, schema: MlflowLocations },
  },
  setMlflowLocations: {
    ...extension,
    method: "PUT",
    path: "/api/v1/mlflow-locations",
    summary: "Sets which ones new experiments may have.",
    about:
      "Clients access these places with their own rights. Existing experiments stay as they are.",
    role: "admin",
    request: { kind: "json", schema: MlflowLocations, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: MlflowLocations },
    errors: writeErrors,
  },
  readUsage: {
    ...specifiedRead,
    path: "/api/v1/usage",
    summary: "Bytes and counts by UTC day, kind, place, location, match and transfer.",
    query: Type.Object({
      days: Type.Optional(
        Type.String({
          description:
            `Days back, today among them; 1 to ${limits.usageDaysMax}, ` +
            `by default ${limits.usageDaysDefault}.`,
          pattern: "^(?:[1-9]\\d?|[12]\\d\\d|3[0-5]\\d|36[0-6])$",
          "x-rule": `must be a whole number from 1 to ${limits.usageDaysMax}`,
        }),
      ),
    }),
    reply: { kind: "json", status: 200, schema: UsageReply },
  },
  listApiKeys: {
    ...specifiedRead,
    path: "/api/v1/api-keys",
    summary: "The organization's API keys that are not revoked, oldest first.",
    reply: { kind: "json", status: 200, schema: ApiKeysReply },
  },
  createApiKey: {
    ...specified,
    method: "POST",
    path: "/api/v1/api-keys",
    summary: "Makes an API key; its secret is in this reply only.",
    role: "admin",
    request: { kind: "json", schema: CreateApiKeyBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: CreateApiKeyReply },
    errors: [...writeErrors, "conflict"],
  },
  revokeApiKey: {
    ...specified,
    ...removal,
    path: "/api/v1/api-keys",
    summary: "Revokes an API key at once.",
    role: "admin",
    query: keyId,
    errors: [...writeErrors, "not_found"],
  },
  whoami: {
    ...specifiedRead,
    path: "/api/v1/whoami",
    summary: "The caller for whom the credential acts.",
    reply: { kind: "json", status: 200, schema: Whoami },
  },
  createSession: {
    ...sessionOpening,
    path: "/api/v1/sessions",
    summary: "Signs a person in by e-mail and password.",
    request: { kind: "json", schema: CreateSessionBody, bytesMax: limits.openBodyBytesMax },
  },
  readSession: {
    ...personal,
    method: "GET",
    path: "/api/v1/sessions",
    summary: "The session: its person, organization and end.",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: CurrentSession },
    errors: ["unauthorized", "forbidden", "unavailable"],
  },
  switchOrganization: {
    ...personal,
    method: "PATCH",
    path: "/api/v1/sessions",
    summary: "Makes another organization of the person the session's active one.",
    request: { kind: "json", schema: SwitchOrganizationBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: CurrentSession },
    errors: writeErrors,
  },
  endSession: {
    ...personal,
    ...removal,
    path: "/api/v1/sessions",
    summary: "Signs out: the token is dead.",
    errors: ["unauthorized", "forbidden", "unavailable", "storage_full"],
  },
  changePassword: {
    ...personal,
    method: "PUT",
    path: "/api/v1/password",
    summary: "Changes the person's password; every other session and token of theirs ends.",
    request: { kind: "json", schema: ChangePasswordBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "empty", status: 204 },
    errors: writeErrors,
  },
  eraseAccount: {
    ...personal,
    method: "POST",
    path: "/api/v1/account/erase",
    summary:
      "Erases the person: memberships, sign-ins and tokens end, and the identity is removed.",
    about:
      "It cannot be undone. The id stays, and a pseudonym made of it replaces the address everywhere. The last owner " +
      "of an organization gets 409 until another person owns it.",
    request: { kind: "json", schema: EraseAccountBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "empty", status: 204 },
    errors: [...writeErrors, "conflict"],
  },
  listOrganizations: {
    ...personal,
    method: "GET",
    path: "/api/v1/organizations",
    summary: "The organizations that the person belongs to.",
    credentials: ["session", "oauth"],
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: OrganizationsReply },
    errors: ["unauthorized", "forbidden", "unavailable"],
  },
  listPeople: {
    ...extensionRead,
    path: "/api/v1/people",
    summary: "The people of the organization.",
    role: "viewer",
    reply: { kind: "json", status: 200, schema: PeopleReply },
  },
  changeRole: {
    ...extension,
    method: "PATCH",
    path: "/api/v1/people",
    summary: "Changes a person's role; the last owner keeps theirs.",
    role: "admin",
    query: personId,
    request: { kind: "json", schema: ChangeRoleBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: Person },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  removePerson: {
    ...extension,
    ...removal,
    path: "/api/v1/people",
    summary: "Ends a person's membership at once; the last owner stays.",
    role: "admin",
    query: personId,
    errors: [...writeErrors, "not_found", "conflict"],
  },
  listInvitations: {
    ...extensionRead,
    path: "/api/v1/invitations",
    summary: "Open invitations.",
    role: "admin",
    reply: { kind: "json", status: 200, schema: InvitationsReply },
  },
  createInvitation: {
    ...extension,
    method: "POST",
    path: "/api/v1/invitations",
    summary: "Makes a one-time link by which a person joins the organization.",
    role: "admin",
    request: { kind: "json", schema: CreateInvitationBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: CreateInvitationReply },
    errors: [...writeErrors, "conflict"],
  },
  revokeInvitation: {
    ...extension,
    ...removal,
    path: "/api/v1/invitations",
    summary: "Ends an invitation.",
    role: "admin",
    query: invitationId,
    errors: [...writeErrors, "not_found"],
  },
  acceptInvitation: {
    ...sessionOpening,
    path: "/api/v1/invitations/accept",
    summary: "Takes an invitation or the first-start link: sets the password and signs in.",
    request: { kind: "json", schema: AcceptInvitationBody, bytesMax: limits.openBodyBytesMax },
  },
  readAudit: {
    ...extensionRead,
    path: "/api/v1/audit",
    summary: "The audit log of the organization, newest first, by pages.",
    role: "admin",
    query: Type.Object({ before: Type.Optional(reference("Events before this one.")) }),
    reply: { kind: "json", status: 200, schema: AuditReply },
  },
} as const satisfies Record<string, EndpointDefinition>;
