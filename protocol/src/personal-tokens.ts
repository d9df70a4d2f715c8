import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  label,
  nullable,
  oneOfStrings,
  reference,
  timestamp,
} from "./schema.ts";
import * as Type from "./type.ts";

/** Tokens by which programs act for one member, and members that are programs. */

const scope = oneOfStrings("TokenScope", ["read", "write", "role"]);

export const PersonalToken = closedObject("PersonalToken", {
  id: assignedId("Assigned by the service."),
  name: Type.String(),
  scope,
  person: Type.String({ description: "Id of the member for whom it acts." }),
  owner: Type.String({ description: "Their e-mail address, or the name of a service account." }),
  created: timestamp("When it was made."),
  createdBy: Type.String({ description: "Id of the person." }),
  expires: nullable(timestamp("When it ends; null: when it is revoked, or the membership ends.")),
  lastUsed: nullable(timestamp("To five minutes; null: never used.")),
});
export type PersonalToken = Type.Static<typeof PersonalToken>;

export const PersonalTokensReply = closedObject("PersonalTokensReply", {
  tokens: Type.Array(PersonalToken, { description: "Valid tokens, oldest first." }),
});
export type PersonalTokensReply = Type.Static<typeof PersonalTokensReply>;

export const CreateTokenBody = closedObject("CreateTokenBody", {
  name: label("For people."),
  scope: Type.Unsafe<"read" | "write" | "role">({
    ...scope,
    description:
      "read: only reads; the only one of viewers. write: everything that an API key may. role: everything that the member's role may, except tokens and passwords. None exceeds the member's present role.",
  }),
  days: nullable(
    Type.Integer({
      description: "Until it expires; null: it does not.",
      minimum: 1,
      maximum: limits.tokenDaysMax,
    }),
  ),
  account: Type.Optional(
    reference("Id of the service account that it is for, by an admin; left out: it is one's own."),
  ),
});
export type CreateTokenBody = Type.Static<typeof CreateTokenBody>;

export const CreateTokenReply = closedObject("CreateTokenReply", {
  token: PersonalToken,
  secret: Type.String({ description: "Shown only here." }),
});
export type CreateTokenReply = Type.Static<typeof CreateTokenReply>;

export const ServiceAccount = closedObject("ServiceAccount", {
  id: assignedId("A member as any other: the people of the organization have it."),
  name: Type.String(),
  role: oneOfStrings("ServiceAccountRole", ["admin", "member", "viewer"]),
});
export type ServiceAccount = Type.Static<typeof ServiceAccount>;

export const CreateServiceAccountBody = closedObject("CreateServiceAccountBody", {
  name: Type.String({
    description: "Unique in the organization.",
    pattern: "^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$",
    "x-rule": "must have 1 to 63 small letters, digits and hyphens, and no hyphen at its ends",
  }),
  role: oneOfStrings("ServiceAccountRole", ["admin", "member", "viewer"]),
});
export type CreateServiceAccountBody = Type.Static<typeof CreateServiceAccountBody>;
