import * as Type from "./type.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { oauthErrors, pageErrors, v2Errors } from "./error-forms.ts";
import { closedObject, stringMap } from "./schema.ts";

const form = (title: string, description: string) => ({
  kind: "form" as const,
  schema: Type.Unsafe<Record<string, string>>({ ...stringMap(description), title }),
});
const authorizeQuery = Type.Object({
  response_type: Type.Optional(Type.String()),
  client_id: Type.Optional(Type.String()),
  redirect_uri: Type.Optional(Type.String()),
  code_challenge: Type.Optional(Type.String()),
  code_challenge_method: Type.Optional(Type.String()),
  state: Type.Optional(Type.String()),
});
const storage = ["unavailable", "storage_full"] as const;

const oauth = { errorForm: oauthErrors, credentials: [], extension: true } as const;
/** A form of a page, answered by a page. */
const answer = {
  errorForm: pageErrors,
  method: "POST",
  credentials: [],
  reply: { kind: "page", status: 200 },
  extension: true,
} as const;
const page = { ...answer, method: "GET", request: { kind: "none" } } as const;

/** Command-line sign-in (RFC 6749, 7636, 7009, 8252, 8414, 8628), and its small pages. */
export const oauthEndpoints = {
  oauthMetadata: {
    ...oauth,
    method: "GET",
    path: "/.well-known/oauth-authorization-server",
    summary: "RFC 8414 metadata of the command-line sign-in.",
    request: { kind: "none" },
    reply: {
      kind: "json",
      status: 200,
      schema: closedObject("OauthMetadata", {
        issuer: Type.String(),
        authorization_endpoint: Type.String(),
        token_endpoint: Type.String(),
        device_authorization_endpoint: Type.String(),
        revocation_endpoint: Type.String(),
        response_types_supported: Type.Array(Type.String()),
        grant_types_supported: Type.Array(Type.String()),
        code_challenge_methods_supported: Type.Array(Type.String()),
        token_endpoint_auth_methods_supported: Type.Array(Type.String()),
        revocation_endpoint_auth_methods_supported: Type.Array(Type.String()),
        authorization_response_iss_parameter_supported: Type.Boolean(),
      }),
    },
    errors: ["unavailable"],
  },
  oauthToken: {
    ...oauth,
    method: "POST",
    path: "/oauth/token",
    summary: "Grants authorization_code, refresh_token and device_code.",
    request: form("OauthTokenForm", "RFC 6749 4.1.3 and 6, RFC 8628 3.4."),
    reply: {
      kind: "json",
      status: 200,
      schema: closedObject("OauthTokenReply", {
        access_token: Type.String(),
        token_type: Type.Literal("Bearer"),
        expires_in: Type.Integer(),
        refresh_token: Type.String(),
      }),
    },
    errors: ["bad_request", ...storage],
  },
  oauthDevice: {
    ...oauth,
    method: "POST",
    path: "/oauth/device",
    summary: "RFC 8628 device authorization: a code for the device and one for the person.",
    request: form("OauthDeviceForm", "RFC 8628 3.1."),
    reply: {
      kind: "json",
      status: 200,
      schema: closedObject("OauthDeviceReply", {
        device_code: Type.String(),
        user_code: Type.String(),
        verification_uri: Type.String(),
        expires_in: Type.Integer(),
        interval: Type.Integer(),
      }),
    },
    errors: ["bad_request", ...storage],
  },
  oauthRevoke: {
    ...oauth,
    method: "POST",
    path: "/oauth/revoke",
    summary: "RFC 7009: ends a token and everything of its sign-in.",
    request: form("OauthRevokeForm", "RFC 7009 2.1."),
    reply: { kind: "empty", status: 200 },
    errors: ["bad_request", ...storage],
  },
  authorizePage: {
    ...page,
    path: "/oauth/authorize",
    summary: "Asks the signed-in person whether the command line may act for them.",
    query: authorizeQuery,
    errors: ["bad_request", "unavailable"],
  },
  authorize: {
    ...answer,
    path: "/oauth/authorize",
    summary: "The answer to that question.",
    query: authorizeQuery,
    request: form("AuthorizeForm", "The page's own form."),
    errors: ["bad_request", "forbidden", ...storage],
  },
  devicePage: {
    ...page,
    path: "/device",
    summary: "Asks the signed-in person for the code that a device shows.",
    errors: ["unavailable"],
  },
  approveDevice: {
    ...answer,
    path: "/device",
    summary: "Accepts the code, shows the requesting device, and accepts the answer.",
    request: form("DeviceForm", "The page's own form."),
    errors: ["bad_request", "forbidden", "rate_limited", ...storage],
  },
  startPage: {
    ...page,
    errorForm: v2Errors,
    path: "/",
    summary: "Redirects a browser to the pages; 404 for all other clients.",
    reply: { kind: "page", status: 303 },
    errors: ["not_found"],
  },
  signInPage: {
    ...page,
    path: "/sign-in",
    summary: "The sign-in page.",
    query: Type.Object({
      next: Type.Optional(Type.String({ description: "The page of this service to open next." })),
    }),
    errors: ["unavailable"],
  },
  signIn: {
    ...answer,
    path: "/sign-in",
    summary: "Signs in with a cookie and redirects to the requested page.",
    request: form("SignInForm", "The page's own form."),
    errors: ["bad_request", "unauthorized", "forbidden", ...storage],
  },
  signOut: {
    ...answer,
    path: "/sign-out",
    summary: "Signs out and forgets the cookie.",
    request: form("SignOutForm", "The page's own form."),
    errors: ["bad_request", "forbidden", ...storage],
  },
  joinPage: {
    ...page,
    path: "/join",
    summary: "The page of an invitation or first-start link, which sets e-mail and password.",
    query: Type.Object({ token: Type.Optional(Type.String({ description: "Of the link." })) }),
    errors: ["bad_request", "not_found", "unavailable"],
  },
  join: {
    ...answer,
    path: "/join",
    summary: "Takes the invitation and signs in with a cookie.",
    request: form("JoinForm", "The page's own form."),
    errors: ["bad_request", "unauthorized", "forbidden", ...storage],
  },
} as const satisfies Record<string, EndpointDefinition>;
