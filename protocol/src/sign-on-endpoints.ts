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
import { reference } from "./schema.ts";
import { ScimTokenReply, ScimView, SetSignOnBody, SignOnView } from "./sign-on.ts";
import * as Type from "./type.ts";
import { extension, extensionRead, removal, writeErrors } from "./v1-endpoint.ts";

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
      "What is left out has its default, but the secret stays. Needs an owner: who holds it decides who is one.",
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
    summary: "Whether the organization's identity provider may say by SCIM who belongs to it.",
    role: "admin",
    reply: { kind: "json", status: 200, schema: ScimView },
  },
  createScimToken: {
    ...extension,
    method: "POST",
    path: "/api/sign-on/v1/scim",
    summary: "Makes the provider's SCIM token; its secret is in this reply only.",
    about: "One that there was ends at once; what the provider has sent stays.",
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
    role: "member",
    query: Type.Object({
      of: Type.Optional(
        Type.String({
          description: "`all`: those of every member, for an admin.",
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
    role: "member",
    request: { kind: "json", schema: CreateTokenBody, bytesMax: limits.setupBodyBytesMax },
    reply: { kind: "json", status: 201, schema: CreateTokenReply },
    errors: [...writeErrors, "not_found", "conflict"],
  },
  revokeToken: {
    ...extension,
    ...removal,
    path: "/api/sign-on/v1/tokens",
    summary: "Revokes a personal token at once: one's own, or as an admin anybody's.",
    role: "member",
    query: Type.Object({ id: reference("The token.") }),
    errors: [...writeErrors, "not_found"],
  },
  createServiceAccount: {
    ...extension,
    method: "POST",
    path: "/api/sign-on/v1/service-accounts",
    summary: "Makes a member that is no human and acts by tokens alone.",
    about:
      "It is among the people of the organization, where its role is changed and it is removed.",
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
      next: Type.Optional(Type.String({ description: "The page of ours to go on to." })),
    }),
    errors: ["bad_request", "not_found", "upstream", "unavailable"],
  },
  finishSignOn: {
    ...page,
    path: "/sign-on/{organizationId}/callback",
    summary: "Where the provider sends the browser back to: signs in with the cookie.",
    errors: ["bad_request", "not_found", "upstream", "unavailable", "storage_full"],
  },
} as const satisfies Record<string, EndpointDefinition>;
