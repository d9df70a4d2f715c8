import type { EndpointDefinition } from "./endpoint.ts";
import { pageErrors } from "./error-forms.ts";
import { limits } from "./limits.ts";
import { SetSignOnBody, SignOnView } from "./sign-on.ts";
import * as Type from "./type.ts";
import { extension, readErrors, writeErrors } from "./v1-endpoint.ts";

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
    ...extension,
    method: "GET",
    path: "/api/sign-on/v1/provider",
    summary: "The organization's identity provider, without its secret.",
    role: "admin",
    request: { kind: "none" },
    reply: { kind: "json", status: 200, schema: SignOnView },
    errors: readErrors,
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
    method: "DELETE",
    path: "/api/sign-on/v1/provider",
    summary: "Ends sign-on by the provider, and every session that began with it.",
    role: "owner",
    request: { kind: "none" },
    reply: { kind: "empty", status: 204 },
    errors: [...writeErrors, "not_found"],
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
