import * as Type from "./type.ts";
import type { EndpointDefinition } from "./endpoint.ts";
import { v1Errors } from "./error-forms.ts";
import { closedObject } from "./schema.ts";

/** OpenID Connect Discovery 1.0, section 3: what clouds read to verify tokens. */
const IssuerConfiguration = closedObject("IssuerConfiguration", {
  issuer: Type.String({ description: "Exactly the `iss` of tokens." }),
  jwks_uri: Type.String(),
  response_types_supported: Type.Array(Type.String()),
  subject_types_supported: Type.Array(Type.String()),
  id_token_signing_alg_values_supported: Type.Array(Type.String()),
  scopes_supported: Type.Array(Type.String()),
  claims_supported: Type.Array(Type.String()),
});

/** RFC 7517. No other members: some clouds refuse keys that have more. */
const IssuerKeySet = closedObject("IssuerKeySet", {
  keys: Type.Array(
    closedObject("IssuerPublicKey", {
      kty: Type.Literal("RSA"),
      n: Type.String(),
      e: Type.String(),
      alg: Type.Literal("RS256"),
      use: Type.Literal("sig"),
      kid: Type.String(),
    }),
  ),
});

const open = {
  errorForm: v1Errors,
  method: "GET",
  credentials: [],
  request: { kind: "none" },
  errors: ["unavailable", "storage_full"],
  extension: true,
} as const;

/** The service as token issuer for connected clouds: public, and cacheable for an hour. */
export const issuerEndpoints = {
  readIssuer: {
    ...open,
    path: "/.well-known/openid-configuration",
    summary: "OpenID Connect discovery document of the token issuer of connected clouds.",
    reply: { kind: "json", status: 200, schema: IssuerConfiguration },
  },
  readIssuerKeys: {
    ...open,
    path: "/.well-known/jwks.json",
    summary: "The keys that verify its tokens (RFC 7517), with the next signing key.",
    reply: { kind: "json", status: 200, schema: IssuerKeySet },
  },
} as const satisfies Record<string, EndpointDefinition>;
