import type { Static, TSchema } from "typebox";
import {
  AnnotateData,
  AnnotatedData,
  AnnotationsQueryData,
  AnnotationsResultData,
} from "./annotation.ts";
import { AttributesQueryData, AttributesResultData } from "./attributes.ts";
import { CatalogQueryData, CatalogResultData } from "./catalog.ts";
import type { RequestEnvelope } from "./envelope.ts";
import type { ErrorCode } from "./errors.ts";
import * as experiment from "./experiment.ts";
import * as folder from "./folder.ts";
import { MetricData, MetricRecordedData } from "./point.ts";
import * as series from "./series.ts";

/** The endpoint that accepts an event: the organization's, an experiment's, or that of series. */
export type EventEndpoint = "organization" | "experiment" | "series";

/**
 * The handling of an event: a write is stored before it is answered, a read is answered from a
 * snapshot with one reply, points are written in bulk, a stream answers with records.
 */
export type EventKind = "write" | "read" | "points" | "stream";

export interface EventDefinition {
  endpoint: EventEndpoint;
  kind: EventKind;
  /** Reads state that writes change: a client that lost a write's reply reads the outcome here. */
  showsState: boolean;
  data: TSchema;
  /** One reply for an event of the `/events` endpoints; the possible records of a series stream. */
  replies: readonly { event: string; data: TSchema }[];
  /** Codes specific to this event. */
  errors: readonly ErrorCode[];
  /** Batching rule 7: the event must be the only one of its request. */
  sole: boolean;
  /** Not in the specification; a client that knows only the specification never needs it. */
  extension: boolean;
  summary: string;
}

const standard = { sole: false, extension: false, showsState: false } as const;
const write = { ...standard, endpoint: "organization", kind: "write" } as const;
const extension = { ...write, extension: true } as const;
const read = { ...standard, endpoint: "organization", kind: "read" } as const;
const stateRead = { ...read, showsState: true } as const;
const experimentWrite = { ...standard, endpoint: "experiment", kind: "write" } as const;
const stream = { ...standard, endpoint: "series", kind: "stream", sole: true } as const;

function reply<const Name extends string, const Data extends TSchema>(event: Name, data: Data) {
  return [{ event, data }] as const;
}

/** Every request event of v2 by its full name. */
export const events = {
  "svc.v2.folder.create": {
    ...write,
    data: folder.FolderCreateData,
    replies: reply("svc.v2.folder.created", folder.Folder),
    errors: ["folder_already_exists", "folder_not_found", "limit_exceeded"],
    summary: "Creates a folder.",
  },
  "svc.v2.folder.update": {
    ...extension,
    data: folder.FolderUpdateData,
    replies: reply("svc.v2.folder.updated", folder.Folder),
    errors: ["folder_already_exists", "folder_not_found", "folder_cycle", "limit_exceeded"],
    summary: "Renames or moves a folder.",
  },
  "svc.v2.folder.delete": {
    ...extension,
    data: folder.FolderDeleteData,
    replies: reply("svc.v2.folder.deleted", folder.FolderDeletedData),
    errors: ["folder_not_found", "folder_not_empty"],
    summary: "Deletes an empty folder.",
  },
  "svc.v2.foldertree.read": {
    ...stateRead,
    data: folder.FolderTreeReadData,
    replies: reply("svc.v2.foldertree.read.result", folder.FolderTree),
    errors: ["result_too_large"],
    summary: "Reads the whole tree of folders and experiments.",
  },
  "svc.v2.experiment.open": {
    ...write,
    data: experiment.ExperimentOpenData,
    replies: reply("svc.v2.experiment.opened", experiment.ExperimentOpenedData),
    errors: ["limit_exceeded", "experiment_changed"],
    summary:
      "Opens an experiment under a slug: makes it, or replaces its description and meta. " +
      "Issues a token.",
  },
  "svc.v2.experiment.tokenRefresh": {
    ...write,
    data: experiment.ExperimentTokenRefreshData,
    replies: reply("svc.v2.experiment.tokenRefreshed", experiment.ExperimentTokenRefreshedData),
    errors: ["experiment_token_invalid"],
    summary: "Issues a new token; the previous one works 30 seconds longer at most.",
  },
  "svc.v2.experiment.move": {
    ...extension,
    data: experiment.ExperimentMoveData,
    replies: reply("svc.v2.experiment.moved", experiment.ExperimentMovedData),
    errors: ["experiment_not_found", "folder_not_found"],
    summary: "Puts an experiment into a folder.",
  },
  "svc.v2.query.experiment": {
    ...stateRead,
    data: experiment.ExperimentQueryData,
    replies: reply("svc.v2.query.experiment.result", experiment.ExperimentRecord),
    errors: ["experiment_not_found"],
    summary: "Reads one experiment record.",
  },
  "svc.v2.query.catalog": {
    ...read,
    data: CatalogQueryData,
    replies: reply("svc.v2.query.catalog.result", CatalogResultData),
    errors: ["experiment_not_found"],
    summary: "Reads every series name with the values seen for each metadata key.",
  },
  "svc.v2.query.annotations": {
    ...stateRead,
    data: AnnotationsQueryData,
    replies: reply("svc.v2.query.annotations.result", AnnotationsResultData),
    errors: ["experiment_not_found"],
    summary: "Reads the annotations of an experiment, newest first.",
  },
  "svc.v2.query.attributes": {
    ...read,
    extension: true,
    data: AttributesQueryData,
    replies: reply("svc.v2.query.attributes.result", AttributesResultData),
    errors: ["experiment_not_found"],
    summary: "Reads the name, params, tags, data sets and models that MLflow's clients log.",
  },
  "svc.v2.query.experiments": {
    ...stateRead,
    sole: true,
    data: experiment.ExperimentsQueryData,
    replies: reply("svc.v2.query.experiments.result", experiment.ExperimentsResultData),
    errors: [],
    summary: "Reads up to 500 experiment records.",
  },
  "svc.v2.query.revisions": {
    ...read,
    sole: true,
    data: experiment.RevisionsQueryData,
    replies: reply("svc.v2.query.revisions.result", experiment.RevisionsResultData),
    errors: [],
    summary: "Reads the revision counters of up to 500 experiments, for cache checks.",
  },

  "svc.v2.experiment.start": {
    ...experimentWrite,
    data: experiment.ExperimentStartData,
    replies: reply("svc.v2.experiment.started", experiment.ExperimentStartedData),
    errors: ["experiment_id_mismatch"],
    summary: "Sets the status to running.",
  },
  "svc.v2.experiment.done": {
    ...experimentWrite,
    data: experiment.ExperimentDoneData,
    replies: reply("svc.v2.experiment.completed", experiment.ExperimentCompletedData),
    errors: ["experiment_id_mismatch"],
    summary: "Sets the status to done; a repeat moves doneAtMs.",
  },
  "svc.v2.experiment.error": {
    ...experimentWrite,
    data: experiment.ExperimentErrorData,
    replies: reply("svc.v2.experiment.failed", experiment.ExperimentFailedData),
    errors: ["experiment_id_mismatch", "limit_exceeded"],
    summary: "Sets the status to error and stores the message and meta.",
  },
  "svc.v2.experiment.metric": {
    ...experimentWrite,
    kind: "points",
    data: MetricData,
    replies: reply("svc.v2.metricRecorded", MetricRecordedData),
    errors: ["experiment_id_mismatch", "message_id_conflict", "limit_exceeded"],
    summary: "Records one point, once for each messageId.",
  },
  "svc.v2.experiment.annotate": {
    ...experimentWrite,
    data: AnnotateData,
    replies: reply("svc.v2.experiment.annotated", AnnotatedData),
    errors: ["experiment_id_mismatch", "limit_exceeded"],
    summary: "Adds an annotation.",
  },
  "svc.v2.experiment.tokenRevoke": {
    ...experimentWrite,
    data: experiment.ExperimentTokenRevokeData,
    replies: reply("svc.v2.experiment.tokenRevoked", experiment.ExperimentTokenRevokedData),
    errors: ["experiment_id_mismatch"],
    summary: "Ends the validity of the presented token; must be the last event of its batch.",
  },

  "svc.v2.query.series": {
    ...stream,
    data: series.SeriesQueryData,
    replies: [
      { event: "svc.v2.query.series.data", data: series.SeriesData },
      { event: "svc.v2.query.series.done", data: series.SeriesDoneData },
    ],
    errors: [],
    summary: "Streams one series.",
  },
  "svc.v2.query.experimentseries": {
    ...stream,
    data: series.ExperimentSeriesQueryData,
    replies: [
      { event: "svc.v2.query.series.data", data: series.SeriesData },
      { event: "svc.v2.query.experimentseries.series", data: series.ExperimentSeriesSeriesData },
      { event: "svc.v2.query.experimentseries.done", data: series.ExperimentSeriesDoneData },
    ],
    errors: [],
    summary: "Streams several or all series of an experiment.",
  },
} as const satisfies Record<string, EventDefinition>;

export type EventName = keyof typeof events;
export type EventNameOf<Endpoint extends EventEndpoint> = {
  [Name in EventName]: (typeof events)[Name]["endpoint"] extends Endpoint ? Name : never;
}[EventName];
export type EventNameOfKind<Kind extends EventKind> = {
  [Name in EventName]: (typeof events)[Name]["kind"] extends Kind ? Name : never;
}[EventName];

/** `data` of a request event. */
export type RequestData<Name extends EventName> = Static<(typeof events)[Name]["data"]>;
/** `data` of its reply, or of any record of its stream. */
export type ReplyData<Name extends EventName> = Static<
  (typeof events)[Name]["replies"][number]["data"]
>;
/** A request event that passed checkRequestEvent. */
export type RequestEvent<Endpoint extends EventEndpoint = EventEndpoint> = {
  [Name in EventNameOf<Endpoint>]: RequestEnvelope<Name, RequestData<Name>>;
}[EventNameOf<Endpoint>];

export const eventNames = Object.keys(events) as EventName[];

export function isEventName(name: string): name is EventName {
  return Object.hasOwn(events, name);
}

/** Name of the one reply to an event of the `/events` endpoints. */
export function replyEventName(name: EventName): string {
  return events[name].replies[0].event;
}
