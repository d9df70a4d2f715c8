// Generated from protocol/src by `npm run generate`; do not edit.

/** One request event. */
export interface RequestEnvelope<Name extends EventName = EventName> {
  messageId: string;
  correlationId?: string;
  event: Name;
  data: Events[Name]["data"];
}

/** One reply; correlationId is the messageId of the request. */
export interface ReplyEnvelope<Event extends string = string, Data = unknown> {
  messageId: string;
  correlationId: string;
  event: Event;
  data: Data;
}

/** The reply in place of the result when an event fails, and the end of a stream that fails. */
export type ErrorReply = ReplyEnvelope<"svc.v2.error", ErrorReplyData>;

/** Every event: what it sends and what it gets back (a stream: any of its records). */
export interface Events {
  /** Creates a folder. */
  "svc.v2.folder.create": {
    data: FolderCreateData;
    reply: ReplyEnvelope<"svc.v2.folder.created", Folder>;
  };
  /** Renames or moves a folder. Extension: not in the specification. */
  "svc.v2.folder.update": {
    data: FolderUpdateData;
    reply: ReplyEnvelope<"svc.v2.folder.updated", Folder>;
  };
  /** Deletes an empty folder. Extension: not in the specification. */
  "svc.v2.folder.delete": {
    data: FolderDeleteData;
    reply: ReplyEnvelope<"svc.v2.folder.deleted", FolderDeletedData>;
  };
  /** Reads the whole tree of folders and experiments. */
  "svc.v2.foldertree.read": {
    data: FolderTreeReadData;
    reply: ReplyEnvelope<"svc.v2.foldertree.read.result", FolderTree>;
  };
  /** Opens an experiment under a slug: makes it, or replaces its description and meta. Issues a token. */
  "svc.v2.experiment.open": {
    data: ExperimentOpenData;
    reply: ReplyEnvelope<"svc.v2.experiment.opened", ExperimentOpenedData>;
  };
  /** Issues a new token; the previous one works 30 seconds longer at most. */
  "svc.v2.experiment.tokenRefresh": {
    data: ExperimentTokenRefreshData;
    reply: ReplyEnvelope<"svc.v2.experiment.tokenRefreshed", ExperimentTokenRefreshedData>;
  };
  /** Puts an experiment into a folder. Extension: not in the specification. */
  "svc.v2.experiment.move": {
    data: ExperimentMoveData;
    reply: ReplyEnvelope<"svc.v2.experiment.moved", ExperimentMovedData>;
  };
  /** Reads one experiment record. */
  "svc.v2.query.experiment": {
    data: ExperimentQueryData;
    reply: ReplyEnvelope<"svc.v2.query.experiment.result", ExperimentRecord>;
  };
  /** Reads every series name with the values seen for each metadata key. */
  "svc.v2.query.catalog": {
    data: CatalogQueryData;
    reply: ReplyEnvelope<"svc.v2.query.catalog.result", CatalogResultData>;
  };
  /** Reads the annotations of an experiment, newest first. */
  "svc.v2.query.annotations": {
    data: AnnotationsQueryData;
    reply: ReplyEnvelope<"svc.v2.query.annotations.result", AnnotationsResultData>;
  };
  /** Reads the name, params, tags, data sets and models that MLflow's clients log. Extension: not in the specification. */
  "svc.v2.query.attributes": {
    data: AttributesQueryData;
    reply: ReplyEnvelope<"svc.v2.query.attributes.result", AttributesResultData>;
  };
  /** Reads up to 500 experiment records. */
  "svc.v2.query.experiments": {
    data: ExperimentsQueryData;
    reply: ReplyEnvelope<"svc.v2.query.experiments.result", ExperimentsResultData>;
  };
  /** Reads the revision counters of up to 500 experiments, for cache checks. */
  "svc.v2.query.revisions": {
    data: RevisionsQueryData;
    reply: ReplyEnvelope<"svc.v2.query.revisions.result", RevisionsResultData>;
  };
  /** Sets the status to running. */
  "svc.v2.experiment.start": {
    data: ExperimentStartData;
    reply: ReplyEnvelope<"svc.v2.experiment.started", ExperimentStartedData>;
  };
  /** Sets the status to done; a repeat moves doneAtMs. */
  "svc.v2.experiment.done": {
    data: ExperimentDoneData;
    reply: ReplyEnvelope<"svc.v2.experiment.completed", ExperimentCompletedData>;
  };
  /** Sets the status to error and stores the message and meta. */
  "svc.v2.experiment.error": {
    data: ExperimentErrorData;
    reply: ReplyEnvelope<"svc.v2.experiment.failed", ExperimentFailedData>;
  };
  /** Records one point, once for each messageId. */
  "svc.v2.experiment.metric": {
    data: MetricData;
    reply: ReplyEnvelope<"svc.v2.metricRecorded", MetricRecordedData>;
  };
  /** Adds an annotation. */
  "svc.v2.experiment.annotate": {
    data: AnnotateData;
    reply: ReplyEnvelope<"svc.v2.experiment.annotated", AnnotatedData>;
  };
  /** Ends the validity of the presented token; must be the last event of its batch. */
  "svc.v2.experiment.tokenRevoke": {
    data: ExperimentTokenRevokeData;
    reply: ReplyEnvelope<"svc.v2.experiment.tokenRevoked", ExperimentTokenRevokedData>;
  };
  /** Streams one series. */
  "svc.v2.query.series": {
    data: SeriesQueryData;
    reply:
      | ReplyEnvelope<"svc.v2.query.series.data", SeriesData>
      | ReplyEnvelope<"svc.v2.query.series.done", SeriesDoneData>;
  };
  /** Streams several or all series of an experiment. */
  "svc.v2.query.experimentseries": {
    data: ExperimentSeriesQueryData;
    reply:
      | ReplyEnvelope<"svc.v2.query.series.data", SeriesData>
      | ReplyEnvelope<"svc.v2.query.experimentseries.series", ExperimentSeriesSeriesData>
      | ReplyEnvelope<"svc.v2.query.experimentseries.done", ExperimentSeriesDoneData>;
  };
}

export type EventName = keyof Events;

/** Codes of this version; a later service may send others. */
export type ErrorCode =
  | "unauthorized"
  | "malformed_json"
  | "validation_failed"
  | "duplicate_message_id"
  | "checksum_mismatch"
  | "invalid_headers"
  | "not_found"
  | "method_not_allowed"
  | "request_timeout"
  | "payload_too_large"
  | "unsupported_media_type"
  | "misdirected_request"
  | "headers_too_large"
  | "rate_limited"
  | "internal"
  | "data_corrupted"
  | "overloaded"
  | "shutting_down"
  | "model_not_found"
  | "tag_not_found"
  | "file_not_found"
  | "feature_disabled"
  | "not_implemented"
  | "storage_unavailable"
  | "storage_full"
  | "folder_already_exists"
  | "folder_not_found"
  | "folder_not_empty"
  | "folder_cycle"
  | "experiment_not_found"
  | "experiment_deleted"
  | "experiment_changed"
  | "series_deleted"
  | "experiment_id_mismatch"
  | "experiment_token_invalid"
  | "message_id_conflict"
  | "limit_exceeded"
  | "result_too_large"
  | "bad_request"
  | "forbidden"
  | "not_empty"
  | "superseded"
  | "not_after_latest"
  | "not_ready"
  | "conflict"
  | "upstream"
  | "unavailable";

/** HTTP status of each code. */
export const errorStatus: Readonly<Record<ErrorCode, number>> = {
  unauthorized: 401,
  malformed_json: 400,
  validation_failed: 400,
  duplicate_message_id: 400,
  checksum_mismatch: 400,
  invalid_headers: 400,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  payload_too_large: 413,
  unsupported_media_type: 415,
  misdirected_request: 421,
  headers_too_large: 431,
  rate_limited: 429,
  internal: 500,
  data_corrupted: 500,
  overloaded: 503,
  shutting_down: 503,
  model_not_found: 404,
  tag_not_found: 404,
  file_not_found: 404,
  feature_disabled: 400,
  not_implemented: 501,
  storage_unavailable: 503,
  storage_full: 507,
  folder_already_exists: 409,
  folder_not_found: 404,
  folder_not_empty: 409,
  folder_cycle: 409,
  experiment_not_found: 404,
  experiment_deleted: 409,
  experiment_changed: 409,
  series_deleted: 409,
  experiment_id_mismatch: 409,
  experiment_token_invalid: 401,
  message_id_conflict: 409,
  limit_exceeded: 409,
  result_too_large: 413,
  bad_request: 400,
  forbidden: 403,
  not_empty: 409,
  superseded: 409,
  not_after_latest: 409,
  not_ready: 409,
  conflict: 409,
  upstream: 502,
  unavailable: 503,
};

/** Limits of the wire; characters are Unicode code points, bytes are UTF-8. */
export const limits = {
  messageIdCharactersMax: 200,
  eventsPerRequestMax: 1_000,
  referenceCharactersMax: 1_000,
  assignedIdCharactersMax: 64,
  folderNameCharactersMax: 200,
  folderDepthMax: 32,
  foldersPerOrganizationMax: 100_000,
  treeExperimentsMax: 100_000,
  slugCharactersMax: 200,
  descriptionCharactersMax: 16_000,
  errorCharactersMax: 8_000,
  annotationCharactersMax: 16_000,
  jsonMetaBytesMax: 65_536,
  tokenLifetimeMs: 86_400_000,
  tokenGraceMs: 30_000,
  tokensPerExperimentMax: 1_000,
  timestampMsMax: 9_007_199_254_740_991,
  stepMax: 9_007_199_254_740_990,
  metricNameBytesMax: 256,
  metricMetaKeysMax: 32,
  metricMetaKeyBytesMax: 128,
  metricMetaValueBytesMax: 512,
  metricMetaBytesMax: 4_096,
  columnsPointsMax: 65_536,
  columnsBodyBytesMax: 5_242_880,
  columnsHeadBytesMax: 131_072,
  experimentIdsMax: 500,
  annotationsReturnedMax: 100_000,
  filterPredicatesMax: 32,
  seriesNamesMax: 1_000,
  recordPointsMax: 10_000,
  recordBytesMax: 1_048_576,
  arrowDictionaryCharactersMax: 8_388_608,
  bodyBytesMax: 33_554_432,
  openBodyBytesMax: 65_536,
  setupBodyBytesMax: 262_144,
  mlflowBodyBytesMax: 4_194_304,
  mlflowLongBodyBytesMax: 33_554_432,
  mlflowLocationsMax: 100,
  runDatasetBytesMax: 67_108_864,
  runPageBytesMax: 16_777_216,
  filesBodyBytesMax: 16_777_216,
  jsonDepthMax: 32,
  jsonDepthCeiling: 256,
  overviewSeriesMax: 100,
  overviewColumnsMax: 8_192,
  overviewColumnsTogetherMax: 400_000,
  experimentVersionsMax: 10_000,
  experimentUploadsMax: 100,
  uploadsLookedAtMax: 1_000,
  listedRunFilesMax: 5_000,
  listedArtifactsMax: 1_000,
  listedArtifactsUsual: 100,
  lookedAtFilesMax: 100,
  filePartBytesMax: 4_194_304,
  overviewPointsMax: 32_000_000,
  overviewPairedPointsMax: 4_194_304,
  viewPartitionsMax: 1_000_000,
  viewPointsMax: 10_000,
  viewPlacesMax: 100,
  pointsCsvFilterCharactersMax: 8_000,
  pointsCsvListCharactersMax: 7_000,
  exportExperimentsMax: 250,
  exportMetaColumnsMax: 1_000,
  viewPointsTogetherMax: 400_000,
  emaWeightMax: 0.999,
  smoothUnitMin: 1e-300,
  gaussPointsMax: 1_000,
  gaussProductsMax: 1_000_000_000,
  queryCharactersMax: 8_192,
  patternCharactersMax: 256,
  queryTestsMax: 24,
  queryChoicesMax: 200,
  queryDepthMax: 16,
  tableRowsMax: 1_000,
  tableColumnsMax: 100,
  tableSortsMax: 3,
  tableCursorCharactersMax: 40_000,
  tableTextCharactersMax: 256,
  coloursMax: 10,
  fieldsReturnedMax: 200,
  fieldsComparedMax: 10_000,
  fieldExperimentsMax: 1_000,
  fieldValuesCountedMax: 20_000,
  metaEditsMax: 100,
  metaPathMax: 32,
  differenceExperimentsMax: 100,
  differenceKeysMax: 1_000,
  differenceKeysComparedMax: 20_000,
  differenceKeyBytesMax: 512,
  differenceTextCharactersMax: 1_024,
  differenceMetricsMax: 200,
  differenceSummariesMax: 20_000,
  differenceOthersMax: 200_000,
  differenceValuesMax: 5_000_000,
  groupKeysMax: 4,
  groupNamedMax: 1_000,
  groupExperimentsMax: 200_000,
  groupsUsual: 20,
  groupsMax: 200,
  groupColumnsMax: 2_048,
  compressedFromBytes: 16_384,
  compressedBytesMax: 16_777_216,
  groupsMsMax: 30_000,
  savedAddressCharactersMax: 12_000,
  savedPerPersonMax: 100,
  savedPerOrganizationMax: 500,
  workspacesMax: 500,
  layoutBytesMax: 32_768,
  layoutNamesMax: 500,
  layoutPatternsMax: 50,
  layoutSectionsMax: 100,
  layoutChartsMax: 500,
  workspaceVersionsMax: 20,
  reportBlocksMax: 100,
  reportBytesMax: 131_072,
  reportTextCharactersMax: 32_000,
  reportExperimentsMax: 100,
  reportMediaRunsUsual: 6,
  reportRowsMax: 100,
  reportPictureBytesMax: 4_194_304,
  reportPicturePixelsMax: 50_000_000,
  reportPicturesMax: 200,
  reportPictureBytesPerOrganizationMax: 1_073_741_824,
  changesWaitMsMax: 25_000,
  agentParamsBytesMax: 16_384,
  toolAnswerBytesMax: 32_768,
  toolTextKeptCharacters: 256,
  toolRowsMax: 100,
  toolColumnsMax: 20,
  toolKeysMax: 100,
  toolNamesMax: 100,
  toolMetricsMax: 50,
  toolComparedMax: 20,
  toolComparedMetricsMax: 20,
  toolSeriesMax: 5,
  toolLinesMax: 10,
  toolSeriesColumnsMax: 100,
  toolLinesReadMax: 200,
  toolLineCharactersMax: 1_000,
  toolTagsMax: 20,
  toolTagCharactersMax: 100,
  loggedExperimentsMax: 100,
  loggedSeriesMax: 100,
  loggedSeriesPerExperimentMax: 10_000,
  loggedNameCharactersMax: 1_000,
  loggedNamesMax: 1_000,
  loggedStepsMax: 5_000,
  loggedStepsReadMax: 200_000,
  loggedNearestMax: 1_000,
  loggedTogetherMax: 108,
  loggedItemsUsual: 100,
  loggedItemsMax: 1_000,
  loggedCursorCharactersMax: 4_000,
  loggedStatesMax: 5_000,
  loggedTextsReadMax: 50_000,
  loggedHistogramColumnsMax: 512,
  loggedHistogramBinsMax: 256,
  loggedHistogramsReadMax: 20_000,
  loggedBinsReadMax: 2_000_000,
  loggedHistogramCellsMax: 1_000_000,
  loggedLanesMax: 100,
  loggedBinsMax: 512,
  consoleLineCharactersMax: 16_384,
  consoleSpansMax: 1_024,
  consoleLinesMax: 10_000,
  consoleBodyBytesMax: 8_388_608,
  consoleSourceCharactersMax: 64,
  consoleHostCharactersMax: 256,
  consoleSourcesMax: 4_096,
  consoleReadUsual: 200,
  consoleReadMax: 10_000,
  consolePatternMax: 1_000,
  attemptBeatMs: 30_000,
  attemptSilentMs: 90_000,
  attemptIdCharactersMax: 64,
  attemptTextCharactersMax: 500,
  attemptLaunchesMax: 4,
  attemptVariablesMax: 32,
  attemptEvidenceMax: 16,
  attemptProcessesMax: 4_096,
  attemptsReadMax: 1_000,
  pathBytesMax: 1_024,
  pathSegmentBytesMax: 255,
  versionNameCharactersMax: 128,
  aliasesMax: 1_000,
  registeredModelsMax: 10_000,
  modelVersionsMax: 10_000,
  modelNameCharactersMax: 256,
  modelDescriptionCharactersMax: 5_000,
  modelsListedMax: 200,
  modelVersionsListedMax: 100,
  registryPageMax: 1_000,
  usesPerExperimentMax: 10_000,
  lineageRoleCharactersMax: 128,
  lineageLinksMax: 1_000,
  lineageDepthMax: 20,
  lineageDepthUsual: 4,
  lineageNodesMax: 2_000,
  lineageNodesUsual: 1_000,
  lineageEdgesMax: 10_000,
  aliasChangesPerPageMax: 200,
  filesPerVersionMax: 5_000,
  fileBytesMax: 5_497_558_138_880,
  partsPerUploadMax: 10_000,
  partsPerFileAim: 1_000,
  partBytesMin: 8_388_608,
  partBytesMax: 5_368_709_120,
  signedUrlLifetimeMs: 3_600_000,
  pendingUploadLifetimeMs: 518_400_000,
  filesPerOwnerMax: 100_000,
  fileSendingMsMax: 86_400_000,
  passedPartBytesMax: 67_108_864,
  pendingUploadsPerArtifactMax: 16,
  placeCharactersMax: 128,
  excludedLocationsMax: 1_000,
  versionsPerPageMax: 200,
  filesPerPageMax: 5_000,
  metaBytesPerPageMax: 4_194_304,
  signedFilesPerPageMax: 100,
  artifactsPerPageMax: 1_000,
  noteNameCharactersMax: 128,
  noteBytesMax: 65_536,
  notesPerArtifactMax: 1_000,
  labelCharactersMax: 128,
  locationsPerOrganizationMax: 1_000,
  connectionsPerOrganizationMax: 100,
  usageDaysDefault: 30,
  usageDaysMax: 366,
  usagePlacesPerDayMax: 1_000,
  usageGroupsMax: 12,
  emailCharactersMax: 320,
  passwordCharactersMin: 8,
  passwordCharactersMax: 1_024,
  sessionLifetimeMs: 1_209_600_000,
  setupLinkLifetimeMs: 3_600_000,
  invitationLifetimeMs: 604_800_000,
  accessTokenLifetimeMs: 3_600_000,
  refreshTokenLifetimeMs: 7_776_000_000,
  authorizationCodeLifetimeMs: 60_000,
  deviceCodeLifetimeMs: 600_000,
  devicePollIntervalMs: 5_000,
  deviceCodeTriesMax: 5,
  sessionsPerPersonMax: 100,
  grantsPerPersonMax: 100,
  openInvitationsPerOrganizationMax: 1_000,
  apiKeysPerOrganizationMax: 1_000,
  auditEventsPerPageMax: 1_000,
  auditViewEventsMax: 200,
  auditActorsReturnedMax: 500,
  signOnAddressCharactersMax: 1_000,
  signOnTextCharactersMax: 300,
  signOnSecretCharactersMax: 1_000,
  signOnDomainCharactersMax: 253,
  signOnDomainsMax: 50,
  signOnGroupCharactersMax: 300,
  signOnRolesMax: 200,
  tokensPerPersonMax: 100,
  tokenDaysMax: 3_650,
  guestExperimentsMax: 100,
  guestLinkDaysMax: 90,
  guestLinksPerOrganizationMax: 500,
  guestRequestsPerSecond: 100,
  signOnLifetimeMs: 600_000,
  signOnGroupsMax: 1_000,
  scimBodyBytesMax: 4_194_304,
  scimUsersMax: 50_000,
  scimGroupsMax: 1_000,
  scimPageMax: 200,
  scimMembersMax: 20_000,
  scimOperationsMax: 1_000,
  trashedAtOnceMax: 500,
  trashEntriesMax: 200,
  trashDaysMax: 3_650,
  retentionRulesMax: 100,
  retentionDaysMax: 36_500,
  retentionKeptMax: 10_000,
  retentionShownMax: 200,
  deviceCharactersMax: 256,
} as const;

export interface AcceptInvitationBody {
  /** From the link. */
  token: string;
  /** Compared without regard to case. */
  email: string;
  /** A long password is better than a strange one. It is stored as a slow hash. */
  password: string;
}

export interface AddedPicture {
  /** Put it into a text as `![words](picture:…)`. */
  picture: string;
  type: "image/png" | "image/jpeg" | "image/webp" | "image/gif";
  /** In pixels. */
  width: number;
  /** In pixels. */
  height: number;
}

export interface AgentError {
  /** A code of JSON-RPC or of the Model Context Protocol. */
  code: number;
  /** A sentence for people. */
  message: string;
  /** Of a refusal of the service: its `code` and the `requestId`. */
  data?: unknown;
}

/** A message of an agent was refused. */
export interface AgentFailure {
  jsonrpc: "2.0";
  /** A number or text of the sender's; a notification has none. */
  id: unknown;
  error: AgentError;
}

/** A request or notification of JSON-RPC 2.0. */
export interface AgentMessage {
  jsonrpc: "2.0";
  /** A number or text of the sender's; a notification has none. */
  id?: unknown;
  /** `initialize`, `tools/list`, `tools/call`, … */
  method: string;
  params?: Record<string, unknown>;
}

/** The answer to the message; to a notification there is none. */
export interface AgentReply {
  jsonrpc: "2.0";
  /** A number or text of the sender's; a notification has none. */
  id: unknown;
  /** The answer. */
  result?: unknown;
  error?: AgentError;
}

export interface AliasChange {
  /** The changes of the aliases of an artifact are numbered from 1, without gaps. */
  number: number;
  /** The alias that was changed. */
  alias: string;
  /** The version before; null: it was new. */
  previous: string | null;
  /** The version since; null: it was removed. */
  version: string | null;
  /** When. */
  atMs: number;
  /** Who did it. */
  by: string;
}

export interface AliasHistory {
  /** Newest first. */
  changes: AliasChange[];
  /** Pass it as `before`; null: there are no older changes. */
  next: string | null;
}

export interface AliasList {
  /** By name; at most 1000. */
  aliases: VersionAlias[];
}

export interface AnnotateData {
  /** Must equal the id in the URL. */
  experimentId: string;
  /** The text. */
  annotation: string;
  /** Stored beside the text. A JSON object, at most 65536 bytes compact. */
  meta: Record<string, unknown>;
}

export interface AnnotatedData {
  /** The experiment. */
  experimentId: string;
  /** Assigned by the service. */
  annotationId: string;
  /** Server time at which it was added. */
  createdAtMs: number;
}

export interface Annotation {
  /** Assigned by the service. */
  annotationId: string;
  annotation: string;
  /** As sent. A JSON object, at most 65536 bytes compact. */
  meta: Record<string, unknown>;
  /** Server time at which it was added. */
  createdAtMs: number;
}

export type AnnotationsQueryData = { experimentId: string } | { experimentSlug: string };

export interface AnnotationsResultData {
  /** The experiment. */
  experimentId: string;
  /** Newest first, at most 100,000. */
  annotations: Annotation[];
  /** True: there are older ones that are not listed. */
  truncated: boolean;
}

export interface Apart {
  /** Experiments of `experimentIds` that exist. */
  named: number;
  /** Other experiments that were counted. */
  others: number;
  /** Other experiments that the query finds: all of them are counted, up to 200,000. */
  othersFound: number;
  /** Largest difference first. */
  keys: ApartKey[];
  /** Keys that any of them has. */
  keysFound: number;
  /** Number of counted keys: the most common ones, those of the named experiments first. */
  keysCounted: number;
}

export interface ApartKey {
  /** In the language's spelling. */
  field: string;
  /** A test in the form of a query: of all tests on this key the one whose shares differ most. */
  test: string;
  /** Experiments of `experimentIds` that it finds. */
  named: number;
  /** Others that it finds. */
  others: number;
  /** Absolute difference of the shares of named and of other experiments that it finds. */
  distance: number;
}

export interface ApiKey {
  /** Assigned by the service. */
  id: string;
  name: string;
  /** When it was made. ISO 8601, UTC, milliseconds. */
  created: string;
  /** Id of the person, or `bootstrap` for the operator. */
  createdBy: string;
  /** To the minute; null: never used. ISO 8601, UTC, milliseconds. */
  lastUsed: string | null;
}

export interface ApiKeysReply {
  keys: ApiKey[];
}

export interface AppendConsoleBody {
  source: SentConsoleSource;
  /** Number of the first line among those of the source, from 0. */
  first: number;
  lines: SentConsoleLine[];
  /** Lines that have not ended yet, at most one a stream: they replace those sent before. */
  open?: OpenConsoleLine[];
}

export interface AppendConsoleReply {
  /** Lines of the source that are stored: the number of the next one. Less than what was sent where lines before it are missing; then nothing was stored. */
  next: number;
}

export interface ArtifactEntry {
  artifact: string;
  /** Committed versions. */
  versions: number;
  /** Sum over all of them. */
  bytes: number;
  latest: string;
  /** When the latest version was committed. ISO 8601, UTC, milliseconds. */
  lastCommit: string;
  /** Label of the latest version's writer. */
  source: string | null;
}

/** A v1 request was refused. */
export interface ArtifactFailure {
  /** A stable code. */
  error: string;
  /** A sentence for people. */
  message: string;
  /** With superseded: the current epoch. */
  epoch?: number;
}

export interface ArtifactFolder {
  /** The path with a slash at its end, for `under`. */
  path: string;
  /** Artifacts below it. */
  artifacts: number;
  /** Their committed versions. */
  versions: number;
  /** Bytes of these versions. */
  bytes: number;
  /** When the last of them was committed; null: none was. */
  lastCommitAtMs: number | null;
}

export interface ArtifactListReply {
  /** Folders directly below `under`, by name. None with `search` or by `newest`. */
  folders: ArtifactFolder[];
  /** Artifacts directly below `under`, or with `search` or by `newest` all below it. Artifacts without a version yet are included; artifacts whose versions were all deleted are not. */
  artifacts: ListedArtifact[];
  /** Pass it as `after`; null: this was the last page. */
  next: string | null;
}

export interface ArtifactReply {
  /** Its path. */
  artifact: string;
  /** Epoch of the newest writer; 0: never opened. */
  epoch: number;
  /** When that writer opened it; null: never, or before the service recorded this. */
  openedAtMs: number | null;
  /** The label of that writer; null in the same cases. */
  openedBy: string | null;
  /** Newest first; with `version` only that. */
  versions: ViewedVersion[];
  /** Committed versions. */
  versionsTotal: number;
  /** Bytes of all versions. */
  bytes: number;
  /** The highest version; null: there is none yet. */
  latest: string | null;
  /** All aliases of its versions, by name. */
  aliases: VersionAlias[];
  /** Uploads under way, newest first. */
  uploads: PendingUpload[];
  /** By name. */
  notes: ListedNote[];
  /** Pass it as `after`; null: there are no older versions. */
  next: string | null;
}

export interface ArtifactsPage {
  artifacts: ArtifactEntry[];
  /** Pass it as `after`; null: this was the last page. */
  next: string | null;
}

export interface Attempt {
  /** Its number, from 1, in the order in which attempts began. */
  attempt: number;
  id: string;
  state: "running" | "silent" | "finished" | "exited" | "killed" | "preempted" | "gone";
  /** When the attempt ended; silent: when it was seen alive last; running: when it began. */
  sinceMs: number;
  exitCode?: number;
  signal?: number;
  /** Of the process that decides the state. */
  error?: string;
  /** When its first process began. */
  beganAtMs: number;
  /** When a process of it was seen alive last, of those that have not ended where there are any. */
  beatAtMs: number;
  /** When its last process ended; left out: not all have. */
  endedAtMs?: number;
  /** The least first step of its processes. */
  fromStep?: number;
  /** The largest last step of its processes. */
  toStep?: number;
  next?: NextAttempt;
  /** In the order of the ranks. */
  processes: AttemptProcess[];
}

export interface AttemptEnd {
  /** When it ended. */
  atMs: number;
  how: "finished" | "exited" | "killed" | "gone";
  exitCode?: number;
  /** Number of the signal. */
  signal?: number;
  /** The exception that ended it: its kind and one line. */
  error?: string;
  /** From what this is known. */
  evidence: string[];
}

export interface AttemptLaunch {
  /** The launcher that starts it again under the same id: `slurm`, `torchrun`, … */
  by: string;
  /** The launcher's id of the whole, which stays when it starts it again. */
  id: string;
  /** How often the launcher has started it again. */
  restart: number;
}

export interface AttemptProcess {
  id: string;
  /** Number of the process among those of a distributed training. */
  rank?: number;
  /** How many these are. */
  ranks?: number;
  /** The machine. */
  host?: string;
  /** Number of the process on its machine. */
  processId?: number;
  /** Changes when the machine is started again. */
  bootId?: string;
  /** The launchers that started it, from the outermost. */
  launches?: AttemptLaunch[];
  /** Variables of its environment by which launchers know it. */
  variables?: AttemptVariable[];
  /** Its first step. */
  fromStep?: number;
  /** Its last step until now. */
  toStep?: number;
  state: "running" | "silent" | "finished" | "exited" | "killed" | "preempted" | "gone";
  /** When it began. */
  beganAtMs: number;
  /** When it was seen alive last. */
  beatAtMs: number;
  end?: AttemptEnd;
}

export interface AttemptVariable {
  /** For instance `SLURM_JOB_ID` or `POD_NAME`. */
  name: string;
  /** Its value. */
  value: string;
}

export interface Attribute {
  key: string;
  value: string;
}

export type AttributesQueryData = { experimentId: string } | { experimentSlug: string };

export interface AttributesResultData {
  /** The experiment. */
  experimentId: string;
  /** The name in lists: `_name` of the meta if it is a text, otherwise the tag `mlflow.runName`, otherwise the slug. */
  name: string;
  /** When it began, as a row of the table says it. */
  beganAtMs: number;
  /** When it ended, in the same form; null: it is running. */
  endedAtMs: number | null;
  run: RunFacts | null;
  /** Logged params by key, then leaves of the meta that are not params. */
  params: Attribute[];
  /** By key; then name and description, if no tag is. */
  tags: Attribute[];
  /** Data sets that the run read, in the order of logging. */
  datasets: InputDataset[];
  /** Logged models that the run used, then those that it made. */
  models: RunModel[];
  /** Values that only MLflow's clients read: NaN, infinities, steps below 0. */
  irregularPoints: number;
}

export interface AuditActor {
  id: string;
  /** Display name of the actor: an address or a name; null: it has none. */
  name: string | null;
}

export interface AuditEvent {
  /** Sorts by time. */
  id: string;
  /** When it happened. ISO 8601, UTC, milliseconds. */
  at: string;
  /** What happened, for instance apiKey.created. */
  action: string;
  /** Id of the person or key, or `bootstrap`, `provision`, `operator`, `service`, `retention`. */
  actor: string;
  /** Id of the object of the action. */
  subject: string | null;
  /** Network address of the caller. */
  address: string | null;
  details: Record<string, unknown>;
}

export interface AuditReply {
  /** Newest first. */
  events: AuditEvent[];
  /** Pass it as `before`; null: there are no older ones. */
  next: string | null;
}

export interface AuditTermsReply {
  /** Actions in the log, by name. */
  actions: string[];
  /** Actors in the log, at most 500. */
  actors: AuditActor[];
}

export interface AuditViewReply {
  /** Newest first. */
  events: NamedAuditEvent[];
  /** Pass it as `before`; null: there are no older ones. */
  next: string | null;
}

export interface AuthKind {
  kind: "api_key" | "session" | "oauth";
}

export interface AuthStatus {
  auth: AuthKind;
  organization: Organization;
}

export interface AuthStatusReply {
  data: AuthStatus;
  error: null;
}

export interface AwsConnection {
  cloud: "aws";
  aws: AwsIdentifiers;
}

export interface AwsIdentifiers {
  roleArn: string;
}

export interface AzureConnection {
  cloud: "azure";
  azure: AzureIdentifiers;
}

export interface AzureIdentifiers {
  tenantId: string;
  clientId: string;
  subscriptionId: string;
  resourceGroup: string;
}

export interface BeginVersionBody {
  /** The writer's, from artifacts/open. */
  epoch: number;
  place: Place;
  files: NewFile[];
  /** Free, returned with the version. A JSON object, at most 65536 bytes compact. */
  meta: Record<string, unknown>;
  exclude?: string[];
}

export interface BytesOfDay {
  /** UTC, YYYY-MM-DD. */
  day: string;
  kind: "write" | "read";
  /** Id of the location; or cloud and region of the writer or reader, with a slash between them; or the transfer. null: all that is not among the groups. */
  of: string | null;
  /** Bytes committed, or signed for reading. */
  bytes: number;
  /** Versions committed, or signed reads. */
  count: number;
}

export type CatalogQueryData = { experimentId: string } | { experimentSlug: string };

export interface CatalogResultData {
  /** The experiment; as requested if there is none with this id. */
  experimentId: string;
  /** Ordered by name, bytewise; empty for an unknown id. */
  series: CatalogSeries[];
}

export interface CatalogSeries {
  seriesName: string;
  /** Every metadata key with the values seen for it, both ordered bytewise. */
  metadata: Record<string, string[]>;
}

export interface ChangeModelBody {
  /** The new description. */
  description: string;
}

export interface ChangePasswordBody {
  current: string;
  /** A long password is better than a strange one. It is stored as a slow hash. */
  password: string;
}

export interface ChangeReportBody {
  /** The revision that was seen: with another one nothing changes. */
  revision: number;
  /** No other one of the person, or of the organization, has it. */
  name?: string;
  scope?: "own" | "shared";
  /** From top to bottom; 131,072 bytes together at most. */
  blocks?: ReportBlock[];
}

export interface ChangeRetentionRuleBody {
  /** The revision that was seen: with another one nothing changes. */
  revision: number;
  /** No other rule of the organization has it. */
  name: string;
  rule: RetentionRuleContent;
}

export interface ChangeRoleBody {
  role: "owner" | "admin" | "member" | "viewer";
}

export interface ChangeSavedViewBody {
  /** The revision that was seen: with another one nothing changes. */
  revision: number;
  /** No other one of the person, or of the organization, has it. */
  name?: string;
  scope?: "own" | "shared";
  /** Path of a page, and its query, as its address has them. */
  address?: string;
}

export interface ChangedExperiment {
  experimentId: string;
  /** Grows with every change; the same as in query.revisions. */
  revision: number;
  /** Points of all its series. */
  points: number;
  /** Grows when series of the experiment are deleted, restored or purged: the same points and version mean the same series. */
  seriesVersion: number;
  /** Grows when its meta changes, and with each note of a value that is not finite. */
  metaVersion: number;
  status: "running" | "done" | "error";
  /** Last start, done or error; before the first one, when it was opened. */
  statusAtMs: number;
  /** Last open, move, edit, start, done or error. */
  updatedAtMs: number;
  /** When points were last stored; before the first one, when it was opened. */
  appendedAtMs: number;
  liveness?: Liveness;
}

export interface ChangesBody {
  /** May be empty; of a repeated id the last one counts. */
  experiments: SeenExperiment[];
  /** `opened` of the last reply: then an experiment that is opened for the first time is a change too. */
  opened?: string;
  /** How long the service may wait for a change, milliseconds. */
  waitMs: number;
}

export interface ChangesReply {
  /** Experiments with another revision than the client's. */
  experiments: ChangedExperiment[];
  /** For the next request; opaque. */
  opened: string;
  /** Experiments of the organization that were opened for the first time, deleted or restored since; 0 without `opened`. */
  openedExperiments: number;
}

export interface ChartBlock {
  kind: "chart";
  width?: "half";
  experimentIds?: string[];
  /** Instead of the ids: a query, run at each reading. docs/query.md describes the language. */
  query?: string;
  /** With the query: only experiments in this folder and below it. */
  folderId?: string;
  /** With the query, of which the first 100 are drawn: fields separated by commas, each optionally followed by `desc`. Default: the newest first. docs/query.md describes the language. */
  sort?: string;
  seriesName: string;
  /** Further series on the same axes. */
  otherSeriesNames?: string[];
  operator?: "plus" | "minus" | "times" | "dividedBy";
  /** The experiment whose annotations and versions are shown below, if it is one of them; default: the first one. */
  referenceId?: string;
  /** Empty: the name of the series. */
  title: string;
  /** How it is drawn, as the query of a chart's page: x, xs, r, y, yr, s, split, only. */
  view: string;
  pinned?: PinnedChart;
}

export interface ColumnsHead {
  /** What the points belong to, by the index that each point has. */
  partitions: ColumnsPartition[];
  /** Beginnings of ids, by the index that each run of ids has. */
  prefixes: string[];
}

export interface ColumnsPartition {
  /** Names the series; printable ASCII, 1 to 256 bytes. */
  metricName: string;
  /** Splits the series into partitions, one for each distinct content. Keys at most 128 bytes, values at most 512, canonical JSON (RFC 8785) at most 4,096. */
  meta: Record<string, string>;
}

export interface CombinedLine {
  operator: "plus" | "minus" | "times" | "dividedBy";
  seriesName: string;
  /** Steps, of the whole line, that only one of both has. */
  unpaired: number;
  /** Steps, of the whole line, whose result is not finite, as after a division by 0. */
  nonfinite: number;
}

export interface CommitUploadBody {
  /** The writer's, from artifacts/open. */
  epoch: number;
  files: SentFile[];
}

export interface CommitUploadReply {
  version: string;
  /** When it was committed. ISO 8601, UTC, milliseconds. */
  committed: string;
}

export interface ComparedExperiment {
  /** The experiment. */
  experimentId: string;
  slug: string;
  /** The name in lists, from the meta or the tag of MLflow's clients; null: its slug. */
  name: string | null;
}

export interface ComparedKey {
  /** In the language's spelling, as in `meta.optimizer.lr`. */
  field: string;
  /** Its different values, in order of appearance. Numbers are equal however they are written. */
  values: ComparedValue[];
  /** Which one each experiment has, in their order; null: it lacks the key. */
  valueOf: (number | null)[];
}

export interface ComparedMetric {
  name: string;
  /** Number of compared experiments that have it. */
  experiments: number;
  /** One for each experiment, in their order; null: it has none, or none yet. */
  summaries: (ComparedSummary | null)[];
}

export interface ComparedSummary {
  /** How many; 0: no value is finite, and all but the last one is null. */
  points: number;
  /** Number of values that are not finite; missing: none. */
  nonfinite?: number;
  first: number | null;
  /** Step of the first point. */
  firstStep: number | null;
  /** The last of all values, finite or not. */
  last: number | "NaN" | "Infinity" | "-Infinity";
  /** Step of the last value. */
  lastStep: number;
  min: number | null;
  /** The smallest step with this value. */
  minStep: number | null;
  max: number | null;
  /** The smallest step with this value. */
  maxStep: number | null;
  mean: number | null;
}

export interface ComparedValue {
  kind: "null" | "boolean" | "number" | "text" | "list" | "object";
  /** A text itself, other values as the recorded JSON, with all digits of a number; cut after 1,024 characters. */
  text: string;
  /** The value is longer than its text. */
  isCut: boolean;
}

export type CompleteConnectionBody = AwsConnection | GcpConnection | AzureConnection;

export interface Connection {
  /** Assigned by the service. */
  id: string;
  cloud: "aws" | "gcp" | "azure";
  name: string;
  state: "pending" | "active";
  /** The identity that the cloud must trust. */
  subject: string;
  /** Address of the token issuer. */
  issuer: string;
  audience: string;
  identifiers: CompleteConnectionBody | null;
  error: string | null;
  /** A script to run in the cloud account. */
  setup: string;
  /** When it was made. ISO 8601, UTC, milliseconds. */
  created: string;
}

export interface ConsoleLine {
  /** Number of the line in the experiment's console, from 0, in the order of arrival. */
  line: number;
  /** Number of its source. */
  source: number;
  /** When the line ended. */
  timestampMs: number;
  stream: "stdout" | "stderr" | "debug" | "info" | "warning" | "error" | "critical";
  text: string;
  /** Colours and styles of stretches of the text. */
  spans?: ConsoleSpan[];
}

export interface ConsoleSource {
  /** Its number within the experiment, from 0. */
  source: number;
  id: string;
  /** Number of the process among those of a distributed training. */
  rank?: number;
  host?: string;
  /** Number of the process on its host. */
  processId?: number;
  /** Its lines. */
  lines: number;
  /** Lines that have not ended yet. */
  open: OpenConsoleLine[];
}

export interface ConsoleSpan {
  /** First character, in UTF-16 code units. */
  start: number;
  /** Character after the last. */
  end: number;
  /** Parameters of the terminal's colour sequence (SGR), for instance `1;31`. */
  style: string;
}

export interface CountedFolder {
  /** The folder. */
  folderId: string;
  /** Its parent folder; null: the root. */
  parentFolderId: string | null;
  name: string;
  /** In the folder itself. */
  experiments: number;
  /** In it and in all folders below it. */
  experimentsBelow: number;
}

export interface CreateApiKeyBody {
  /** For people. */
  name: string;
}

export interface CreateApiKeyReply {
  key: ApiKey;
  /** Shown only here. */
  secret: string;
}

export interface CreateConnectionBody {
  cloud: "aws" | "gcp" | "azure";
  /** For people. */
  name: string;
}

export interface CreateGuestLinkBody {
  /** For those who list it; guests do not see it. */
  name: string;
  /** What it shows: one experiment, or a comparison of several. */
  experimentIds?: string[];
  /** Instead: a shared report, with the experiments that it shows now. */
  reportId?: string;
  /** Until it ends. */
  days: number;
  /** For review: neither names of people, runs and the organization, nor texts that people or scripts wrote. */
  isAnonymous?: boolean;
  /** Whether it shows consoles. */
  showsConsole?: boolean;
  /** Whether it shows media and files of artifacts and runs, and gives them out. */
  showsFiles?: boolean;
}

export interface CreateGuestLinkReply {
  link: GuestLink;
  /** The address for guests. It is shown only here; its secret is behind the `#`. */
  address: string;
}

export interface CreateInvitationBody {
  /** Compared without regard to case. */
  email?: string;
  role: "owner" | "admin" | "member" | "viewer";
}

export interface CreateInvitationReply {
  invitation: Invitation;
  /** One use; shown only here. */
  link: string;
}

export type CreateLocationBody = CreatedLocationBody | StoreLocationBody;

export interface CreateReportBody {
  /** No other one of the person, or of the organization, has it. */
  name: string;
  scope: "own" | "shared";
  /** From top to bottom; 131,072 bytes together at most. */
  blocks: ReportBlock[];
}

export interface CreateRetentionRuleBody {
  /** No other rule of the organization has it. */
  name: string;
  rule: RetentionRuleContent;
}

export interface CreateSavedViewBody {
  /** No other one of the person, or of the organization, has it. */
  name: string;
  scope: "own" | "shared";
  /** Path of a page, and its query, as its address has them. */
  address: string;
}

export interface CreateServiceAccountBody {
  /** Unique in the organization. */
  name: string;
  role: "admin" | "member" | "viewer";
}

export interface CreateSessionBody {
  email: string;
  password: string;
  /** Name or id; needed only when the person belongs to several. */
  organization?: string;
  /** true: the token is set as an HttpOnly cookie, and the reply has csrf instead. */
  cookie?: boolean;
}

export interface CreateTokenBody {
  /** For people. */
  name: string;
  /** read: only reads; the only one of viewers. write: everything that an API key may. role: everything that the member's role may, except tokens and passwords. None exceeds the member's present role. */
  scope: "read" | "write" | "role";
  /** Until it expires; null: it does not. */
  days: number | null;
  /** Id of the service account that it is for, by an admin; left out: it is one's own. */
  account?: string;
}

export interface CreateTokenReply {
  token: PersonalToken;
  /** Shown only here. */
  secret: string;
}

export interface CreatedLocationBody {
  kind: "created";
  /** Default: cloud and region. */
  name?: string;
  /** An active connection. */
  connection: string;
  /** Where the bucket is made, as its cloud calls it: eu-central-1, europe-west4, westeurope … */
  region: string;
}

export interface CurrentPerson {
  /** The person. */
  id: string;
  email: string;
}

export interface CurrentSession {
  /** For the header x-csrf-token of requests with the cookie. */
  csrf: string;
  /** When the session ends. ISO 8601, UTC, milliseconds. */
  expires: string;
  person: CurrentPerson;
  organization: Organization | null;
  role: "owner" | "admin" | "member" | "viewer" | null;
  /** The person's organizations, by name. */
  organizations: MemberOrganization[];
}

export interface DeletedOrganization {
  /** The organization. */
  id: string;
  name: string;
  /** When it was deleted. */
  trashedAtMs: number;
  /** When it is removed for good. */
  purgeAtMs: number;
  /** It is being removed and can no longer be restored. */
  isPurging: boolean;
}

export interface DeletedOrganizationsReply {
  /** Deleted organizations of which the person is an owner, by name. */
  organizations: DeletedOrganization[];
}

export interface DescriptionEdit {
  /** The text that the client saw, which is to be replaced. */
  before: string;
  /** The new text; may be empty. */
  after: string;
}

export interface DifferenceBody {
  /** The experiments to compare, in this order. Left out: the first that the query finds. */
  experimentIds?: string[];
  /** Which experiments are compared; with `experimentIds`, which others these are set apart from. Left out: all. docs/query.md describes the language. */
  query?: string;
  /** Only experiments in this folder and below it. */
  folderId?: string;
  /** The first field decides, the next ones among equals, finally the ids. Experiments without a value come last in either direction. Default: the newest first. */
  sort?: TableSort[];
  /** Compare the experiments of `experimentIds` with all others that the query finds. */
  apart?: boolean;
  /** Only keys that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md). Default: all. */
  text?: string;
  /** Give keys that are equal, too. */
  equalKeys?: boolean;
  /** Give keys that begin with an underscore, too, the command of `_source`, and the tags that MLflow's clients write by themselves. */
  hiddenKeys?: boolean;
  /** Keys of the reply, and of `apart`. Default: 1000. */
  keysMax?: number;
  /** Only metrics that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md). Default: all. */
  metricText?: string;
  /** Metrics of the reply, each with a summary for each experiment: 20,000 summaries at most. Default: 200. */
  metricsMax?: number;
}

export interface DifferenceReply {
  /** The compared experiments. */
  experiments: ComparedExperiment[];
  /** Experiments that the query finds; without a query, how many are compared. */
  found: number;
  /** In the order of the metas. */
  keys: ComparedKey[];
  /** Keys that differ; `keys` has the first of them. */
  differingKeys: number;
  /** Keys that all have with one value. */
  equalKeys: number;
  /** Keys left out because they begin with an underscore, are `_source.command`, or `tag.mlflow.` and more. */
  hiddenKeys: number;
  /** Values that were not compared: at keys longer than 512 bytes, and at more than 20,000 keys. */
  uncomparedValues: number;
  /** The most common first, then by name. */
  metrics: ComparedMetric[];
  /** Metrics that any of the experiments has; `metrics` has the first of them. */
  metricsFound: number;
  apart?: Apart;
  /** Summaries, and `apart`, include everything acknowledged until this time. */
  asOfMs: number;
  /** Experiments with summaries or meta not up to date, among those that are compared, or that the query finds or may find later. */
  behind: number;
  /** Those of them behind for more than ten seconds. */
  late: number;
}

export interface EditBody {
  /** The experiment. */
  experimentId: string;
  description?: DescriptionEdit;
  /** The rest of the meta stays unchanged. */
  meta?: MetaEdit[];
}

/** An edit was refused. */
export interface EditFailure {
  /** A stable code. */
  error: string;
  /** A sentence for people. */
  message: string;
  present?: PresentTexts;
}

export interface EditReply {
  /** The experiment. */
  experimentId: string;
  description: string;
  /** The current meta. A JSON object, at most 65536 bytes compact. */
  meta: Record<string, unknown>;
  /** Server time of the edit; if it changed nothing, of the last change. */
  updatedAtMs: number;
}

export interface EraseAccountBody {
  /** The person's own address, as a confirmation. */
  email: string;
  /** The current password; missing after a sign-in by an identity provider. */
  password?: string;
}

/** Why an event failed or a stream ended early. */
export interface ErrorReplyData {
  /** What failed. */
  code: ErrorCode;
  /** A sentence for people. */
  message: string;
  /** The HTTP status that the event would have had. */
  status: number;
  /** True for status 429 and 5xx, otherwise false. */
  retryable: boolean;
  /** Depends on the code; `{}` if there is nothing to add. */
  details: Record<string, unknown>;
}

export interface ExperimentArtifactsReply {
  /** Newest first, at most 10,000. */
  versions: ExperimentVersion[];
  /** True: there are older ones that are not listed. */
  truncated: boolean;
  /** Uploads under way, newest first, at most 100. */
  uploads: ExperimentUpload[];
}

export interface ExperimentCompletedData {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  status: "running" | "done" | "error";
  /** Server time of this change. */
  statusAtMs: number;
}

export interface ExperimentDoneData {
  /** Must equal the id in the URL. */
  experimentId: string;
}

export interface ExperimentErrorData {
  /** Must equal the id in the URL. */
  experimentId: string;
  /** What went wrong. */
  error: string;
  /** Read back as errorMeta. A JSON object, at most 65536 bytes compact. */
  meta: Record<string, unknown>;
}

export interface ExperimentFailedData {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  status: "running" | "done" | "error";
  /** Server time of this change. */
  statusAtMs: number;
}

export interface ExperimentGroup {
  /** One for each key, in the order of the request. */
  values: GroupValue[];
  /** Experiments in it. */
  experiments: number;
  /** In the order of the request. */
  columns: GroupColumn[];
}

export interface ExperimentGroupsBody {
  /** Which experiments; left out: all. docs/query.md describes the language. */
  query?: string;
  /** Only experiments in this folder and below it. */
  folderId?: string;
  /** Fields of meta, or slug, id, name, status, state, attempts, folder, tag, group, commit, description or error. Lists, tags included, are compared as wholes. None: all experiments are one group. */
  by: string[];
  /** The fields of `columns` in the groups. */
  columns?: string[];
  /** The first one decides, the next ones among equals, finally the keys. Groups without a value come last in either direction. Default: the most experiments first. */
  sort?: GroupSort[];
  /** Groups of the reply at most; 0: only the totals. */
  limit: number;
  /** Groups to leave out before the first one. */
  offset?: number;
}

export interface ExperimentGroupsReply {
  groups: ExperimentGroup[];
  /** All groups. */
  total: number;
  /** Experiments that the query finds: all of them are in groups. */
  experiments: number;
  /** Keys and columns include everything acknowledged until this time. */
  asOfMs: number;
  /** Experiments with metrics or meta not up to date, among those that the query finds or may find later. */
  behind: number;
  /** Those of them behind for more than ten seconds. */
  late: number;
}

export type ExperimentMoveData =
  | { experimentId: string; folderId: string | null }
  | { experimentSlug: string; folderId: string | null };

export interface ExperimentMovedData {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  /** null: at the root. */
  folderId: string | null;
}

export interface ExperimentNode {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  slug: string;
  description: string;
  status: "running" | "done" | "error";
  /** When the slug was opened first. */
  createdAtMs: number;
  /** Last open, move, edit, start, done or error. */
  updatedAtMs: number;
}

export interface ExperimentOpenData {
  /** Names the experiment within the organization; an opaque key, slashes allowed. */
  slug: string;
  /** Replaced on every open; may be empty. */
  description: string;
  /** Replaced on every open. A JSON object, at most 65536 bytes compact. */
  meta: Record<string, unknown>;
  /** The `updatedAtMs` that the caller has seen under this slug; null: there was no experiment. Where it is another one by now: `experiment_changed`, and nothing is replaced. */
  seenUpdatedAtMs?: number | null;
}

export interface ExperimentOpenedData {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  /** Bearer credential of the experiment endpoint, `ik_…`. */
  experimentToken: string;
  /** When the token expires: 24 hours after issue. */
  expiresAtMs: number;
}

export type ExperimentQueryData = { experimentId: string } | { experimentSlug: string };

export interface ExperimentRecord {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  slug: string;
  description: string;
  /** As sent with the last open. A JSON object, at most 65536 bytes compact. */
  meta: Record<string, unknown>;
  status: "running" | "done" | "error";
  /** Message of the last error event. */
  error: string | null;
  /** Meta of the last error event. A JSON object, at most 65536 bytes compact. */
  errorMeta: Record<string, unknown> | null;
  /** When the slug was opened first. */
  createdAtMs: number;
  /** Last open, move, edit, start, done or error. */
  updatedAtMs: number;
  /** Last start; null: never. */
  startedAtMs: number | null;
  /** Last done; null: never. */
  doneAtMs: number | null;
  /** Last error; null: never. */
  errorAtMs: number | null;
  /** Last start, done or error; before the first one, when it was opened first. */
  statusAtMs: number;
  /** Its folder; null: the root. */
  folderId: string | null;
}

export interface ExperimentRevision {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  /** Only grows while the installation lives, and when a backup is restored (docs/backup.md). */
  revision: number;
  /** Ordered by name, bytewise. */
  series: SeriesRevision[];
}

export interface ExperimentSeriesDoneData {
  /** Series reported. */
  series: number;
  /** Data records sent. */
  batches: number;
  /** Points sent. */
  points: number;
}

export interface ExperimentSeriesQueryData {
  /** The experiment; an unknown id has no series. */
  experimentId: string;
  /** All must match; empty: every metadata partition. */
  filter: FilterPredicate[];
  xAxis: "step" | "timestamp";
  /** Default: every series. A repeated name counts once. */
  seriesNames?: string[];
}

export interface ExperimentSeriesSeriesData {
  experimentId: string;
  seriesName: string;
  /** Data records sent. */
  batches: number;
  /** Points sent. */
  points: number;
}

export interface ExperimentStartData {
  /** Must equal the id in the URL. */
  experimentId: string;
}

export interface ExperimentStartedData {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  status: "running" | "done" | "error";
  /** Server time of this change. */
  statusAtMs: number;
}

export interface ExperimentTokenRefreshData {
  /** The experiment the token belongs to. */
  experimentId: string;
  /** A token that is still valid; it works at most 30 seconds longer. */
  experimentToken: string;
}

export interface ExperimentTokenRefreshedData {
  /** Assigned when the slug was opened first. */
  experimentId: string;
  /** Bearer credential of the experiment endpoint, `ik_…`. */
  experimentToken: string;
  /** When the token expires: 24 hours after issue. */
  expiresAtMs: number;
}

export interface ExperimentTokenRevokeData {
  /** Must equal the id in the URL. */
  experimentId: string;
}

export interface ExperimentTokenRevokedData {
  /** Assigned when the slug was opened first. */
  experimentId: string;
}

export interface ExperimentUpload {
  /** Its path. */
  artifact: string;
  version: string;
  /** The upload. */
  upload: string;
  /** When it began. */
  beganAtMs: number;
  /** Its files together. */
  bytes: number;
  /** How many they are. */
  files: number;
}

export interface ExperimentVersion {
  /** Its path. */
  artifact: string;
  version: string;
  /** The step in the version's meta; null: there is none. */
  step: number | null;
  /** When it was committed. */
  committedAtMs: number;
  /** Its files together. */
  bytes: number;
  /** How many they are. */
  files: number;
  /** The epoch of its writer. */
  epoch: number;
}

export interface ExperimentsQueryData {
  /** May be empty; a repeated id counts once. */
  experimentIds: string[];
}

export interface ExperimentsResultData {
  /** In request order. */
  experiments: ExperimentRecord[];
  /** Ids that do not exist in the organization, in request order. */
  missingExperimentIds: string[];
}

export interface ExperimentsRule {
  kind: "experiments";
  /** Applies to experiments in this folder and below it; null: all experiments. */
  folderId: string | null;
  /** Days since the end and the last point of an experiment; null: the rule moves nothing, and what other rules say of the folders above does not reach here. */
  olderThanDays: number | null;
  /** Only these statuses. `running` includes experiments whose writer died. */
  statuses: ("running" | "done" | "error")[];
  /** Only experiments that this query finds; default: all. docs/query.md describes the language. */
  query?: string;
  /** Except experiments that this query finds, such as `tag = keep`. docs/query.md describes the language. */
  unless?: string;
  keepBest?: KeptBest;
}

export interface ExponentialSmoothing {
  kind: "ema";
  /** Weight of earlier points against each new one: an exponential moving average whose start is corrected, as TensorBoard draws it. */
  weight: number;
}

export interface FieldsBody {
  /** Only names, or values, that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md); those that begin with it come first. Names are compared with and without `meta.` and `metric.` before them. Left out: all. */
  text?: string;
  /** List the values of this field: of meta, or of name, tag, group, commit, folder or artifact. */
  field?: string;
  /** Left out: 200. */
  limit?: number;
  /** True: if no name fits, also those that the text may mean. */
  near?: boolean;
}

export interface FieldsReply {
  /** Empty when the values of a field are asked for. */
  fields: KnownField[];
  /** Values of the field, the most common first. For a field of meta, at most 20000 values that contain the text are read, those of the newest experiments. */
  values: KnownValue[];
  /** True: there are no others. */
  isWhole: boolean;
  /** Fields that the text may mean, the nearest first, at most three; left out unless asked for. */
  near?: string[];
}

export interface FileAddressReply {
  /** GET it, with ranges if you like. */
  url: string;
  /** When it ends. */
  expiresAtMs: number;
  /** The size of the file. */
  bytes: number;
}

/** Without metadataValue it requires the key to exist; with it, the exact value. */
export interface FilterPredicate {
  /** The key that a partition must have. */
  metadataKey: string;
  /** The exact value it must have; left out: any. */
  metadataValue?: string;
}

export interface Folder {
  /** Assigned by the service. */
  folderId: string;
  name: string;
  /** null: a root folder. */
  parentFolderId: string | null;
}

export interface FolderCreateData {
  /** Unique within the parent folder; compared exactly, stored as sent. */
  name: string;
  /** The parent folder; null: the root. */
  parentFolderId: string | null;
}

export interface FolderDeleteData {
  /** The folder to delete; it must be empty. */
  folderId: string;
}

export interface FolderDeletedData {
  /** The folder that is gone. */
  folderId: string;
}

export interface FolderNode {
  /** Assigned by the service. */
  folderId: string;
  name: string;
  /** null: a root folder. */
  parentFolderId: string | null;
  /** Ordered by name, bytewise. */
  folders: FolderNode[];
  /** Ordered by slug, bytewise. */
  experiments: ExperimentNode[];
}

export interface FolderTree {
  /** Root folders, ordered by name, bytewise. */
  folders: FolderNode[];
  /** Experiments without a folder, ordered by slug, bytewise. */
  experiments: ExperimentNode[];
}

export type FolderTreeReadData = Record<string, never>;

/** Renames or moves a folder; a field that is left out stays as it is. */
export interface FolderUpdateData {
  /** The folder to change. */
  folderId: string;
  /** Unique within the parent folder; compared exactly, stored as sent. */
  name?: string;
  /** The parent folder; null: the root. */
  parentFolderId?: string | null;
}

export interface FoldersReply {
  /** Bytewise by name. */
  folders: CountedFolder[];
  /** Of the organization. */
  experiments: number;
  /** In no folder. */
  experimentsAtRoot: number;
}

export interface FoundLoggedSeries {
  kind: "image" | "audio" | "video" | "table" | "histogram" | "html" | "plot" | "plotly" | "text";
  name: string;
  /** What was logged in it, in all of the experiments together. */
  items: number;
  /** How many of the experiments have it. */
  experiments: number;
  /** The first step at which something was logged. */
  firstStep: number;
  /** The last one. */
  lastStep: number;
}

export interface FreeSlugBody {
  /** Of an experiment that was purged. */
  slug: string;
}

export interface GaussianSmoothing {
  kind: "gauss";
  /** The standard deviation, in points; neighbours up to three of them away count, on both sides. */
  points: number;
}

export interface GcpConnection {
  cloud: "gcp";
  gcp: GcpIdentifiers;
}

export interface GcpIdentifiers {
  projectId: string;
  projectNumber: string;
  poolId: string;
  providerId: string;
  serviceAccountEmail: string;
}

export interface GroupColumn {
  /** Experiments with a number there. */
  count: number;
  /** Experiments with a value that is no number, as a text or NaN. Left out: none. */
  others?: number;
  /** Null, as the others: no experiment has a number. */
  mean: number | null;
  min: number | null;
  max: number | null;
}

export interface GroupCurve {
  /** One for each key, in the order of the request. */
  values: GroupValue[];
  /** Experiments in it that have the series. */
  experiments: number;
  /** Its lines: partitions of these experiments. */
  members: number;
  /** Points of its members in the range; all of them were considered. */
  points: number;
  /** Points that have no place on the axis, as in an overview. */
  unplaced?: number;
  /** Members that cannot be read, because stored data is damaged; they count nowhere else. */
  damaged?: number;
  /** Members that have values that are not finite; they are not points. Left out: none. */
  nonfinite?: number;
  /** Columns in which any member has a value, ascending. */
  column: number[];
  /** Number of members with a value there. */
  count: number[];
  /** The mean of their values. */
  mean: number[];
  /** The least point of a member there, or the least interpolated value. */
  min: number[];
  /** The largest one, likewise. */
  max: number[];
  /** Standard deviation of their values, of a sample (n - 1); 0 of one member. The standard error is this, divided by the square root of `count`. */
  deviation: number[];
  recorded: GroupRecorded;
  /** The last place of a point before the range. */
  before?: number;
  /** The first place of a point behind it. */
  after?: number;
}

export interface GroupMember {
  /** One of `membersOf`. */
  experimentId: string;
  /** The metadata of the partition. */
  metadata: Record<string, string>;
  /** A place in `groups`; null: one of the others. */
  group: number | null;
}

/** Where members have points; elsewhere their values are interpolated. */
export interface GroupRecorded {
  /** Columns in which any member has a point, ascending. */
  column: number[];
  /** Number of members with a point there. */
  members: number[];
  /** The place of all these points; null: there are several in the column. */
  x: (number | null)[];
}

export interface GroupRole {
  /** As the provider names it in the claim, or by SCIM. */
  group: string;
  role: "owner" | "admin" | "member" | "viewer";
}

export interface GroupSort {
  of: "experiments" | "key" | "count" | "mean" | "min" | "max";
  /** Which key of `by`, or which column, from 0; not with `experiments`. Default: 0. */
  at?: number;
  /** Left out: ascending. */
  descending?: boolean;
}

/** The value of a key that the members of a group have in common. */
export interface GroupValue {
  kind: "none" | "null" | "boolean" | "number" | "text" | "list" | "object";
  /** A text itself, a folder's path, other values as JSON; as in the table, of at most 256 bytes. Empty for `none`: it lacks the key. */
  text: string;
}

export interface GroupsBody {
  /** Which experiments; left out: all. docs/query.md describes the language. */
  query?: string;
  /** Only experiments in this folder and below it. */
  folderId?: string;
  /** The experiments, instead of a query. */
  experimentIds?: string[];
  /** The series that is reduced. */
  seriesName: string;
  combined?: SeriesCombination;
  /** All must match; left out: every metadata partition. */
  filter?: FilterPredicate[];
  /** Fields of meta, or slug, id, name, status, state, attempts, folder, tag, group, commit, description or error. Lists, tags included, are compared as wholes. None: all experiments are one group. */
  by: string[];
  /** Further keys, behind those of `by`. */
  byPartition?: string[];
  xAxis: "step" | "offset" | "elapsed" | "timestamp" | "metric";
  /** With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x. */
  xSeriesName?: string;
  xScale?: "linear" | "log";
  /** Beginning of the range, in units of the axis; left out: at the first point. */
  start?: number;
  /** End of the range, exclusive; default: after the last point. */
  end?: number;
  /** Number of equally wide columns of the range. */
  columns: number;
  smooth?: Smoothing;
  /** Groups of the reply, those with the most members. Default: 20. */
  groupsMax?: number;
  /** Experiments of which the reply says in which groups their lines are. */
  membersOf?: string[];
}

export interface GroupsReply {
  xAxis: "step" | "offset" | "elapsed" | "timestamp" | "metric";
  /** With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x. */
  xSeriesName?: string;
  xScale: "linear" | "log";
  /** Beginning of the first column. */
  start: number;
  /** End of the last column, exclusive. */
  end: number;
  /** As asked for. */
  columns: number;
  /** Experiments that the query finds. */
  experiments: number;
  /** Those of them that have no points of the series in any group. */
  withoutSeries: number;
  /** The group with the most members first. */
  groups: GroupCurve[];
  /** The lines of the experiments of `membersOf`. */
  members: GroupMember[];
  others: OtherGroups;
  /** Values of keys include everything acknowledged until this time. */
  asOfMs: number;
  /** Experiments with metrics or meta not up to date, among those that the query finds or may find later. */
  behind: number;
  /** Those of them behind for more than ten seconds. */
  late: number;
}

export interface GuestLink {
  /** Assigned by the service. */
  id: string;
  name: string;
  kind: "experiment" | "comparison" | "report";
  /** The experiments that it shows, as they were found when it was made. */
  experimentIds: string[];
  /** The report that it shows; null: none. */
  reportId: string | null;
  /** For review: neither names of people, runs and the organization, nor texts that people or scripts wrote. */
  isAnonymous: boolean;
  /** Whether it shows consoles. */
  showsConsole: boolean;
  /** Whether it shows media and files of artifacts and runs, and gives them out. */
  showsFiles: boolean;
  /** When it was made. ISO 8601, UTC, milliseconds. */
  created: string;
  /** E-mail address of the person who made it. */
  createdBy: string;
  /** When it ends. ISO 8601, UTC, milliseconds. */
  expires: string;
  /** When it was opened last; null: never. ISO 8601, UTC, milliseconds. */
  lastUsed: string | null;
  /** How often it was opened. */
  uses: number;
}

export interface GuestLinksReply {
  /** Valid links, the newest first. */
  links: GuestLink[];
  /** Whether members may make links; admins and owners always may. */
  membersShare: boolean;
}

export interface GuestSettings {
  /** Whether members may make guest links. */
  membersShare: boolean;
}

export interface GuestVisit {
  /** For the header x-csrf-token of requests with the cookie. */
  csrf: string;
  /** When the link ends. ISO 8601, UTC, milliseconds. */
  expires: string;
  /** Its name; null: the link is anonymous. */
  organization: string | null;
  kind: "experiment" | "comparison" | "report";
  /** The experiments that it shows, as they were found when it was made. */
  experimentIds: string[];
  /** The report that it shows; null: none. */
  reportId: string | null;
  /** For review: neither names of people, runs and the organization, nor texts that people or scripts wrote. */
  isAnonymous: boolean;
  /** Whether it shows consoles. */
  showsConsole: boolean;
  /** Whether it shows media and files of artifacts and runs, and gives them out. */
  showsFiles: boolean;
}

export interface Health {
  status: "ok" | "starting" | "stopping" | "unavailable";
}

export interface HoldingModel {
  /** Name of a registered model that has it. */
  model: string;
  /** The number of its version there. */
  version: number;
  /** Of the model, that point there. */
  aliases: string[];
}

export interface InputDataset {
  name: string;
  digest: string;
  sourceType: string;
  source: string;
  tags: Attribute[];
}

export interface Invitation {
  /** Assigned by the service. */
  id: string;
  /** Only this address can accept it; null: any. */
  email: string | null;
  role: "owner" | "admin" | "member" | "viewer";
  /** When it was made. ISO 8601, UTC, milliseconds. */
  created: string;
  createdBy: string;
  /** When the link ends. ISO 8601, UTC, milliseconds. */
  expires: string;
}

export interface InvitationsReply {
  invitations: Invitation[];
}

export interface IssuerConfiguration {
  /** Exactly the `iss` of tokens. */
  issuer: string;
  jwks_uri: string;
  response_types_supported: string[];
  subject_types_supported: string[];
  id_token_signing_alg_values_supported: string[];
  scopes_supported: string[];
  claims_supported: string[];
}

export interface IssuerKeySet {
  keys: IssuerPublicKey[];
}

export interface IssuerPublicKey {
  kty: "RSA";
  n: string;
  e: string;
  alg: "RS256";
  use: "sig";
  kid: string;
}

/** Except the best of all experiments of the rule, however old. */
export interface KeptBest {
  /** A metric as queries spell it: `metric.loss.min`, `metric.acc`. */
  field: string;
  order: "least" | "greatest";
  count: number;
}

export interface KnownField {
  /** In the language's spelling. */
  field: string;
  /** Number of experiments that have it, counted up to 1000. */
  experiments: number;
  /** More than `experiments` may have it. */
  isMinimum: boolean;
}

export interface KnownValue {
  value: number | string | boolean | null;
  /** The value in the language's spelling. */
  text: string;
  /** How many have it. */
  experiments: number;
  /** More than `experiments` may have it. */
  isMinimum: boolean;
}

export interface Layout {
  /** Charts at the top, in this order. */
  pinned?: string[];
  /** Charts that are hidden; a name with `*` is a pattern. */
  hidden?: string[];
  /** Charts that come first in their section, in this order. */
  order?: string[];
  /** In this order, before those by the first part of a name. */
  sections?: LayoutSection[];
  /** Charts with settings of their own. */
  charts?: LayoutChart[];
  /** Charts side by side; absent: by the width of the page. */
  columns?: number;
  /** Height of plots, in CSS pixels. */
  height?: number;
}

export interface LayoutChart {
  /** The metric that it shows; of a chart with lines, any text. */
  key: string;
  /** The metrics in it; absent: the one of the key. */
  lines?: string[];
  operator?: "plus" | "minus" | "times" | "dividedBy";
  /** Absent: the metrics. */
  title?: string;
  /** Axes of its own, as the query of a chart's page: x, xs, r, y, yr, s. What is absent is the page's. */
  view?: string;
  /** Its section; absent: by the patterns of the sections. */
  section?: string;
  /** Columns of the page that it covers; default: 1. */
  columns?: number;
  /** Height of its plot, in CSS pixels. */
  height?: number;
}

export interface LayoutSection {
  /** Its heading. */
  name: string;
  /** The metrics in it; absent: those of the first part of their name, as without a workspace. */
  patterns?: string[];
  /** Default: only `system` is closed. */
  isClosed?: boolean;
}

export interface LineageEdge {
  /** The id of what was used, or of the run that wrote. */
  source: string;
  /** The id of the run that used it, or of what was written. */
  target: string;
  /** What it was to the run, such as `validation`; may be empty. */
  role: string;
  /** How the run asked for it, such as `@best`; may be empty. */
  named: string;
  /** The step at which the run wrote it. */
  step: number | null;
  /** When it was first used, or when it was written; null: unknown. */
  atMs: number | null;
}

export interface LineageGraph {
  /** The id of the node from which the walk began. */
  root: string;
  /** In the order of the walk, level by level. */
  nodes: LineageGraphNode[];
  /** At most 10000. */
  edges: LineageEdge[];
  /** True: nodes or links are missing because of their number. */
  isCut: boolean;
  /** True: after an upgrade, what was recorded before it is still looked through, and links may be missing. */
  isBehind: boolean;
}

export interface LineageGraphNode {
  /** Names it in this reply. */
  id: string;
  kind: "run" | "version" | "model" | "dataset";
  /** A run's name in lists, the artifact's path, or the name of the model or data set. */
  name: string;
  state: "present" | "trashed" | "deleted" | "unknown";
  /** Of a run. */
  experimentId?: string;
  /** Of a run. */
  slug?: string;
  /** Of a run that is present. */
  status?: string;
  /** Of a version. */
  version?: string;
  /** The files of a version that is present. */
  bytes?: number;
  /** Of a model. */
  modelId?: string;
  /** Of a data set. */
  digest?: string;
  /** Links to the first node; below 0: it was made of this one. */
  distance: number;
  /** How many of its neighbours on the walk's ways are missing. */
  leftOut: number;
}

export interface LineageLink {
  node: LineageNode;
  /** What it was to the run, such as `validation`; may be empty. */
  role: string;
  /** How the run asked for it, such as `@best`; may be empty. */
  named: string;
  /** The step at which the run wrote it. */
  step: number | null;
  /** When it was first used, or when it was written; null: unknown. */
  atMs: number | null;
}

export interface LineageNode {
  /** Names it in this reply. */
  id: string;
  kind: "run" | "version" | "model" | "dataset";
  /** A run's name in lists, the artifact's path, or the name of the model or data set. */
  name: string;
  state: "present" | "trashed" | "deleted" | "unknown";
  /** Of a run. */
  experimentId?: string;
  /** Of a run. */
  slug?: string;
  /** Of a run that is present. */
  status?: string;
  /** Of a version. */
  version?: string;
  /** The files of a version that is present. */
  bytes?: number;
  /** Of a model. */
  modelId?: string;
  /** Of a data set. */
  digest?: string;
}

export interface LinkVersionBody {
  /** Path of the artifact. */
  artifact: string;
  /** Name of the version, `latest`, or an alias as `@best`. */
  version: string;
  /** Of this version of the model. */
  description?: string;
}

export interface ListedArtifact {
  /** Its path. */
  artifact: string;
  /** Committed versions. */
  versions: number;
  /** Bytes of all versions. */
  bytes: number;
  /** The highest version; null: there is none yet. */
  latest: string | null;
  /** When the latest version was committed. */
  lastCommitAtMs: number | null;
  /** Label of the latest version's writer. */
  source: string | null;
  location: ViewedLocation | null;
  /** Epoch of the newest writer; 0: never opened. */
  epoch: number;
}

export interface ListedNote {
  /** Its name. */
  note: string;
  /** Its size. */
  bytes: number;
  /** When it was written last. */
  changedAtMs: number;
}

export interface Liveness {
  /** Attempts of the experiment; what follows is of the newest one. */
  attempts: number;
  state: "running" | "silent" | "finished" | "exited" | "killed" | "preempted" | "gone";
  /** When the attempt ended; silent: when it was seen alive last; running: when it began. */
  sinceMs: number;
  exitCode?: number;
  signal?: number;
  /** When a process of it was seen alive last, of those that have not ended where there are any. */
  beatAtMs: number;
}

export interface Location {
  /** Assigned by the service. */
  id: string;
  name: string;
  kind: "created" | "s3";
  cloud: string;
  region: string;
  /** How clients talk to it: s3, gcs or azure. */
  protocol: string;
  endpoint: string;
  bucket: string;
  /** Prefix of all keys in the bucket; may be empty. */
  path: string;
  /** The connection that made a created location. */
  connection: string | null;
  /** Used if no better location fits; at most one location is the fallback. */
  fallback: boolean;
  /** The default location of its cloud. */
  default: boolean;
  state: "active" | "retired";
  /** When it was added. ISO 8601, UTC, milliseconds. */
  created: string;
}

export interface LoggedBins {
  /** The edges of the bins, one more than these. */
  bins: number[];
  /** What lies in each bin. */
  values: number[];
  /** How many bins the file has, if neighbouring ones were summed for the annotation. */
  of?: number;
}

export interface LoggedFile {
  /** Its name in the version, or in the run. */
  path: string;
  /** Its size. */
  bytes: number | null;
  /** As the end of its name says, such as `image/png`; null: unknown. It is what a client logged, not what was checked. */
  mediaType: string | null;
  /** The artifact that has it: `file-address` and `file`. */
  artifact?: string;
  /** The version of the artifact. */
  version?: string;
  /** Instead of artifact and version: the run to which MLflow's client wrote it: `run-file-address` and `run-file`. */
  owner?: string;
}

export interface LoggedHistogramColumn {
  /** The first step in it. */
  step: number;
  /** The last one: another than the first if steps were merged. */
  lastStep: number;
  /** Histograms summed in it. */
  items: number;
  /** What lies in each bin: the counts of the logged bins, divided by area where edges differ. */
  counts: number[];
  /** The sum of all logged counts in it. */
  total: number;
  /** What lies below the first bin. */
  below: number;
  /** What lies above the last bin. */
  above: number;
  /** Values that are NaN or infinite. */
  nonfinite: number;
}

export interface LoggedHistogramMap {
  /** The experiment. */
  experimentId: string;
  /** Of the points beside which they were logged: a map for each. */
  metadata: Record<string, string>;
  /** In the order of steps. */
  columns: LoggedHistogramColumn[];
  /** Histograms in the range. */
  items: number;
  /** Of these, those whose numbers are only in their files, as older clients logged them: they are in no column. */
  files: number;
}

export interface LoggedHistogramsBody {
  /** The experiments, in the order of the reply. */
  experimentIds: string[];
  /** The name under which it was logged. */
  name: string;
  /** Only steps from this one on. */
  start?: number;
  /** Only steps below this. */
  end?: number;
  /** Most columns of a map; fewer where many maps would be too large. Default: 256. */
  columns?: number;
  /** Bins of equal width into which the values' range is divided. Default: 64. */
  bins?: number;
  /** The lower edge of the first bin. Default: of all histograms. */
  low?: number;
  /** The upper edge of the last bin. Default: of all histograms. */
  high?: number;
}

export interface LoggedHistogramsReply {
  /** The lower edge of the first bin of every column. */
  low: number;
  /** The upper edge of the last bin. */
  high: number;
  /** Bins of every column, of equal width. */
  bins: number;
  maps: LoggedHistogramMap[];
  /** True: after an upgrade, what was logged before it is still looked through, and some of it may be missing. */
  isBehind: boolean;
}

export interface LoggedItem {
  /** The experiment. */
  experimentId: string;
  /** The step at which it was logged. */
  step: number;
  /** When it was logged, as the client says; otherwise when it came. */
  timestampMs: number;
  /** Of the point beside which it was logged: for instance its rank. */
  metadata: Record<string, string>;
  /** Its place among those that one call logged, from 0. */
  index?: number;
  /** How many that call logged. */
  count?: number;
  caption?: string;
  /** Of a text: itself, at most 16000. */
  text?: string;
  file?: LoggedFile;
  /** Of an image or video, in pixels, if known. */
  width?: number;
  /** Its height. */
  height?: number;
  /** Of a table, if known. */
  rows?: number;
  /** Its columns. */
  columns?: number;
  histogram?: LoggedBins;
  /** The kind of a plot, such as `line`. */
  plot?: string;
}

export interface LoggedItemsBody {
  /** The experiments, in the order of the reply. */
  experimentIds: string[];
  kind: "image" | "audio" | "video" | "table" | "histogram" | "html" | "plot" | "plotly" | "text";
  /** The name under which it was logged. */
  name: string;
  /** Only steps from this one on. */
  start?: number;
  /** Only steps below this. */
  end?: number;
  /** From the last step to the first. Default: false. */
  newestFirst?: boolean;
  /** Most items of the reply. Default: 100. */
  limit?: number;
  /** `next` of the page before; the rest of the request is the same. */
  after?: string;
}

export interface LoggedItemsReply {
  /** By experiment in the order of the request, then by step, then by arrival. */
  items: LoggedItem[];
  /** Pass it as `after`; null: these are the last. */
  next: string | null;
  /** True: after an upgrade, what was logged before it is still looked through, and some of it may be missing. */
  isBehind: boolean;
}

export interface LoggedNamesBody {
  /** The experiments, in the order of the reply. */
  experimentIds: string[];
  /** Only series of these kinds. Default: all. */
  kinds?: (
    | "image"
    | "audio"
    | "video"
    | "table"
    | "histogram"
    | "html"
    | "plot"
    | "plotly"
    | "text"
  )[];
  /** Only names that fit this search: words in any order, in which `*` stands for anything, or `/regular expression/`; letters A to Z without regard to case (docs/query.md). */
  text?: string;
  /** Most series of the reply. Default: 1000. */
  limit?: number;
}

export interface LoggedNamesReply {
  /** By name, then by kind. */
  series: FoundLoggedSeries[];
  /** Series that the request finds; more than those of the reply were cut. */
  found: number;
  /** True: after an upgrade, what was logged before it is still looked through, and some of it may be missing. */
  isBehind: boolean;
}

export interface LoggedNearestBody {
  /** The experiments, in the order of the reply. */
  experimentIds: string[];
  /** The series, by kind and name. */
  series: LoggedSeries[];
  /** For each series of each experiment: the items at the step nearest to this one. */
  step: number;
}

export interface LoggedNearestReply {
  /** In the order of the series, then of the experiments, then of arrival. Of two equally near steps it is the lower one. At most 108 of one series and experiment. */
  items: NearestLoggedItem[];
  /** Whether some were left out. */
  truncated: boolean;
  /** True: after an upgrade, what was logged before it is still looked through, and some of it may be missing. */
  isBehind: boolean;
}

export interface LoggedSeries {
  kind: "image" | "audio" | "video" | "table" | "histogram" | "html" | "plot" | "plotly" | "text";
  /** The name under which it was logged. */
  name: string;
}

export interface LoggedStepsBody {
  /** The experiments, in the order of the reply. */
  experimentIds: string[];
  /** The series, by kind and name. */
  series: LoggedSeries[];
  /** Only steps from this one on. */
  start?: number;
  /** Only steps below this. */
  end?: number;
  /** Most steps of the reply. Default: 5000. */
  stepsMax?: number;
}

export interface LoggedStepsReply {
  /** Steps at which any of the series has something in any of the experiments, in order, each once. If there are more than `stepsMax`, every n-th of them, with the first and the last. */
  steps: number[];
  /** How many there are. */
  found: number;
  /** Whether there may be more: of very many items only the first of each series are counted. The last step is in `steps` anyway. */
  isMinimum: boolean;
  /** True: after an upgrade, what was logged before it is still looked through, and some of it may be missing. */
  isBehind: boolean;
}

export interface LoggedTextLane {
  /** The experiment. */
  experimentId: string;
  /** Of the points beside which it was logged: a lane for each. */
  metadata: Record<string, string>;
  /** In the order of steps. The first one may have begun before `start`: it is the text that holds there. */
  states: LoggedTextState[];
}

export interface LoggedTextState {
  /** Its first 256 characters. */
  text: string;
  /** Whether the text is longer. */
  isCut: boolean;
  /** From this step on. */
  step: number;
  /** When it was logged first. */
  timestampMs: number;
  /** The step of the next other text; null: nothing else came in the range. */
  endStep: number | null;
  /** How often in a row this text was logged. */
  items: number;
}

export interface LoggedTextsBody {
  /** The experiments, in the order of the reply. */
  experimentIds: string[];
  /** The name under which it was logged. */
  name: string;
  /** Only steps from this one on. */
  start?: number;
  /** Only steps below this. */
  end?: number;
  /** Most states of the reply. Default: 5000. */
  statesMax?: number;
}

export interface LoggedTextsReply {
  lanes: LoggedTextLane[];
  /** The lanes are complete up to here; go on with it as `start`. Null: they are complete. */
  end: number | null;
  /** True: after an upgrade, what was logged before it is still looked through, and some of it may be missing. */
  isBehind: boolean;
}

export interface MediaBlock {
  kind: "media";
  width?: "half";
  experimentIds?: string[];
  /** Instead of the ids: a query, run at each reading. docs/query.md describes the language. */
  query?: string;
  /** With the query: only experiments in this folder and below it. */
  folderId?: string;
  /** With the query, of which the first 100 are drawn: fields separated by commas, each optionally followed by `desc`. Default: the newest first. docs/query.md describes the language. */
  sort?: string;
  /** With the query: how many of the experiments that it finds first are shown; default: 6. */
  limit?: number;
  media: "image" | "audio" | "video" | "table" | "histogram" | "html" | "plot" | "plotly" | "text";
  /** The name under which the experiments logged it: pictures, tables, plots and so on. */
  name: string;
  /** The items at the step nearest to this one; absent: the newest. */
  step?: number;
  /** Empty: the name. */
  title: string;
}

export interface MemberOrganization {
  /** The organization. */
  id: string;
  name: string;
  role: "owner" | "admin" | "member" | "viewer";
}

export interface MetaEdit {
  /** Member names from the root of the meta: `["optimizer", "lr"]`. All but the last are those of objects that are there; a list is one value, changed as a whole. */
  path: string[];
  /** The value that the client saw; missing: none. */
  before?: unknown;
  /** The new value, kept digit by digit; missing: none. */
  after?: unknown;
}

export interface MetricData {
  /** Must equal the id in the URL. */
  experimentId: string;
  /** Unix milliseconds, 0 to 2^53 - 1. */
  timestampMs: number;
  /** 0 to 2^53 - 2. */
  step: number;
  /** Names the series; printable ASCII, 1 to 256 bytes. */
  metricName: string;
  /** A finite double; -0 is stored as 0. */
  metricValue: number;
  /** Splits the series into partitions, one for each distinct content. Keys at most 128 bytes, values at most 512, canonical JSON (RFC 8785) at most 4,096. */
  meta: Record<string, string>;
}

export interface MetricRecordedData {
  /** The experiment. */
  experimentId: string;
  metricName: string;
  /** True: the same messageId with the same payload was already stored; nothing was added. */
  deduplicated: boolean;
}

export interface MissingMetric {
  /** A metric of the condition that the experiment has not. */
  field: string;
  /** Metrics of the experiment that may be meant, the nearest first; at most three. */
  near: string[];
}

/** A request of an MLflow client was refused. */
export interface MlflowFailure {
  /** A code of MLflow's. */
  error_code: string;
  /** A sentence for people. */
  message: string;
}

export interface MlflowLocations {
  /** Empty, the default: none is allowed. */
  allowed: string[];
}

/** A message of MLflow's REST interface; 64-bit integers have all their digits. */
export type MlflowReply = Record<string, never>;

/** A message of MLflow's REST interface, as protobuf prints it: unknown fields are ignored. */
export type MlflowRequest = Record<string, never>;

export interface ModelAlias {
  /** Its name. */
  alias: string;
  /** The version that it points to. */
  version: number;
}

export interface ModelEntry {
  /** Its name. */
  model: string;
  description: string;
  /** The highest version; null: there is none. */
  latest: number | null;
  /** By name. */
  aliases: ModelAlias[];
  /** When it was registered. */
  createdAtMs: number;
  /** When it, its versions or stages were changed last. */
  changedAtMs: number;
}

export interface ModelExperiment {
  /** The experiment from which it is. */
  experimentId: string;
  slug: string;
  /** Its name in lists, if it is not the slug. */
  name: string | null;
}

export interface ModelList {
  models: ModelEntry[];
  /** Pass it as `after`; null: this was the last page. */
  next: string | null;
}

export interface ModelTag {
  key: string;
  value: string;
}

export interface MoveModelAliasBody {
  /** The version to point to. */
  version: number;
  /** Move it only from this version; null: only if there is no such alias. */
  expected?: number | null;
}

export interface MovedModelAlias {
  /** The version that it pointed to before; null: it is new. */
  previous: number | null;
}

export interface NamedAuditEvent {
  /** Sorts by time. */
  id: string;
  /** When it happened. ISO 8601, UTC, milliseconds. */
  at: string;
  /** What happened, for instance apiKey.created. */
  action: string;
  /** Id of the person or key, or `bootstrap`, `provision`, `operator`, `service`, `retention`. */
  actor: string;
  /** Id of the object of the action. */
  subject: string | null;
  /** Network address of the caller. */
  address: string | null;
  details: Record<string, unknown>;
  /** Display name of the actor: an address or a name; null: it has none. */
  actorName: string | null;
  /** Display name of the subject: an address or a name; null: it has none. */
  subjectName: string | null;
}

export interface NearestLoggedItem {
  /** Place of its series in the request, from 0. */
  series: number;
  /** The experiment. */
  experimentId: string;
  /** The step at which it was logged. */
  step: number;
  /** When it was logged, as the client says; otherwise when it came. */
  timestampMs: number;
  /** Of the point beside which it was logged: for instance its rank. */
  metadata: Record<string, string>;
  /** Its place among those that one call logged, from 0. */
  index?: number;
  /** How many that call logged. */
  count?: number;
  caption?: string;
  /** Of a text: itself, at most 16000. */
  text?: string;
  file?: LoggedFile;
  /** Of an image or video, in pixels, if known. */
  width?: number;
  /** Its height. */
  height?: number;
  /** Of a table, if known. */
  rows?: number;
  /** Its columns. */
  columns?: number;
  histogram?: LoggedBins;
  /** The kind of a plot, such as `line`. */
  plot?: string;
}

export interface NewAnnotationsReply {
  /** Newest first, at most 100,000. */
  annotations: Annotation[];
  /** True: there are older ones that are not listed. */
  truncated: boolean;
  /** For the next request; opaque. */
  next: string;
}

export interface NewFile {
  /** Unique in the version; may contain slashes. `_manifest.json` is reserved. */
  name: string;
  /** Bytes. */
  size: number;
}

/** The attempt that went on after it. */
export interface NextAttempt {
  /** Its number. */
  attempt: number;
  /** The launcher that started it again; left out: somebody. */
  by?: string;
}

export interface NoteBody {
  /** The experiment. */
  experimentId: string;
  /** Of the caller's choice, best a UUID: the same one again in the experiment adds nothing. */
  messageId: string;
  /** The text. */
  annotation: string;
  /** Its place on the axis of steps: `step` of its meta. */
  step?: number;
}

export interface NoteReply {
  /** The experiment. */
  experimentId: string;
  /** Id of the annotation, also if it was stored before. */
  annotationId: string;
  /** Server time at which it was added. */
  createdAtMs: number;
  /** True: it was stored before, with this messageId. */
  deduplicated: boolean;
}

export interface OauthDeviceReply {
  device_code: string;
  user_code: string;
  verification_uri: string;
  expires_in: number;
  interval: number;
}

export interface OauthFailure {
  /** A code of RFC 6749 or RFC 8628. */
  error: string;
  /** A sentence for people. */
  error_description: string;
}

export interface OauthMetadata {
  issuer: string;
  authorization_endpoint: string;
  token_endpoint: string;
  device_authorization_endpoint: string;
  revocation_endpoint: string;
  response_types_supported: string[];
  grant_types_supported: string[];
  code_challenge_methods_supported: string[];
  token_endpoint_auth_methods_supported: string[];
  revocation_endpoint_auth_methods_supported: string[];
  authorization_response_iss_parameter_supported: boolean;
}

export interface OauthTokenReply {
  access_token: string;
  token_type: "Bearer";
  expires_in: number;
  refresh_token: string;
}

export interface OpenArtifactBody {
  mode: "latest" | "new" | "fork";
  place: Place;
  /** With the mode fork: the artifact to fork from. */
  source?: string;
}

export interface OpenArtifactReply {
  /** Earlier writers are superseded by it. */
  epoch: number;
  version: VersionRecord | null;
  /** The artifact that was forked from. */
  source: string | null;
}

export interface OpenConsoleLine {
  stream: "stdout" | "stderr" | "debug" | "info" | "warning" | "error" | "critical";
  /** The line without its end, without escape sequences, and of a line that was written over its last state. */
  text: string;
}

export interface OpenGuestLinkBody {
  /** Behind the `#` of the address. */
  secret: string;
}

export interface Organization {
  /** Assigned by the service. */
  id: string;
  name: string;
}

export interface OrganizationContents {
  /** The organization's name. */
  name: string;
  /** Experiments, those in its trash included. */
  experiments: number;
  /** Their points. */
  points: number;
  /** Artifacts. */
  artifacts: number;
  /** Their versions. */
  versions: number;
  /** Bytes of these versions' files. */
  artifactBytes: number;
  /** Buckets of its own in which files may be; the buckets themselves stay. */
  buckets: number;
  /** Members; one without another organization stays a person without any. */
  people: number;
  /** API keys that are good now. */
  apiKeys: number;
}

export interface OrganizationView {
  /** The organization. */
  orgId: string;
  name: string;
  /** Address of the token issuer of its connections. */
  issuer: string;
  connections: Connection[];
  locations: Location[];
  /** Whether an active fallback location exists. */
  ready: boolean;
}

export interface OrganizationsReply {
  organizations: MemberOrganization[];
}

/** Groups beyond `groupsMax`. */
export interface OtherGroups {
  /** Their number. */
  groups: number;
  /** Their lines, which were not read. */
  members: number;
}

export interface OverviewBody {
  /** Each of their metadata partitions is a line of its own. */
  series: ViewSelection[];
  /** Number of partitions to skip, in the order of the reply. */
  partitionsFrom?: number;
  /** Maximum number of partitions; default: all. */
  partitionsMax?: number;
  xAxis: "step" | "offset" | "elapsed" | "timestamp" | "metric";
  /** With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x. */
  xSeriesName?: string;
  xScale?: "linear" | "log";
  /** Beginning of the range, in units of the axis; left out: at the first point. */
  start?: number;
  /** End of the range, exclusive; default: after the last point. */
  end?: number;
  /** Number of equally wide columns of the range. */
  columns: number;
  /** Of many points over steps the service may then move `start` and `end` outwards, by at most 2.5 % of the range, and take fewer columns, at least half of them, so that summaries serve instead of points. The reply says which; each column is exact for them. */
  align?: boolean;
  smooth?: Smoothing;
}

/** The points themselves, if there are at most four a column. */
export interface OverviewExact {
  /** In units of the axis, ascending. */
  x: number[];
  /** Their values. */
  value: number[];
}

/** The last value of the partition, if it is not finite and in the range; it is not a point. Left out: the last value is a point. */
export interface OverviewNonfinite {
  /** In units of the axis; left out along another metric. */
  x?: number;
  value: "NaN" | "Infinity" | "-Infinity";
}

/** Without points in the range it has neither `exact` nor `reduced`. `before` is the last point before the range and `after` the first one behind it, where there are such: a line is drawn from the one through the range to the other. */
export interface OverviewPartition {
  experimentId: string;
  seriesName: string;
  combined?: CombinedLine;
  /** The partition: the meta that its points have in common. */
  metadata: Record<string, string>;
  /** Points in the range; all of them were considered. */
  points: number;
  /** Points that have no place on the axis: without a partner, or at or below 0 of a logarithmic axis without a requested `start`. Missing: none. */
  unplaced?: number;
  min?: OverviewPoint;
  max?: OverviewPoint;
  lastNonfinite?: OverviewNonfinite;
  /** Values that are not finite may follow the last point of the range, which then is not its last value: the partition has some, and here it is not known where each of them is. */
  mayEndNonfinite?: true;
  before?: OverviewPoint;
  after?: OverviewPoint;
  exact?: OverviewExact;
  reduced?: OverviewReduced;
  /** On `step` and `offset`, the columns of `reduced` whose steps are known to have been gone over again: with several points of one step, or, of several columns in a row, recorded after the one behind. Left out: none is known. */
  repeated?: number[];
  /** On `step` and `offset`, where several points have one step: the positions in `exact` of points recorded before the point ahead of them. Left out: there are none. */
  back?: number[];
  smoothed?: OverviewSmoothed;
  error?: ViewProblem;
}

export interface OverviewPoint {
  /** In units of the axis. */
  x: number;
  value: number;
}

/** The columns, if there are more points. */
export interface OverviewReduced {
  /** Columns that have points, by number, ascending. */
  column: number[];
  /** The value of its first point on the axis. */
  first: number[];
  /** The value of its last point. */
  last: number[];
  /** Its least value. */
  min: number[];
  /** Its largest value. */
  max: number[];
  /** The mean of its values. */
  mean: number[];
}

export interface OverviewReply {
  xAxis: "step" | "offset" | "elapsed" | "timestamp" | "metric";
  /** With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x. */
  xSeriesName?: string;
  xScale: "linear" | "log";
  /** Beginning of the first column. */
  start: number;
  /** End of the last column, exclusive. */
  end: number;
  /** As asked for; with `align` they may be fewer. */
  columns: number;
  /** Number of matching partitions, skipped ones included. */
  partitions: number;
  /** Points in the range, of all lines of this reply together. */
  points: number;
  /** In the order of the request, partitions by their metadata. */
  series: OverviewPartition[];
}

/** The smoothed line, exact or reduced as the original is, with its values at `before` and `after`. */
export interface OverviewSmoothed {
  before?: OverviewPoint;
  after?: OverviewPoint;
  exact?: OverviewExact;
  reduced?: OverviewReduced;
}

export interface PendingUpload {
  /** The upload. */
  upload: string;
  /** The name that it gets at its commit. */
  version: string;
  /** Epoch of its writer; if it is below the artifact's, the upload can never be committed. */
  epoch: number;
  state: "starting" | "pending" | "completing";
  /** When it was begun. */
  createdAtMs: number;
  /** When it expires, unless it is committed before. */
  expiresAtMs: number;
  /** How many files it will have. */
  files: number;
  /** Their sizes together, as its writer announced them. */
  bytes: number;
  location: ViewedLocation;
  writer: Place;
  /** Why a better location was not taken. */
  warning: string | null;
}

export interface PeopleReply {
  people: Person[];
}

export interface Person {
  /** The person. */
  id: string;
  email: string;
  role: "owner" | "admin" | "member" | "viewer";
  /** When the person joined the organization. ISO 8601, UTC, milliseconds. */
  joined: string;
}

export interface PersonalToken {
  /** Assigned by the service. */
  id: string;
  name: string;
  scope: "read" | "write" | "role";
  /** Id of the member for whom it acts. */
  person: string;
  /** Their e-mail address, or the name of a service account. */
  owner: string;
  /** When it was made. ISO 8601, UTC, milliseconds. */
  created: string;
  /** Id of the person. */
  createdBy: string;
  /** When it ends; null: when it is revoked, or the membership ends. ISO 8601, UTC, milliseconds. */
  expires: string | null;
  /** To five minutes; null: never used. ISO 8601, UTC, milliseconds. */
  lastUsed: string | null;
}

export interface PersonalTokensReply {
  /** Valid tokens, oldest first. */
  tokens: PersonalToken[];
}

/** The experiments and the range are fixed at that time; points recorded into the range later are shown and counted. */
export interface PinnedChart {
  /** When it was pinned. */
  atMs: number;
  /** Points that it considered then. */
  points: number;
}

/** Used to choose a location and to count usage. */
export interface Place {
  /** Where the writer or reader runs: aws, gcp, azure, or a word of your own. */
  cloud: string;
  /** The region in that cloud. */
  region: string;
  /** A label of the writer or reader, for instance its host or job. */
  source: string;
}

export interface PlacedLocation {
  /** The location. */
  id: string;
  cloud: string;
  region: string;
}

export interface Placement {
  location: PlacedLocation;
  match: "region" | "cloud" | null;
}

export interface PointsOfDay {
  /** UTC, YYYY-MM-DD. */
  day: string;
  /** Points stored. */
  points: number;
}

export interface PresentMeta {
  path: string[];
  /** Missing: there is none. */
  value?: unknown;
}

export interface PresentRevision {
  /** Grows with every change; a change names the one that was seen. */
  revision: number;
  /** No other one of the same kind of the person, or of the organization, has it. */
  name: string;
  /** When it was changed last. */
  changedAtMs: number;
  /** E-mail of the person. */
  changedBy: string;
}

/** With conflict: the current values that differ from those that the client saw. */
export interface PresentTexts {
  description?: string;
  meta?: PresentMeta[];
}

export interface QuotaOfKind {
  kind: "bytes" | "experiments" | "partitions" | "uploads";
  /** The stored amount, as quotas count it. */
  used: number;
  /** null: there is none. */
  maximum: number | null;
}

export interface ReadAttemptsBody {
  /** The experiment. */
  experimentId: string;
  /** The newest attempts, so many at most; 1000 without it. */
  limit?: number;
}

export interface ReadAttemptsReply {
  /** In the order in which they began. */
  attempts: Attempt[];
  /** Attempts of the experiment. */
  total: number;
  /** The service's clock, by which all times of this reply are meant. */
  nowMs: number;
  /** A process that has not ended is silent when not heard of for so long. */
  silentAfterMs: number;
}

export interface ReadConsoleBody {
  /** The experiment. */
  experimentId: string;
  /** Lines of these alone. */
  sources?: number[];
  /** Lines of these alone. */
  streams?: ("stdout" | "stderr" | "debug" | "info" | "warning" | "error" | "critical")[];
  /** Most lines of the reply; 200 without it. */
  limit?: number;
  /** Lines with this number and above it, the first of them. */
  first?: number;
  /** Lines with numbers below this, the last of them. */
  before?: number;
  /** Lines from the first one that ended then or later, in the order of arrival. */
  atMs?: number;
  /** Which sources the reply names: all of the `console` (without it), or those of the lines of the `page` and those with lines that have not ended. */
  sourcesOf?: "console" | "page";
}

export interface ReadConsoleReply {
  /** In the order of arrival. */
  lines: ConsoleLine[];
  /** Number of the first line that was looked at: `before` for what precedes it. */
  first: number;
  /** Number of the line after the last that was looked at: `first` for what follows. */
  next: number;
  /** Lines of the console. */
  total: number;
  sources: ConsoleSource[];
}

export interface RecordColumnsReply {
  /** Points of the request. */
  points: number;
  /** Points that are stored now. */
  stored: number;
  /** Points that were stored before, with the same content. */
  deduplicated: number;
  /** Points that are not stored, for each reason once. */
  refused: RefusedPoints[];
}

export interface RecordUseBody {
  /** The run that used it. */
  experimentId: string;
  /** Path of the artifact. */
  artifact: string;
  /** Name of the version, `latest`, or an alias as `@best`. */
  version: string;
  /** What it is to the run, such as `validation`. */
  role?: string;
  /** How the run asked for it, such as `@best`, where `version` is its name. */
  named?: string;
}

export interface RecordedUse {
  /** Path of the artifact. */
  artifact: string;
  /** The name of the version that was meant. */
  version: string;
  /** False: this use was recorded before. */
  isNew: boolean;
}

export interface RefusedPoints {
  /** What failed. */
  code: ErrorCode;
  /** A sentence for people. */
  message: string;
  /** The HTTP status that the event would have had. */
  status: number;
  /** True for status 429 and 5xx, otherwise false. */
  retryable: boolean;
  /** Depends on the code; `{}` if there is nothing to add. */
  details: Record<string, unknown>;
  points: number[];
}

export interface Report {
  /** Assigned by the service. */
  id: string;
  /** No other one of the same kind of the person, or of the organization, has it. */
  name: string;
  scope: "own" | "shared";
  /** Grows with every change; a change names the one that was seen. */
  revision: number;
  /** When it was saved first. */
  createdAtMs: number;
  /** E-mail of the person. */
  createdBy: string;
  /** When it was changed last. */
  changedAtMs: number;
  /** E-mail of the person. */
  changedBy: string;
  blocks: ReportBlock[];
}

export interface ReportAttemptBody {
  /** Common to the processes that were started together; made by the client, unique within the experiment. */
  attempt: string;
  process: ReportedProcess;
  /** When the process began. Milliseconds before the request is sent: clocks are not compared. */
  beganAgoMs: number;
  /** When the process was seen alive last; 0: it lives. Milliseconds before the request is sent: clocks are not compared. */
  beatAgoMs: number;
  /** Its last step until then. */
  toStep?: number;
  end?: ReportedEnd;
}

export interface ReportAttemptReply {
  /** A process that lives reports again after so many milliseconds. */
  nextBeatMs: number;
}

export type ReportBlock = TextBlock | ChartBlock | TableBlock | MediaBlock;

export interface ReportHead {
  /** Assigned by the service. */
  id: string;
  /** No other one of the same kind of the person, or of the organization, has it. */
  name: string;
  scope: "own" | "shared";
  /** Grows with every change; a change names the one that was seen. */
  revision: number;
  /** When it was saved first. */
  createdAtMs: number;
  /** E-mail of the person. */
  createdBy: string;
  /** When it was changed last. */
  changedAtMs: number;
  /** E-mail of the person. */
  changedBy: string;
}

export interface ReportedEnd {
  /** When it ended. Milliseconds before the request is sent: clocks are not compared. */
  agoMs: number;
  how: "finished" | "exited" | "killed" | "gone";
  exitCode?: number;
  /** Number of the signal. */
  signal?: number;
  /** The exception that ended it: its kind and one line. */
  error?: string;
  /** From what this is known. */
  evidence: string[];
}

export interface ReportedProcess {
  /** Made by the client, unique within the experiment. */
  id: string;
  /** Number of the process among those of a distributed training. */
  rank?: number;
  /** How many these are. */
  ranks?: number;
  /** The machine. */
  host?: string;
  /** Number of the process on its machine. */
  processId?: number;
  /** Changes when the machine is started again. */
  bootId?: string;
  /** The launchers that started it, from the outermost. */
  launches?: AttemptLaunch[];
  /** Variables of its environment by which launchers know it. */
  variables?: AttemptVariable[];
  /** Its first step. */
  fromStep?: number;
}

export interface ReportsReply {
  /** The caller's own and the organization's, the last changed first. */
  reports: ReportHead[];
}

export interface RequestError {
  /** A sentence for people. */
  message: string;
  /** `code=<code>; request_id=<id>` */
  details: string;
}

/** The request as a whole was refused. */
export interface RequestFailure {
  data: null;
  error: RequestError;
}

export interface ResignUploadBody {
  /** The writer's, from artifacts/open. */
  epoch: number;
}

export interface RestoreOrganizationBody {
  /** One that is in the trash. */
  organizationId: string;
}

export interface RetentionFind {
  /** The experiment's id, or that of the version's upload. */
  subject: string;
  /** The experiment's slug, or the artifact of the version. */
  name: string;
  /** The experiment's name in lists, if it is not the slug; otherwise null. */
  experimentName: string | null;
  /** Null: it is an experiment. */
  version: string | null;
  /** Points that it has. */
  points: number;
  /** Bytes of its files; of an experiment 0. */
  bytes: number;
  /** From when on its days count. */
  sinceMs: number;
  /** The reason, for people. */
  why: string;
}

export interface RetentionRule {
  /** Assigned by the service. */
  id: string;
  /** No other rule of the organization has it. */
  name: string;
  rule: RetentionRuleContent;
  /** Names of its folders, from the root down. */
  folder: string[];
  /** Grows with every change; a change names the one that was seen. */
  revision: number;
  /** When it was set first. */
  createdAtMs: number;
  /** E-mail of the person. */
  createdBy: string;
  /** When it was set last. */
  changedAtMs: number;
  /** E-mail of the person. */
  changedBy: string;
  /** When the rule was last applied; null: not yet. */
  lookedAtMs: number | null;
}

export type RetentionRuleContent = ExperimentsRule | VersionsRule;

export interface RetentionRulesReply {
  /** By name. */
  rules: RetentionRule[];
}

export interface RevisionsQueryData {
  /** May be empty; a repeated id counts once. */
  experimentIds: string[];
}

export interface RevisionsResultData {
  /** In request order. */
  experiments: ExperimentRevision[];
  /** Ids that do not exist in the organization, in request order. */
  missingExperimentIds: string[];
}

/** Null: MLflow's clients recorded nothing of it. */
export interface RunFacts {
  /** As the client sent it; empty: none. */
  user: string;
  /** MLflow's word, such as `KILLED`. */
  status: string;
  /** By the client's clock. */
  startTimeMs: number | null;
  /** Likewise. */
  endTimeMs: number | null;
  /** MLflow's clients see it as deleted. */
  isDeleted: boolean;
}

export interface RunFile {
  /** Words joined by slashes. */
  path: string;
  /** Its size. */
  bytes: number;
  /** When it was written last. */
  changedAtMs: number;
}

export interface RunFilesReply {
  /** Whatever their folders, in the order of the bytes of their paths. */
  files: RunFile[];
  /** Pass it as `after`; null: these are the last. */
  next: string | null;
}

export interface RunLineage {
  node: LineageNode;
  /** What the run used, kind by kind, the newest first. */
  inputs: LineageLink[];
  /** How many more it used. */
  inputsLeftOut: number;
  /** What the run made, kind by kind, the newest first. */
  outputs: LineageLink[];
  /** How many more it made. */
  outputsLeftOut: number;
  /** True: after an upgrade, what was recorded before it is still looked through, and links may be missing. */
  isBehind: boolean;
}

export interface RunModel {
  modelId: string;
  direction: "input" | "output";
  /** Digits: it may be larger than 2^53; of an input 0. */
  step: string;
  /** Null: there is no model of this id. */
  name: string | null;
  /** As the client says it, may be empty. */
  modelType: string | null;
  status: "pending" | "ready" | "failed" | "deleted" | null;
}

export interface SaveWorkspaceBody {
  scope: "own" | "shared";
  /** Only for charts in this folder and below it. */
  folderId?: string;
  /** The revision that was seen; 0: there was none. */
  revision: number;
  layout: Layout;
}

/** A saved view or report could not be read or changed. */
export interface SavedFailure {
  /** A stable code. */
  error: string;
  /** A sentence for people. */
  message: string;
  present?: PresentRevision;
}

export interface SavedSort {
  field: string;
  descending: boolean;
}

/** The table of experiments at this address; null: another page. */
export interface SavedTable {
  /** Which experiments; empty: all. docs/query.md describes the language. */
  query: string;
  folderId: string | null;
  sort: SavedSort[];
  /** Empty: the page chooses. */
  columns: string[];
}

export interface SavedView {
  /** Assigned by the service. */
  id: string;
  /** No other one of the same kind of the person, or of the organization, has it. */
  name: string;
  scope: "own" | "shared";
  /** Grows with every change; a change names the one that was seen. */
  revision: number;
  /** When it was saved first. */
  createdAtMs: number;
  /** E-mail of the person. */
  createdBy: string;
  /** When it was changed last. */
  changedAtMs: number;
  /** E-mail of the person. */
  changedBy: string;
  /** Path of a page, and its query, as its address has them. */
  address: string;
  table: SavedTable | null;
}

export interface SavedViewsReply {
  /** One's own and the organization's, by name. */
  views: SavedView[];
}

/** A request of an identity provider was refused. */
export interface ScimFailure {
  schemas: string[];
  /** The HTTP status, as a text. */
  status: string;
  /** A keyword of RFC 7644, table 9. */
  scimType?: string;
  /** A sentence for people. */
  detail: string;
}

/** A resource or a PatchOp of SCIM 2.0 (RFC 7643, RFC 7644); attributes that are not kept are ignored. */
export type ScimMessage = Record<string, never>;

/** A resource of SCIM 2.0, or a ListResponse of resources (RFC 7643, RFC 7644). */
export type ScimReply = Record<string, never>;

export interface ScimToken {
  /** When it was made. ISO 8601, UTC, milliseconds. */
  created: string;
  /** Id of the owner. */
  createdBy: string;
  /** To five minutes; null: never used. ISO 8601, UTC, milliseconds. */
  lastUsed: string | null;
}

export interface ScimTokenReply {
  scim: ScimView;
  /** Shown only here. */
  secret: string;
}

export interface ScimView {
  /** The base address, to be set at the provider. */
  address: string;
  token: ScimToken | null;
  /** Users that the provider has sent. */
  users: number;
  /** And groups. */
  groups: number;
}

export interface SearchConsoleBody {
  /** The experiment. */
  experimentId: string;
  /** Lines of these alone. */
  sources?: number[];
  /** Lines of these alone. */
  streams?: ("stdout" | "stderr" | "debug" | "info" | "warning" | "error" | "critical")[];
  /** Most lines of the reply; 200 without it. */
  limit?: number;
  /** Lines that contain it. */
  text?: string;
  /** Lines in which this regular expression (JavaScript's) matches. */
  pattern?: string;
  ignoreCase?: boolean;
  /** Searches from this line upwards; 0 without it and `before`. */
  first?: number;
  /** Searches from the line before this one downwards. */
  before?: number;
}

export interface SearchConsoleReply {
  /** Those that match, in the order of arrival. */
  lines: ConsoleLine[];
  /** Number of the first line that was searched. */
  first: number;
  /** Number of the line after the last that was searched. */
  next: number;
  /** Lines of the console. */
  total: number;
  /** Whether the search reached the end of the console in its direction. */
  isComplete: boolean;
}

export interface SeenExperiment {
  /** The experiment; an unknown id never changes. */
  experimentId: string;
  /** The revision that the client knows; 0 for none, which is answered at once. */
  revision: number;
}

export interface SentBytesReply {
  /** Files that were checked: the largest of the upload, 100 at most. */
  files: number;
  /** Files that are completely in the store. */
  filesSent: number;
  /** Sum of the sizes of these files. */
  bytes: number;
  /** Bytes of these files in the store. */
  sentBytes: number;
}

export interface SentConsoleLine {
  /** When the line ended. */
  timestampMs: number;
  stream: "stdout" | "stderr" | "debug" | "info" | "warning" | "error" | "critical";
  /** The line without its end, without escape sequences, and of a line that was written over its last state. */
  text: string;
  /** Colours and styles of stretches of the text. */
  spans?: ConsoleSpan[];
}

export interface SentConsoleSource {
  /** The process that prints; made by the client, unique within the experiment. */
  id: string;
  /** Number of the process among those of a distributed training. */
  rank?: number;
  host?: string;
  /** Number of the process on its host. */
  processId?: number;
}

export interface SentFile {
  name: string;
  /** As each PUT answered it, in the order of the parts. */
  etags: string[];
}

export interface SeriesColumns {
  step: (number | null)[];
  timestampMs: number[];
  value: number[];
}

/** At each step the last value of the series, and that of the other one there, in the partition of the same metadata: one operation on doubles. A step that one of them lacks has no point, nor one whose result is not finite. The time is the later one of both. */
export interface SeriesCombination {
  operator: "plus" | "minus" | "times" | "dividedBy";
  /** The other series, of the same experiment. */
  seriesName: string;
}

/** Points of one metadata partition; one array index is one point. A record has at most 1048576 bytes. */
export interface SeriesData {
  experimentId: string;
  seriesName: string;
  /** The partition: the meta that its points have in common. */
  metadata: Record<string, string>;
  data: SeriesColumns;
}

export interface SeriesDoneData {
  /** Data records sent. */
  batches: number;
  /** Points sent. */
  points: number;
}

export interface SeriesQueryData {
  /** The experiment; an unknown id has no series. */
  experimentId: string;
  /** All must match; empty: every metadata partition. */
  filter: FilterPredicate[];
  xAxis: "step" | "timestamp";
  /** One series. */
  seriesName: string;
}

export interface SeriesRevision {
  seriesName: string;
  /** Only grows while the installation lives, and when a backup is restored (docs/backup.md). */
  revision: number;
}

export interface ServiceAccount {
  /** A member as any other: the people of the organization have it. */
  id: string;
  name: string;
  role: "admin" | "member" | "viewer";
}

export interface SessionReply {
  /** Bearer credential of the session. */
  token?: string;
  /** For the header x-csrf-token of requests with the cookie. */
  csrf?: string;
  /** When the session ends. ISO 8601, UTC, milliseconds. */
  expires: string;
  organization: Organization;
}

export interface SetAliasBody {
  /** Name of the version, `latest`, or an alias as `@best`. */
  version: string;
  /** Move it only from this version; null: only if there is no such alias. Absent: from wherever it points to. */
  expected?: string | null;
}

export interface SetAliasReply {
  alias: VersionAlias;
  /** The version that it pointed to before; null: there was no such alias. */
  previous: string | null;
}

export interface SetSignOnBody {
  /** The provider's name on the button of the sign-in page. */
  name: string;
  /** Its issuer, to the letter; `/.well-known/openid-configuration` is below it. */
  issuer: string;
  /** Under which this service is registered there. */
  clientId: string;
  /** The only domains of addresses that may sign in. */
  domains: string[];
  /** Sealed at rest, never shown; left out: it stays. Null: a public client, by PKCE alone. */
  clientSecret?: string | null;
  /** Requested scopes; default `openid email profile`. */
  scopes?: string;
  /** The claim with a person's groups; null: none. */
  groupsClaim?: string | null;
  /** The highest role of a person's groups counts, at every sign-in. */
  roles?: GroupRole[];
  defaultRole?: "owner" | "admin" | "member" | "viewer" | null;
  /** Whether members sign in by the provider only. Owners may still use passwords, so that a failing provider locks no owner out. */
  forced?: boolean;
}

export interface SignIn {
  /** Id for ending it; not a secret. */
  id: string;
  kind: "session" | "command_line";
  /** The very session that asks. */
  current: boolean;
  /** When the person signed in. ISO 8601, UTC, milliseconds. */
  created: string;
  /** To five minutes; null: unknown. ISO 8601, UTC, milliseconds. */
  lastUsed: string | null;
  /** When it ends unless it is used. ISO 8601, UTC, milliseconds. */
  expires: string;
  /** The User-Agent of the browser or the program; null: none. */
  device: string | null;
  /** Network address from which the person signed in; null: unknown. */
  address: string | null;
  organization: Organization | null;
}

export interface SignInsReply {
  /** Newest first, sessions before the command line. */
  signIns: SignIn[];
}

export interface SignOnSettings {
  /** The provider's name on the button of the sign-in page. */
  name: string;
  /** Its issuer, to the letter; `/.well-known/openid-configuration` is below it. */
  issuer: string;
  /** Under which this service is registered there. */
  clientId: string;
  /** Requested scopes; default `openid email profile`. */
  scopes: string;
  /** The only domains of addresses that may sign in. */
  domains: string[];
  /** The claim with a person's groups; null: none. */
  groupsClaim: string | null;
  /** The highest role of a person's groups counts, at every sign-in. */
  roles: GroupRole[];
  defaultRole: "owner" | "admin" | "member" | "viewer" | null;
  /** Whether members sign in by the provider only. Owners may still use passwords, so that a failing provider locks no owner out. */
  forced: boolean;
  /** Whether the client has no secret and uses only PKCE. */
  publicClient: boolean;
}

export interface SignOnView {
  settings: SignOnSettings | null;
  /** To be registered at the provider. */
  redirectAddress: string;
  /** The address that begins a sign-in by the provider. */
  startAddress: string;
}

export interface SignedPart {
  /** PUT the part's bytes here. */
  url: string;
  /** Headers to send with it. */
  headers: Record<string, string>;
}

export type Smoothing = SmoothingByX | ExponentialSmoothing | GaussianSmoothing;

export interface SmoothingByX {
  kind: "x";
  /** Weight of a point one `unit` before each point, against its own: the mean of all points up to it, weighted by their distance on the axis. Lines of different density are smoothed alike. */
  weight: number;
  /** In units of the axis; on a logarithmic axis a difference of natural logarithms. Default: a thousandth of the distance from the first to the last point of all lines of the reply, whatever the range. */
  unit?: number;
}

export interface StoreLocationBody {
  kind: "s3";
  /** Default: the bucket. */
  name?: string;
  /** Address of an S3-compatible store, https://host[:port]. */
  endpoint: string;
  bucket: string;
  /** Prefix of all keys, without slashes at its ends; may be empty. */
  path: string;
  /** The region in signatures: us-east-1, auto, garage … */
  signingRegion: string;
  /** true: the bucket is in the path, otherwise in the host. */
  pathStyle: boolean;
  accessKeyId: string;
  /** Sealed at rest; never returned. */
  secretAccessKey: string;
  /** The store's cloud, for placement. */
  cloud: string;
  /** The region in that cloud. */
  region: string;
  /** Becomes the fallback. */
  fallback?: boolean;
}

export interface StoredAtLocation {
  /** The location. */
  location: string;
  /** Committed versions. */
  versions: number;
  /** Their files together, now. */
  bytes: number;
  /** Uploads that are neither committed nor abandoned. */
  pendingUploads: number;
  /** Bytes that the pending uploads will have. */
  pendingBytes: number;
}

export interface SwitchOrganizationBody {
  /** Name or id of an organization that the person belongs to. */
  organization: string;
}

export interface TableBlock {
  kind: "table";
  width?: "half";
  /** Which experiments; empty: all. docs/query.md describes the language. */
  query: string;
  /** Only experiments in this folder and below it. */
  folderId?: string;
  /** Fields separated by commas. docs/query.md describes the language. */
  columns: string;
  /** Fields separated by commas, each optionally followed by `desc`. docs/query.md describes the language. */
  sort: string;
  limit: number;
}

export interface TableBody {
  /** Which experiments; left out: all. docs/query.md describes the language. */
  query?: string;
  /** Only experiments in this folder and below it. */
  folderId?: string;
  group?: TableGroup;
  /** The first field decides, the next ones among equals, finally the ids. Experiments without a value come last in either direction. Default: the newest first. */
  sort?: TableSort[];
  /** The fields of `values` in the rows. */
  columns?: string[];
  /** Rows of the reply at most; 0: only the total. */
  limit: number;
  /** Rows to leave out before the first one. */
  offset?: number;
  /** `next` of a reply with the same sort: the rows after it. Not with `offset`. */
  after?: string;
}

export interface TableGroup {
  /** Fields of meta, or slug, id, name, status, state, attempts, folder, tag, group, commit, description or error. Lists, tags included, are compared as wholes. None: all experiments are one group. */
  by: string[];
  /** One for each key, in the order of the request. */
  values: GroupValue[];
}

export interface TableReply {
  rows: TableRow[];
  /** Experiments that the query finds. */
  total: number;
  /** For `after`; left out: these are the last. */
  next?: string;
  /** Metrics and meta include everything acknowledged until this time, some seconds ago. */
  asOfMs: number;
  /** Experiments with metrics or meta not up to date, among those that the query finds or may find later. */
  behind: number;
  /** Those of them behind for more than ten seconds. */
  late: number;
  /** Metas and metrics of the query and the columns that no experiment has; left out: none. */
  unknown?: UnknownField[];
}

export interface TableRow {
  /** The experiment. */
  experimentId: string;
  slug: string;
  /** `_name` of the meta if it is a text, otherwise the tag `mlflow.runName`; null: neither. */
  name: string | null;
  /** `_colour` of the meta, a colour that somebody chose; missing: none. */
  colour?: number;
  /** Of the experiment, cut after 256 characters. */
  description: string;
  status: "running" | "done" | "error";
  /** Message of the last error event, cut after 256 characters. */
  error: string | null;
  /** Its folder; null: the root. */
  folderId: string | null;
  /** When the slug was opened first. */
  createdAtMs: number;
  /** Last open, move, start, done or error. */
  updatedAtMs: number;
  /** When it began, as the run of an MLflow client says; else the last start, or the first point where that is before it, or all points are outside of start and end. */
  beganAtMs: number;
  /** When it ended, likewise: done or error, or the last point where that is behind it, or all points are before the start. Null: it is running. */
  endedAtMs: number | null;
  /** Last start; null: never. */
  startedAtMs: number | null;
  /** Last done; null: never. */
  doneAtMs: number | null;
  /** Last error; null: never. */
  errorAtMs: number | null;
  /** Last start, done or error; before the first one, the first open. */
  statusAtMs: number;
  /** Points stored. */
  points: number;
  /** Grows when series of the experiment are deleted, restored or purged: the same points and version mean the same series. */
  seriesVersion: number;
  /** Grows when its meta changes, and with each note of a value that is not finite. */
  metaVersion: number;
  /** Grows with every change of the experiment, points included. */
  revision: number;
  /** When points were last stored; before the first one, when it was opened. */
  appendedAtMs: number;
  liveness?: Liveness;
  /** Of the columns, in their order; null: it has none. Times are milliseconds since 1970, durations milliseconds, a folder its path, lists and objects JSON. A metric's last value that is not finite is "NaN", "Infinity" or "-Infinity". Texts are cut after 256 characters. */
  values: (number | string | boolean | null)[];
  /** For each column, in order, the number of the metric's values that are not finite; missing: none. Least, largest, first and mean are of the others. */
  nonfinite?: number[];
}

export interface TableSort {
  /** A field in the language's spelling. */
  field: string;
  /** Left out: ascending. */
  descending?: boolean;
}

export interface TestedValue {
  /** A field of the condition, in the language's spelling. */
  field: string;
  /** As in the table of experiments; null: it has none. */
  value: number | string | boolean | null;
}

export interface TextBlock {
  kind: "text";
  width?: "half";
  /** Markdown as GitHub has it. HTML in it is shown as text, `![words](picture:…)` is a picture of the report, and pictures elsewhere are links. */
  markdown: string;
}

export interface TrashEntry {
  /** Of the entry; restoring and purging name it. */
  id: string;
  kind: "experiment" | "version" | "series";
  /** The experiment's id, also for a series, or the id of the version's upload. */
  subject: string;
  /** The experiment's slug, also of a series, or the artifact of the version. */
  name: string;
  /** The name in lists of the experiment, also for a series, if it is not the slug; otherwise null. */
  experimentName: string | null;
  /** The version; null: it is not a version. */
  version: string | null;
  /** The series' name; null: it is not a series. */
  series: string | null;
  /** Names of its folders, from the root down; empty: the root. */
  folder: string[];
  /** Its number of points; approximate for a series. */
  points: number;
  /** Approximate bytes of points or files that a purge frees. */
  bytes: number;
  /** E-mail of the person, or the key's name. */
  trashedBy: string;
  /** When it was deleted. */
  trashedAtMs: number;
  /** When it is removed for good. */
  purgeAtMs: number;
  /** It is being removed and can no longer be restored. */
  isPurging: boolean;
}

export interface TrashExperimentsBody {
  experimentIds: string[];
}

export interface TrashFolderBody {
  /** The folder. */
  folderId: string;
}

export interface TrashFolderReply {
  /** Experiments that are in the trash now. */
  experiments: number;
  /** Folders that are gone: it and all below it. */
  folders: number;
}

export interface TrashIdsBody {
  ids: string[];
}

export interface TrashListReply {
  /** Newest first. */
  entries: TrashEntry[];
  /** `before` of the next page; null: this is the last. */
  next: string | null;
}

export interface TrashOrganizationBody {
  /** The organization's name, typed once more to be sure. */
  name: string;
}

export interface TrashReply {
  entries: TrashEntry[];
}

export interface TrashSeriesBody {
  /** The experiment by its id. */
  experimentId: string;
  seriesNames: string[];
}

export interface TrashSettings {
  /** How long entries deleted from now on can be restored. */
  days: number;
}

export interface TrashVersionsBody {
  /** The artifact. */
  artifact: string;
  versions: string[];
}

export interface TriedRetentionRule {
  /** The first 200 that it would move now. */
  finds: RetentionFind[];
  /** Number of all that it would move now. */
  total: number;
  /** Experiments whose points or metas are not fully summarized yet: a rule with a query or a metric waits for them. */
  behind: number;
}

export interface TryRetentionRuleBody {
  rule: RetentionRuleContent;
  /** The rule that it is to replace; left out: it is a new one. */
  id?: string;
}

export interface UnknownField {
  /** As the query or a column has it, in the language's spelling. */
  field: string;
  /** Existing fields that may be meant, the nearest first; at most three. */
  near: string[];
}

export interface UpdateLocationBody {
  /** A new name. */
  name?: string;
  fallback?: true;
  default?: true;
  state?: "retired";
}

export interface UploadFile {
  name: string;
  /** Bytes. */
  size: number;
  /** Bytes of every part but the last. */
  partSize: number;
  parts: SignedPart[];
}

export interface UploadReply {
  /** The pending upload. */
  upload: string;
  placement: Placement;
  /** Why a better location was not taken. */
  warning: string | null;
  /** When the signed URLs end; resign gives new ones. ISO 8601, UTC, milliseconds. */
  expires: string;
  files: UploadFile[];
}

export interface UsageReply {
  /** Newest day first. */
  rows: UsageRow[];
}

export interface UsageRow {
  /** UTC, YYYY-MM-DD. */
  day: string;
  kind: "write" | "read";
  placeCloud: string;
  placeRegion: string;
  /** The location. */
  location: string;
  match: "region" | "cloud" | null;
  transfer: "local" | "cross-region" | "cross-cloud" | "unknown";
  /** Bytes committed, or signed for reading. */
  bytes: number;
  /** Versions committed, or signed reads. */
  count: number;
}

export interface UsageViewReply {
  /** UTC, YYYY-MM-DD. */
  firstDay: string;
  /** UTC, YYYY-MM-DD. */
  lastDay: string;
  /** Days on which points were recorded, oldest first. */
  points: PointsOfDay[];
  /** Points recorded before the service counted by day. */
  pointsBefore: number;
  /** All points that the organization has. */
  pointsTotal: number;
  /** The groups named by `of`, those with most bytes first; at most 12. */
  groups: string[];
  /** Oldest day first. */
  bytes: BytesOfDay[];
  /** Locations that are not empty, by id. */
  stored: StoredAtLocation[];
  quota: QuotaOfKind[];
}

export interface VersionAlias {
  /** Its name. */
  alias: string;
  /** The version that it points to. */
  version: string;
  state: "present" | "trashed" | "deleted";
  /** When it was set or moved to that version. */
  changedAtMs: number;
  /** Who did that. */
  changedBy: string;
}

export interface VersionFile {
  name: string;
  /** Bytes. */
  size: number;
  /** GET it, with ranges if you like; null: not signed. */
  url: string | null;
}

export interface VersionLineage {
  node: LineageNode;
  maker: LineageLink | null;
  /** Runs that used it, the newest first. */
  users: LineageLink[];
  /** How many more used it. */
  usersLeftOut: number;
  models: HoldingModel[];
  /** True: after an upgrade, what was recorded before it is still looked through, and links may be missing. */
  isBehind: boolean;
}

export interface VersionRecord {
  artifact: string;
  version: string;
  /** When it was committed. ISO 8601, UTC, milliseconds. */
  committed: string;
  location: PlacedLocation;
  transfer: "local" | "cross-region" | "cross-cloud" | "unknown";
  /** Sum of the sizes of all files. */
  bytes: number;
  /** The writer's. */
  meta: Record<string, unknown>;
  /** The writer's place.source. */
  source: string | null;
  /** When the signed URLs end; null: none is signed. ISO 8601, UTC, milliseconds. */
  expires: string | null;
  files: VersionFile[];
}

export interface VersionsPage {
  versions: VersionRecord[];
  /** Pass it as `after`; null: this was the last page. */
  next: string | null;
}

export interface VersionsRule {
  kind: "versions";
  /** Applies to this artifact and all whose paths continue it; null: all artifacts. */
  under: string | null;
  /** Number of highest versions to keep of each artifact; null: one. */
  keepLast: number | null;
  /** Days since the commit; null: any. */
  olderThanDays: number | null;
}

export interface ViewPointsBody {
  /** Each of their metadata partitions is a line of its own. */
  series: ViewSelection[];
  /** Number of partitions to skip, in the order of the reply. */
  partitionsFrom?: number;
  /** Maximum number of partitions; default: all. */
  partitionsMax?: number;
  xAxis: "step" | "offset" | "elapsed" | "timestamp" | "metric";
  /** With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x. */
  xSeriesName?: string;
  /** A place on the axis: selects, in each line, the points at the place nearest to it; of two equally near the lower one. */
  nearest?: number;
  /** Several places instead of `nearest`: the points of each line nearest to any of them, each point once. */
  places?: number[];
  /** Without these: beginning of the range; default: the first point. */
  start?: number;
  /** End of the range, exclusive; default: after the last point. */
  end?: number;
  /** Maximum number of points of each line, the first ones. */
  pointsMax: number;
}

export interface ViewPointsPartition {
  experimentId: string;
  seriesName: string;
  combined?: CombinedLine;
  /** The partition: the meta that its points have in common. */
  metadata: Record<string, string>;
  /** In units of the axis, ascending. */
  x: number[];
  step: number[];
  timestampMs: number[];
  /** Their values. */
  value: number[];
  /** True: the points are complete. */
  isWhole: boolean;
  error?: ViewProblem;
}

export interface ViewPointsReply {
  xAxis: "step" | "offset" | "elapsed" | "timestamp" | "metric";
  /** With `metric`, and only then: the series of the same experiment whose value at the same step, in the partition of the same metadata, is a point's x. */
  xSeriesName?: string;
  /** Number of matching partitions, skipped ones included. */
  partitions: number;
  /** In the order of the request, partitions by their metadata. */
  series: ViewPointsPartition[];
}

/** Why this line cannot be read; the others are not affected. */
export interface ViewProblem {
  code: "data_corrupted";
  message: string;
}

export interface ViewSelection {
  /** The experiment; an unknown id has no series. */
  experimentId: string;
  /** One series. */
  seriesName: string;
  combined?: SeriesCombination;
  /** All must match; left out: every metadata partition. */
  filter?: FilterPredicate[];
}

export interface ViewedLocation {
  /** The location. */
  id: string;
  /** Its name, for people. */
  name: string;
  cloud: string;
  region: string;
}

export interface ViewedModel {
  /** Its name. */
  model: string;
  description: string;
  /** The highest version; null: there is none. */
  latest: number | null;
  /** By name. */
  aliases: ModelAlias[];
  /** When it was registered. */
  createdAtMs: number;
  /** When it, its versions or stages were changed last. */
  changedAtMs: number;
  tags: ModelTag[];
  /** The highest first. */
  versions: ViewedModelVersion[];
  /** Pass it as `before`; null: there are no others. */
  next: string | null;
}

export interface ViewedModelVersion {
  /** The model. */
  model: string;
  /** Its number. */
  version: number;
  /** The artifact, of a version of which it is. */
  artifact: string | null;
  /** That version. */
  artifactVersion: string | null;
  /** Otherwise the address of its files, of MLflow's form. */
  source: string;
  experiment: ModelExperiment | null;
  description: string;
  /** Those that point to it. */
  aliases: string[];
  tags: ModelTag[];
  /** When it was added. */
  createdAtMs: number;
  /** Who added it. */
  createdBy: string;
}

export interface ViewedVersion {
  version: string;
  /** When it was committed. */
  committedAtMs: number;
  /** How many files it has. */
  files: number;
  /** Their sizes together. */
  bytes: number;
  /** Epoch of its writer. */
  epoch: number;
  location: ViewedLocation;
  writer: Place;
  match: "region" | "cloud" | null;
  transfer: "local" | "cross-region" | "cross-cloud" | "unknown";
  experiment: WritingExperiment | null;
  /** The writer's. */
  meta?: Record<string, unknown>;
}

export interface WaitBody {
  /** The experiment. */
  experimentId: string;
  /** What is waited for: `done`, `silent`, or tests of the query language, in which a name that is no field is that of a metric: `val/loss < 3.3`. Of a metric without a statistic the last value is tested. */
  until: string;
  /** How long the service may wait, milliseconds; 0: it tells how the condition is. */
  waitMs: number;
}

export interface WaitReply {
  outcome: "holds" | "ended" | "waiting";
  /** The experiment. */
  experimentId: string;
  slug: string;
  status: "running" | "done" | "error";
  /** Message of the last error event. */
  error: string | null;
  /** Points stored. */
  points: number;
  /** What the condition tests, as it is now. */
  values: TestedValue[];
  missing: MissingMetric[];
  liveness?: Liveness;
  /** The time at which this was so. */
  atMs: number;
}

export interface Whoami {
  /** The organization that the credential acts for. */
  orgId: string;
  /** The person; null: none. */
  userId: string | null;
  credential: "api_key" | "session" | "oauth";
}

export interface Workspace {
  /** Assigned by the service. */
  id: string;
  scope: "own" | "shared";
  /** Grows with every change; a change names the one that was seen. */
  revision: number;
  /** When it was saved first. */
  createdAtMs: number;
  /** E-mail of the person. */
  createdBy: string;
  /** When it was changed last. */
  changedAtMs: number;
  /** E-mail of the person. */
  changedBy: string;
  /** It applies in this folder and below it. */
  folderId: string | null;
  layout: Layout;
}

export interface WorkspaceVersion {
  /** The revision that it was. */
  revision: number;
  /** When it was saved. */
  changedAtMs: number;
  /** E-mail of the person. */
  changedBy: string;
  layout: Layout;
}

export interface WorkspaceVersionsReply {
  /** The newest first, 20 at most. */
  versions: WorkspaceVersion[];
}

export interface WorkspacesReply {
  workspaces: Workspace[];
}

/** The experiment that the version's meta names. */
export interface WritingExperiment {
  experimentId: string;
  slug: string;
  /** The experiment's name in lists, if it is not the slug; otherwise null. */
  name: string | null;
  /** The step in the version's meta; null: there is none. */
  step: number | null;
}
