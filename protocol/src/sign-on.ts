import { limits } from "./limits.ts";
import { roles } from "./roles.ts";
import { closedObject, count, label, nullable, text, timestamp } from "./schema.ts";
import * as Type from "./type.ts";

/** Sign-in by an organization's own identity provider. */

const role = Type.Unsafe<(typeof roles)[number]>({
  type: "string",
  enum: [...roles],
  "x-name": "Role",
});

const domain = Type.String({
  description: "Of e-mail addresses, without the @.",
  maxLength: limits.signOnDomainCharactersMax,
  pattern:
    "^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)+$",
  "x-rule": "must be a domain such as example.com",
});

const GroupRole = closedObject("GroupRole", {
  group: text(
    1,
    limits.signOnGroupCharactersMax,
    "As the provider names it in the claim, or by SCIM.",
  ),
  role,
});

const settings = {
  name: label("What the button of the sign-in page calls the provider."),
  issuer: Type.String({
    description: "Its issuer, to the letter; `/.well-known/openid-configuration` is below it.",
    maxLength: limits.signOnAddressCharactersMax,
    pattern: "^https?://[^\\s?#@\\\\]+$",
    "x-rule": "must be an address like https://login.example.com, without query and user",
  }),
  clientId: text(
    1,
    limits.signOnTextCharactersMax,
    "Under which this service is registered there.",
  ),
  scopes: Type.String({
    description: "What is asked for; `openid email profile` by default.",
    maxLength: limits.signOnTextCharactersMax,
    pattern: "^[!-~]+(?: [!-~]+)*$",
    "x-rule": "must be words with single spaces between",
  }),
  domains: Type.Array(domain, {
    description: "The only domains of addresses that may sign in.",
    minItems: 1,
    maxItems: limits.signOnDomainsMax,
  }),
  groupsClaim: nullable(
    text(
      1,
      limits.signOnTextCharactersMax,
      "The claim that has a person's groups; null: none has.",
    ),
  ),
  roles: Type.Array(GroupRole, {
    description: "The highest role of a person's groups counts, at every sign-in.",
    maxItems: limits.signOnRolesMax,
  }),
  defaultRole: nullable(role),
  forced: Type.Boolean({
    description:
      "Whether members sign in by the provider only. Owners may use their passwords still, so that nobody is locked out.",
  }),
};

const { scopes, groupsClaim, roles: groupRoles, defaultRole, forced, ...needed } = settings;

export const SetSignOnBody = closedObject("SetSignOnBody", {
  ...needed,
  clientSecret: Type.Optional(
    nullable(
      text(
        1,
        limits.signOnSecretCharactersMax,
        "Sealed at rest, never shown; left out: it stays. Null: a public client, by PKCE alone.",
      ),
    ),
  ),
  scopes: Type.Optional(scopes),
  groupsClaim: Type.Optional(groupsClaim),
  roles: Type.Optional(groupRoles),
  defaultRole: Type.Optional(defaultRole),
  forced: Type.Optional(forced),
});
export type SetSignOnBody = Type.Static<typeof SetSignOnBody>;

export const SignOnSettings = closedObject("SignOnSettings", {
  ...settings,
  publicClient: Type.Boolean({
    description: "Whether the client has no secret: PKCE alone says who began.",
  }),
});
export type SignOnSettings = Type.Static<typeof SignOnSettings>;

export const ScimView = closedObject("ScimView", {
  address: Type.String({ description: "The base address, to be set at the provider." }),
  token: nullable(
    closedObject("ScimToken", {
      created: timestamp("When it was made."),
      createdBy: Type.String({ description: "Id of the owner." }),
      lastUsed: nullable(timestamp("To five minutes; null: never used.")),
    }),
  ),
  users: count("Users that the provider has sent."),
  groups: count("And groups."),
});
export type ScimView = Type.Static<typeof ScimView>;

export const ScimTokenReply = closedObject("ScimTokenReply", {
  scim: ScimView,
  secret: Type.String({ description: "Shown only here." }),
});
export type ScimTokenReply = Type.Static<typeof ScimTokenReply>;

export const SignOnView = closedObject("SignOnView", {
  settings: nullable(SignOnSettings),
  redirectAddress: Type.String({ description: "To be registered at the provider." }),
  startAddress: Type.String({ description: "Where a sign-in by the provider begins." }),
});
export type SignOnView = Type.Static<typeof SignOnView>;
