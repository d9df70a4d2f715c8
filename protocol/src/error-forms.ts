import type { ErrorForm } from "./error-form.ts";
import { type ErrorCode, type ErrorDefinition, errors } from "./errors.ts";
import { PresentTexts } from "./edits.ts";
import { PresentRevision } from "./saved.ts";
import { closedObject } from "./schema.ts";
import * as Type from "./type.ts";

const RequestFailure = closedObject(
  "RequestFailure",
  {
    data: Type.Null(),
    error: closedObject("RequestError", {
      message: Type.String({ description: "A sentence for people." }),
      details: Type.String({ description: "`code=<code>; request_id=<id>`" }),
    }),
  },
  { description: "The request as a whole was refused." },
);

/** Failures of v2, and of addresses that belong to no interface. */
export const v2Errors: ErrorForm = {
  json: {
    schema: RequestFailure,
    bodyOf: ({ code, message, requestId }): Type.Static<typeof RequestFailure> => ({
      data: null,
      error: { message, details: `code=${code}; request_id=${requestId}` },
    }),
  },
};

const ArtifactFailure = closedObject(
  "ArtifactFailure",
  {
    error: Type.String({ description: "A stable code." }),
    message: Type.String({ description: "A sentence for people." }),
    epoch: Type.Optional(Type.Integer({ description: "With superseded: the current epoch." })),
  },
  { description: "A v1 request was refused." },
);

/**
 * Failures of v1, and of the views, the trash, guests and sign-on: v1's table of codes is closed
 * (A40, A63).
 */
export const v1Errors: ErrorForm = {
  paths: /^\/(?:api\/(?:(?:views|console|attempts|trash|sign-on|guests)\/)?v1|objects)(?:\/|$)/,
  codeOf: codeInV1,
  json: {
    schema: ArtifactFailure,
    bodyOf: ({ code, message, details }): Type.Static<typeof ArtifactFailure> => ({
      error: codeInV1(code),
      message,
      ...(code === "superseded" && { epoch: details["epoch"] as number }),
    }),
  },
};

const EditFailure = closedObject(
  "EditFailure",
  {
    error: Type.String({ description: "A stable code." }),
    message: Type.String({ description: "A sentence for people." }),
    present: Type.Optional(PresentTexts),
  },
  { description: "An edit was refused." },
);

/** Failures of edits: as v1, and a conflict also says what stands there now. */
export const editErrors: ErrorForm = {
  codeOf: codeInV1,
  json: {
    schema: EditFailure,
    bodyOf: ({ code, message, details: { present } }): Type.Static<typeof EditFailure> => ({
      error: codeInV1(code),
      message,
      ...(present !== undefined && { present: present as PresentTexts }),
    }),
  },
};

const SavedFailure = closedObject(
  "SavedFailure",
  {
    error: Type.String({ description: "A stable code." }),
    message: Type.String({ description: "A sentence for people." }),
    present: Type.Optional(PresentRevision),
  },
  { description: "A saved view or report could not be read or changed." },
);

/**
 * Failures of saved views and reports: as v1, and a conflict with an earlier change also says what
 * stands there now.
 */
export const savedErrors: ErrorForm = {
  codeOf: codeInV1,
  json: {
    schema: SavedFailure,
    bodyOf: ({ code, message, details: { present } }): Type.Static<typeof SavedFailure> => ({
      error: codeInV1(code),
      message,
      ...(present !== undefined && { present: present as PresentRevision }),
    }),
  },
};

function codeInV1(code: ErrorCode): string {
  const definition: ErrorDefinition = errors[code];
  return definition.layers.includes("v1") ? code : (definition.shownInV1 ?? "internal");
}

const OauthFailure = closedObject("OauthFailure", {
  error: Type.String({ description: "A code of RFC 6749 or RFC 8628." }),
  error_description: Type.String({ description: "A sentence for people." }),
});

/** Failures of OAuth (RFC 6749 5.2): an unreadable body is 400, like every other mistake. */
export const oauthErrors: ErrorForm = {
  statusOf(code) {
    const { status } = errors[code];
    return status === 413 || status === 415 ? 400 : status;
  },
  json: {
    schema: OauthFailure,
    bodyOf({ code, message, details }): Type.Static<typeof OauthFailure> {
      const { oauthError } = details;
      const error = typeof oauthError === "string" ? oauthError : oauthCode(errors[code].status);
      return { error, error_description: message };
    },
  },
};

/** The codes of RFC 6749 4.1.2.1 and 5.2. */
function oauthCode(status: number): string {
  if (status === 503 || status === 429) return "temporarily_unavailable";
  return status >= 500 ? "server_error" : "invalid_request";
}

const GraphqlFailure = closedObject(
  "GraphqlFailure",
  { errors: Type.Array(closedObject("GraphqlError", { message: Type.String() })) },
  { description: "As clients of GraphQL read it, among them the SDK of W&B and MLflow's pages." },
);

/** Failures of `/graphql`, which only GraphQL clients ask for and nothing serves. */
export const graphqlErrors: ErrorForm = {
  paths: /^\/graphql$/,
  // W&B's SDK up to version 0.22 tries again for long after any 5xx, and never after a 400.
  statusOf: (code) => (code === "not_implemented" ? 400 : errors[code].status),
  json: {
    schema: GraphqlFailure,
    bodyOf: ({ message }): Type.Static<typeof GraphqlFailure> => ({ errors: [{ message }] }),
  },
};

/** Failures of the pages for people. */
export const pageErrors: ErrorForm = { paths: /^\/(?:experiments|reports|sign-on)\// };
