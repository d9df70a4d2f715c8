import type { CredentialKind } from "./endpoint.ts";

/** Credentials and headers of the OpenAPI document. */
/** One scheme for all credentials sent alike: generated Rust sends the header once a scheme. */
export const schemeNames = {
  api_key: "bearer",
  session: "bearer",
  oauth: "bearer",
  experiment_token: "experimentToken",
  signature: "signature",
  scim: "bearer",
  guest: "bearer",
} as const satisfies Record<CredentialKind, string>;

export const securitySchemes = {
  bearer: {
    type: "http",
    scheme: "bearer",
    description:
      "One of the credentials in `x-credentials` of the operation. An organization API key, prefix `ak_`, acts as its " +
      "organization. A session token, from POST /api/v1/sessions, acts as the session's active organization; the web " +
      "application sends it as a cookie, with the header x-csrf-token. A command-line OAuth token acts as the " +
      "organization named in x-svc-organization, if the person belongs to it; a personal token, prefix `pt_`, as its member " +
      "in its organization, without that header, within its scope. The token of an identity provider, prefix `sc_`, is for " +
      "SCIM alone. A guest link, prefix `gl_`, reads its experiments; the pages send it as a cookie of its own.",
  },
  signature: {
    type: "apiKey",
    in: "query",
    name: "signature",
    description: "The address itself is signed by the service; it ends when expires says.",
  },
  experimentToken: {
    type: "http",
    scheme: "bearer",
    description:
      "Experiment token, prefix `ik_`, from experiment.open or tokenRefresh; " +
      "valid for one experiment, 24 hours.",
  },
};

export const requestIdHeader = { "X-Request-Id": { $ref: "#/components/headers/RequestId" } };

/** Extension: an organization's events say whether points may be sent as columns. */
export const columnsHeader = { "lossless-columns": { $ref: "#/components/headers/Columns" } };

export const parameters = {
  Organization: {
    name: "x-svc-organization",
    in: "header",
    required: false,
    description: "Name or id of the organization; needed with an OAuth token.",
    schema: { type: "string" },
  },
};

export const headers = {
  RequestId: {
    description:
      "The id of this request in the service's log; the request's own `X-Request-Id`, if it has one.",
    schema: { type: "string" },
  },
  Columns: {
    description:
      "Versions of points as columns (`recordColumns`) that the service reads, with commas between them.",
    "x-extension": true,
    schema: { type: "string" },
  },
  RetryAfter: { description: "Seconds to wait.", schema: { type: "integer" } },
  WwwAuthenticate: { description: "`Bearer`", schema: { type: "string" } },
  Allow: { description: "The methods of this address.", schema: { type: "string" } },
};

export function extraHeaders(status: number): Record<string, unknown> {
  if (status === 401)
    return { "WWW-Authenticate": { $ref: "#/components/headers/WwwAuthenticate" } };
  if (status === 405) return { Allow: { $ref: "#/components/headers/Allow" } };
  if (status === 429 || status === 503) {
    return { "Retry-After": { $ref: "#/components/headers/RetryAfter" } };
  }
  return {};
}
