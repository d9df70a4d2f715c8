import * as Type from "./type.ts";
import { Connection } from "./connection.ts";
import { limits } from "./limits.ts";
import { Location } from "./location.ts";
import { Organization } from "./organization.ts";
import { roles } from "./roles.ts";
import {
  assignedId,
  closedObject,
  label,
  nullable,
  oneOfStrings,
  reference,
  timestamp,
} from "./schema.ts";

export { roles };
export type Role = (typeof roles)[number];
const role = Type.Unsafe<Role>({ type: "string", enum: [...roles], "x-name": "Role" });

export const OrganizationView = closedObject("OrganizationView", {
  orgId: assignedId("The organization."),
  name: Type.String(),
  issuer: Type.String({ description: "Address of the token issuer of its connections." }),
  connections: Type.Array(Connection),
  locations: Type.Array(Location),
  ready: Type.Boolean({ description: "Whether an active fallback location exists." }),
});
export type OrganizationView = Type.Static<typeof OrganizationView>;

export const ApiKey = closedObject("ApiKey", {
  id: assignedId("Assigned by the service."),
  name: Type.String(),
  created: timestamp("When it was made."),
  createdBy: Type.String({
    description: "Id of the person, or `bootstrap` for the operator.",
  }),
  lastUsed: nullable(timestamp("To the minute; null: never used.")),
});
export type ApiKey = Type.Static<typeof ApiKey>;

export const ApiKeysReply = closedObject("ApiKeysReply", { keys: Type.Array(ApiKey) });
export type ApiKeysReply = Type.Static<typeof ApiKeysReply>;

export const CreateApiKeyBody = closedObject("CreateApiKeyBody", { name: label("For people.") });
export type CreateApiKeyBody = Type.Static<typeof CreateApiKeyBody>;

export const CreateApiKeyReply = closedObject("CreateApiKeyReply", {
  key: ApiKey,
  secret: Type.String({ description: "Shown only here." }),
});
export type CreateApiKeyReply = Type.Static<typeof CreateApiKeyReply>;

export const Whoami = closedObject("Whoami", {
  orgId: assignedId("The organization that the credential acts for."),
  userId: nullable(Type.String({ description: "The person; null: none." })),
  credential: oneOfStrings("CredentialWord", ["api_key", "session", "oauth"]),
});
export type Whoami = Type.Static<typeof Whoami>;

// ---- extensions: people

const email = Type.String({
  description: "Compared without regard to case.",
  maxLength: limits.emailCharactersMax,
  pattern: "^[^@\\s\\x00-\\x1f\\x7f]+@[^@\\s\\x00-\\x1f\\x7f]+$",
  "x-rule": "must be an e-mail address",
});
/** A password that is only compared may be any text. */
const presentedPassword = Type.String({ maxLength: limits.passwordCharactersMax });
const newPassword = Type.String({
  description: "A long password is better than a strange one. It is stored as a slow hash.",
  minLength: limits.passwordCharactersMin,
  maxLength: limits.passwordCharactersMax,
});

export const CreateSessionBody = closedObject("CreateSessionBody", {
  email: Type.String({ maxLength: limits.emailCharactersMax }),
  password: presentedPassword,
  organization: Type.Optional(
    reference("Name or id; needed only when the person belongs to several."),
  ),
  cookie: Type.Optional(
    Type.Boolean({
      description: "true: the token is set as an HttpOnly cookie, and the reply has csrf instead.",
    }),
  ),
});
export type CreateSessionBody = Type.Static<typeof CreateSessionBody>;

export const SessionReply = closedObject("SessionReply", {
  token: Type.Optional(Type.String({ description: "Bearer credential of the session." })),
  csrf: Type.Optional(
    Type.String({ description: "For the header x-csrf-token of requests with the cookie." }),
  ),
  expires: timestamp("When the session ends."),
  organization: Organization,
});
export type SessionReply = Type.Static<typeof SessionReply>;

const MemberOrganization = closedObject("MemberOrganization", {
  id: assignedId("The organization."),
  name: Type.String(),
  role,
});

/** The session's own state, for a page that only has the cookie. */
export const CurrentSession = closedObject("CurrentSession", {
  csrf: Type.String({ description: "For the header x-csrf-token of requests with the cookie." }),
  expires: timestamp("When the session ends."),
  person: closedObject("CurrentPerson", { id: assignedId("The person."), email: Type.String() }),
  organization: nullable(Organization),
  role: nullable(role),
  organizations: Type.Array(MemberOrganization, {
    description: "The person's organizations, by name.",
  }),
});
export type CurrentSession = Type.Static<typeof CurrentSession>;

export const SwitchOrganizationBody = closedObject("SwitchOrganizationBody", {
  organization: reference("Name or id of an organization that the person belongs to."),
});
export type SwitchOrganizationBody = Type.Static<typeof SwitchOrganizationBody>;

export const OrganizationsReply = closedObject("OrganizationsReply", {
  organizations: Type.Array(MemberOrganization),
});
export type OrganizationsReply = Type.Static<typeof OrganizationsReply>;

export const ChangePasswordBody = closedObject("ChangePasswordBody", {
  current: presentedPassword,
  password: newPassword,
});
export type ChangePasswordBody = Type.Static<typeof ChangePasswordBody>;

export const EraseAccountBody = closedObject("EraseAccountBody", {
  email: Type.String({
    description: "The person's own address, as a confirmation.",
    maxLength: limits.emailCharactersMax,
  }),
  password: Type.Optional(
    Type.String({
      description: "The current password; missing after a sign-in by an identity provider.",
      maxLength: limits.passwordCharactersMax,
    }),
  ),
});
export type EraseAccountBody = Type.Static<typeof EraseAccountBody>;

export const Person = closedObject("Person", {
  id: assignedId("The person."),
  email: Type.String(),
  role,
  joined: timestamp("When the person joined the organization."),
});
export type Person = Type.Static<typeof Person>;

export const PeopleReply = closedObject("PeopleReply", { people: Type.Array(Person) });
export type PeopleReply = Type.Static<typeof PeopleReply>;

export const ChangeRoleBody = closedObject("ChangeRoleBody", { role });
export type ChangeRoleBody = Type.Static<typeof ChangeRoleBody>;

export const Invitation = closedObject("Invitation", {
  id: assignedId("Assigned by the service."),
  email: nullable(Type.String({ description: "Only this address can accept it; null: any." })),
  role,
  created: timestamp("When it was made."),
  createdBy: Type.String(),
  expires: timestamp("When the link ends."),
});
export type Invitation = Type.Static<typeof Invitation>;

export const InvitationsReply = closedObject("InvitationsReply", {
  invitations: Type.Array(Invitation),
});
export type InvitationsReply = Type.Static<typeof InvitationsReply>;

export const CreateInvitationBody = closedObject("CreateInvitationBody", {
  email: Type.Optional(email),
  role,
});
export type CreateInvitationBody = Type.Static<typeof CreateInvitationBody>;

export const CreateInvitationReply = closedObject("CreateInvitationReply", {
  invitation: Invitation,
  link: Type.String({ description: "One use; shown only here." }),
});
export type CreateInvitationReply = Type.Static<typeof CreateInvitationReply>;

export const AcceptInvitationBody = closedObject("AcceptInvitationBody", {
  token: reference("From the link."),
  email,
  password: newPassword,
});
export type AcceptInvitationBody = Type.Static<typeof AcceptInvitationBody>;

export const AuditEvent = closedObject("AuditEvent", {
  id: assignedId("Sorts by time."),
  at: timestamp("When it happened."),
  action: Type.String({ description: "What happened, for instance apiKey.created." }),
  actor: Type.String({
    description:
      "Id of the person or key, or `bootstrap`, `provision`, `operator`, `service`, `retention`.",
  }),
  subject: nullable(Type.String({ description: "Id of the object of the action." })),
  address: nullable(Type.String({ description: "Network address of the caller." })),
  details: Type.Unsafe<Record<string, unknown>>({ type: "object" }),
});
export type AuditEvent = Type.Static<typeof AuditEvent>;

export const AuditReply = closedObject("AuditReply", {
  events: Type.Array(AuditEvent, { description: "Newest first." }),
  next: nullable(
    Type.String({ description: "Pass it as `before`; null: there are no older ones." }),
  ),
});
export type AuditReply = Type.Static<typeof AuditReply>;
