import type { EndpointDefinition } from "./endpoint.ts";
import { pageErrors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import {
  CreateServiceAccountBody,
  CreateTokenBody,
  CreateTokenReply,
  PersonalTokensReply,
  ServiceAccount,
} from "./personal-tokens.ts";
import { roles } from "./roles.ts";
import { closedObject, count, label, nullable, reference, text, timestamp } from "./schema.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, removal, writeErrors } from "./v1-endpoint.ts";

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
  name: label("The provider's name on the button of the sign-in page."),
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
    description: "Requested scopes; default `openid email profile`.",
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
    text(1, limits.signOnTextCharactersMax, "The claim with a person's groups; null: none."),
  ),
  roles: Type.Array(GroupRole, {
    description: "The highest role of a person's groups counts, at every sign-in.",
    maxItems: limits.signOnRolesMax,
  }),
  defaultRole: nullable(role),
  forced: Type.Boolean({
    description:
      "Whether members sign in by the provider only. Owners may still use passwords, so that a failing provider locks no owner out.",
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
    description: "Whether the client has no secret and uses only PKCE.",
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
  startAddress: Type.String({ description: "The address that begins a sign-in by the provider." }),
});
export type SignOnView = Type.Static<typeof SignOnView>;

const page = {
  errorForm: pageErrors,
  method: "GET",
  credentials: [],
  request: { kind: "none" },
  reply: { kind: "page", status: 303 },
  extension: true,
} as const;

/** Sign-on by an organization's identity provider. */
export const signOnEndpoints = {
  readSignOn: {
    ...extensionRead,
    path: "/api/sign-on/v1/provider",
    summary: "The organization's identity provider, without its secret.",
    role: "admin",
    reply: { kind: "json", status: 200, schema: SignOnView },
  },
  setSignOn: {
    ...extension,
    method: "PUT",
    path: "/api/sign-on/v1/provider",
    summary: "Sets the organization's identity provider, after its metadata was read.",
    about:
      "Missing fields get their defaults, but the secret stays. Needs an owner, because the provider decides who is a member.",
    role: "owner",
    request: { kind: "json", schema: SetSignOnBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 200, schema: SignOnView },
    errors: [...writeErrors, "conflict", "upstream"],
  },
  removeSignOn: {
    ...extension,
    ...removal,
    path: "/api/sign-on/v1/provider",
    summary: "Ends sign-on by the provider, and every session that began with it.",
    role: "owner",
    errors: [...writeErrors, "not_found"],
  },
  readScim: {
    ...extensionRead,
    path: "/api/sign-on/v1/scim",
    summary: "The SCIM settings of the organization's identity provider.",
    role: "admin",
    reply: { kind: "json", status: 200, schema: ScimView },
  },
  createScimToken: {
    ...extension,
    method: "POST",
    path: "/api/sign-on/v1/scim",
    summary: "Makes the provider's SCIM token; its secret is in this reply only.",
    about: "An existing token ends at once; the provider's data stays.",
    role: "owner",
    request: { kind: "none" },
    reply: { kind: "json", status: 201, schema: ScimTokenReply },
    errors: [...writeErrors, "conflict"],
  },
  endScim: {
    ...extension,
    ...removal,
    path: "/api/sign-on/v1/scim",
    summary: "Ends the token and forgets users and groups of the provider; people stay members.",
    role: "owner",
    errors: [...writeErrors, "not_found"],
  },
  listTokens: {
    ...extensionRead,
    path: "/api/sign-on/v1/tokens",
    summary: "One's own personal tokens in the organization; all of its members' for an admin.",
    role: "viewer",
    query: Type.Object({
      of: Type.Optional(
        Type.String({
          description: "`all`: tokens of every member, for an admin.",
          pattern: "^all$",
          "x-rule": "must be all",
        }),
      ),
    }),
    reply: { kind: "json", status: 200, schema: PersonalTokensReply },
  },
  createToken: {
    ...extension,
    method: "POST",
    path: "/api/sign-on/v1/tokens",
    summary:
      "Makes a personal token, or one of a service account; its secret is in this reply only.",
    about:
      "It is sent as every bearer credential and acts for its member in this organization, never for more than the " +
      "member's role of the moment. It ends with the membership.",
    role: "viewer",
    request: { kind: "json", schema: CreateTokenBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: CreateTokenReply },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  revokeToken: {
    ...extension,
    ...removal,
    path: "/api/sign-on/v1/tokens",
    summary: "Revokes a personal token at once: the caller's own or, for an admin, any member's.",
    role: "viewer",
    query: Type.Object({ id: reference("The token.") }),
    errors: [...writeErrors, "not_found"],
  },
  createServiceAccount: {
    ...extension,
    method: "POST",
    path: "/api/sign-on/v1/service-accounts",
    summary: "Makes a service account: a member that acts only by tokens.",
    about:
      "It is listed with the people of the organization, where its role can be changed and it can be removed.",
    role: "admin",
    request: { kind: "json", schema: CreateServiceAccountBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: ServiceAccount },
    errors: [...writeErrors, "conflict"],
  },
  beginSignOn: {
    ...page,
    path: "/sign-on/{organizationId}",
    summary: "Leads a browser to the organization's identity provider.",
    query: Type.Object({
      next: Type.Optional(Type.String({ description: "The page of this service to open next." })),
    }),
    errors: ["bad_request", "not_found", "upstream", "unavailable"],
  },
  finishSignOn: {
    ...page,
    path: "/sign-on/{organizationId}/callback",
    summary: "The redirect address of the provider; it signs in with the cookie.",
    errors: ["bad_request", "not_found", "upstream", "unavailable", "storage_full"],
  },
} as const satisfies Record<string, EndpointDefinition>;
