/**
 * Every number of the wire, by name. "Characters" are Unicode code points, "bytes" are UTF-8 bytes.
 * What an operator may change (body size, depth, rates) is the default here and an option of the
 * server.
 */
export const limits = {
  /** `messageId`, and the optional `correlationId` of a request: 1 to this many characters. */
  messageIdCharactersMax: 200,
  /** Envelopes in one request to an `/events` endpoint: 1 to this many. */
  eventsPerRequestMax: 1_000,
  /**
   * Ids that a request names (experiment, folder, token, slug to look up): longer ones are refused
   * unread.
   */
  referenceCharactersMax: 1_000,
  /** Ids that the service assigns are never longer than this. */
  assignedIdCharactersMax: 64,

  folderNameCharactersMax: 200,
  /** A root folder has depth 1. */
  folderDepthMax: 32,
  foldersPerOrganizationMax: 100_000,
  /** `foldertree.read` answers `result_too_large` above this many experiments. */
  treeExperimentsMax: 100_000,

  slugCharactersMax: 200,
  descriptionCharactersMax: 16_000,
  errorCharactersMax: 8_000,
  annotationCharactersMax: 16_000,
  /** Free JSON metas (`open`, `error`, `annotate`): size of the compact JSON text. */
  jsonMetaBytesMax: 65_536,

  tokenLifetimeMs: 24 * 60 * 60 * 1_000,
  /** A token that was refreshed works this much longer at most. */
  tokenGraceMs: 30_000,
  /** Live tokens of one experiment; the oldest one expires beyond it. */
  tokensPerExperimentMax: 1_000,

  /** 2^53 - 1. */
  timestampMsMax: 9_007_199_254_740_991,
  /** 2^53 - 2. */
  stepMax: 9_007_199_254_740_990,
  metricNameBytesMax: 256,
  metricMetaKeysMax: 32,
  metricMetaKeyBytesMax: 128,
  metricMetaValueBytesMax: 512,
  /** Size of the canonical JSON (RFC 8785) of a point's meta. */
  metricMetaBytesMax: 4_096,

  /** Ids in one `query.experiments` or `query.revisions`. */
  experimentIdsMax: 500,
  annotationsReturnedMax: 100_000,
  filterPredicatesMax: 32,
  seriesNamesMax: 1_000,
  /** One data record of a series stream. */
  recordPointsMax: 10_000,
  recordBytesMax: 1_048_576,

  /** Request body, after decompression. Default of the server. */
  bodyBytesMax: 32 * 1_048_576,
  /** Nesting of objects and arrays in a request body. Default of the server. */
  jsonDepthMax: 32,
  /** The most that a server can be set to accept. */
  jsonDepthCeiling: 256,
} as const;
