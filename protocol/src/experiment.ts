import * as Type from "./type.ts";
import { limits } from "./limits.ts";
import {
  assignedId,
  closedObject,
  experimentIdentity,
  jsonMeta,
  milliseconds,
  nullable,
  oneOfStrings,
  patterns,
  reference,
  text,
} from "./schema.ts";

export const ExperimentStatus = oneOfStrings("ExperimentStatus", ["running", "done", "error"]);
export type ExperimentStatus = Type.Static<typeof ExperimentStatus>;

const experimentId = assignedId("Assigned when the slug was opened first.");

// ---- organization key: open, refresh, move, records

export const ExperimentOpenData = closedObject("ExperimentOpenData", {
  slug: Type.String({
    description: "Names the experiment within the organization; an opaque key, slashes allowed.",
    minLength: 1,
    maxLength: limits.slugCharactersMax,
    ...patterns.slug,
  }),
  description: text(0, limits.descriptionCharactersMax, "Replaced on every open; may be empty."),
  meta: jsonMeta("Replaced on every open."),
  seenUpdatedAtMs: Type.Optional(
    Type.Union(
      [
        milliseconds(
          "The `updatedAtMs` that the caller has seen under this slug; null: there was no experiment. " +
            "Where it is another one by now: `experiment_changed`, and nothing is replaced.",
        ),
        Type.Null(),
      ],
      { "x-extension": true },
    ),
  ),
});

const issuedToken = {
  experimentId,
  experimentToken: Type.String({
    description: "Bearer credential of the experiment endpoint, `ik_…`.",
  }),
  expiresAtMs: milliseconds("When the token expires: 24 hours after issue."),
};
export const ExperimentOpenedData = closedObject("ExperimentOpenedData", issuedToken);
export const ExperimentTokenRefreshedData = closedObject(
  "ExperimentTokenRefreshedData",
  issuedToken,
);

export const ExperimentTokenRefreshData = closedObject("ExperimentTokenRefreshData", {
  experimentId: reference("The experiment the token belongs to."),
  experimentToken: reference("A token that is still valid; it works at most 30 seconds longer."),
});

export const ExperimentMoveData = experimentIdentity("ExperimentMoveData", {
  folderId: nullable(reference("Target folder; null: the root.")),
});
export const ExperimentMovedData = closedObject("ExperimentMovedData", {
  experimentId,
  folderId: nullable(assignedId("null: at the root.")),
});

export const ExperimentQueryData = experimentIdentity("ExperimentQueryData", {});

const times = {
  createdAtMs: milliseconds("When the slug was opened first."),
  updatedAtMs: milliseconds("Last open, move, edit, start, done or error."),
};

/** All fields are always present; null where there is no value. */
export const ExperimentRecord = closedObject("ExperimentRecord", {
  experimentId,
  slug: Type.String(),
  description: Type.String(),
  meta: jsonMeta("As sent with the last open."),
  status: ExperimentStatus,
  error: nullable(Type.String({ description: "Message of the last error event." })),
  errorMeta: nullable(jsonMeta("Meta of the last error event.")),
  ...times,
  startedAtMs: nullable(milliseconds("Last start; null: never.")),
  doneAtMs: nullable(milliseconds("Last done; null: never.")),
  errorAtMs: nullable(milliseconds("Last error; null: never.")),
  statusAtMs: milliseconds(
    "Last start, done or error; before the first one, when it was opened first.",
  ),
  folderId: nullable(assignedId("Its folder; null: the root.")),
});
export type ExperimentRecord = Type.Static<typeof ExperimentRecord>;

/** An experiment in the folder tree. */
export const ExperimentNode = closedObject("ExperimentNode", {
  experimentId,
  slug: Type.String(),
  description: Type.String(),
  status: ExperimentStatus,
  ...times,
});
export type ExperimentNode = Type.Static<typeof ExperimentNode>;

const experimentIds = Type.Array(reference("An experiment by its id."), {
  description: "May be empty; a repeated id counts once.",
  maxItems: limits.experimentIdsMax,
});
const missingExperimentIds = Type.Array(Type.String(), {
  description: "Ids that do not exist in the organization, in request order.",
});

export const ExperimentsQueryData = closedObject("ExperimentsQueryData", { experimentIds });
export const ExperimentsResultData = closedObject("ExperimentsResultData", {
  experiments: Type.Array(ExperimentRecord, { description: "In request order." }),
  missingExperimentIds,
});

export const RevisionsQueryData = closedObject("RevisionsQueryData", { experimentIds });
const revision = Type.Integer({
  description:
    "Only grows while the installation lives, and when a backup is restored (docs/backup.md).",
  minimum: 0,
});
export const ExperimentRevision = closedObject("ExperimentRevision", {
  experimentId,
  revision,
  series: Type.Array(closedObject("SeriesRevision", { seriesName: Type.String(), revision }), {
    description: "Ordered by name, bytewise.",
  }),
});
export const RevisionsResultData = closedObject("RevisionsResultData", {
  experiments: Type.Array(ExperimentRevision, { description: "In request order." }),
  missingExperimentIds,
});

// ---- experiment token: lifecycle

const ownId = { experimentId: reference("Must equal the id in the URL.") };

export const ExperimentStartData = closedObject("ExperimentStartData", ownId);
export const ExperimentDoneData = closedObject("ExperimentDoneData", ownId);
export const ExperimentErrorData = closedObject("ExperimentErrorData", {
  ...ownId,
  error: text(1, limits.errorCharactersMax, "What went wrong."),
  meta: jsonMeta("Read back as errorMeta."),
});
export const ExperimentTokenRevokeData = closedObject("ExperimentTokenRevokeData", ownId);

const lifecycle = {
  experimentId,
  status: ExperimentStatus,
  statusAtMs: milliseconds("Server time of this change."),
};
export const ExperimentStartedData = closedObject("ExperimentStartedData", lifecycle);
export const ExperimentCompletedData = closedObject("ExperimentCompletedData", lifecycle);
export const ExperimentFailedData = closedObject("ExperimentFailedData", lifecycle);
export const ExperimentTokenRevokedData = closedObject("ExperimentTokenRevokedData", {
  experimentId,
});
