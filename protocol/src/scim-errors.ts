import type { ErrorForm } from "./error-form.ts";
import { type ErrorCode, errors } from "./errors.ts";
import { closedObject } from "./schema.ts";
import * as Type from "./type.ts";

/** Media type of SCIM bodies, both ways (RFC 7644 3.1). */
export const scimMediaType = "application/scim+json";

const ScimFailure = closedObject(
  "ScimFailure",
  {
    schemas: Type.Array(Type.String()),
    status: Type.String({ description: "The HTTP status, as a text." }),
    scimType: Type.Optional(Type.String({ description: "A keyword of RFC 7644, table 9." })),
    detail: Type.String({ description: "A sentence for people." }),
  },
  { description: "A request of an identity provider was refused." },
);

/** Errors of SCIM (RFC 7644 3.12), with a keyword where its table has one. */
export const scimErrors: ErrorForm = {
  paths: /^\/scim(?:\/|$)/,
  mediaType: scimMediaType,
  json: {
    schema: ScimFailure,
    bodyOf({ code, message, details }): Type.Static<typeof ScimFailure> {
      const scimType = details["scimType"] ?? keywords[code];
      return {
        schemas: ["urn:ietf:params:scim:api:messages:2.0:Error"],
        status: String(errors[code].status),
        ...(typeof scimType === "string" && { scimType }),
        detail: message,
      };
    },
  },
};

const keywords: Partial<Record<ErrorCode, string>> = {
  bad_request: "invalidValue",
  malformed_json: "invalidSyntax",
  validation_failed: "invalidSyntax",
};
