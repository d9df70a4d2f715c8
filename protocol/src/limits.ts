/**
 * Every limit of the wire, by name. "Characters" are Unicode code points, "bytes" are UTF-8 bytes.
 * Limits that an operator may change (body size, depth, rates) are defaults here.
 */
export const limits = {
  /** `messageId`, and the optional `correlationId` of a request: 1 to this many characters. */
  messageIdCharactersMax: 200,
  /** Envelopes in one request to an `/events` endpoint: 1 to this many. */
  eventsPerRequestMax: 1_000,
  /**
   * Characters of an id in a request (experiment, folder, token, slug): longer ones are refused
   * unread.
   */
  referenceCharactersMax: 1_000,
  /** Characters of an id assigned by the service. */
  assignedIdCharactersMax: 64,

  folderNameCharactersMax: 200,
  /** A root folder has depth 1. */
  folderDepthMax: 32,
  foldersPerOrganizationMax: 100_000,
  /** `foldertree.read` answers `result_too_large` above this number of experiments. */
  treeExperimentsMax: 100_000,

  slugCharactersMax: 200,
  descriptionCharactersMax: 16_000,
  errorCharactersMax: 8_000,
  annotationCharactersMax: 16_000,
  /** Free JSON metas (`open`, `error`, `annotate`, versions): size of the compact JSON text. */
  jsonMetaBytesMax: 65_536,

  tokenLifetimeMs: 24 * 60 * 60 * 1_000,
  /** Longest time that a token keeps working after its refresh. */
  tokenGraceMs: 30_000,
  /** Live tokens of one experiment; a further one expires the oldest. */
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

  /** Points in one body of columns. */
  columnsPointsMax: 65_536,
  /**
   * Bytes of such a body, unpacked: as many points with a UUID each have 4.4 MB, with counters 1.9.
   */
  columnsBodyBytesMax: 5 * 1_048_576,
  /** Bytes of its head, which is parsed where all requests wait. */
  columnsHeadBytesMax: 131_072,

  /** Ids in one `query.experiments` or `query.revisions`. */
  experimentIdsMax: 500,
  annotationsReturnedMax: 100_000,
  filterPredicatesMax: 32,
  seriesNamesMax: 1_000,
  /** Points of one data record of a series stream. */
  recordPointsMax: 10_000,
  recordBytesMax: 1_048_576,
  /** Characters of the names and metas in the dictionaries of one Arrow stream. */
  arrowDictionaryCharactersMax: 8 * 1_048_576,

  /** Bytes of a request body, after decompression. Default of the server. */
  bodyBytesMax: 32 * 1_048_576,
  /** Bytes of a body that needs no credential, so reading it must be cheap. Never compressed. */
  openBodyBytesMax: 65_536,
  /** Bytes of a v1 body that lists neither files nor parts. */
  setupBodyBytesMax: 262_144,
  /** Bytes of a message of MLflow's clients; a batch may have 1,000,000. */
  mlflowBodyBytesMax: 4_194_304,
  /**
   * Bytes of such a message that has data sets, or a file's parts with the long addresses returned.
   */
  mlflowLongBodyBytesMax: 33_554_432,
  /** Prefixes of artifact locations that an organization allows. */
  mlflowLocationsMax: 100,
  /** Bytes of the descriptions of one run's data sets. */
  runDatasetBytesMax: 67_108_864,
  /** Bytes of params, tags, metas and data sets in a page of `runs/search`; one run always fits. */
  runPageBytesMax: 16_777_216,
  /**
   * Bytes of a v1 body that lists 5,000 files: names of 1,024 bytes are 3,072 when escaped, with
   * their members 15.5 MB; 10,000 ETags of 32 digits add 0.4 MB, a meta 64 KiB.
   */
  filesBodyBytesMax: 16 * 1_048_576,
  /** Nesting of objects and arrays in a request body. Default of the server. */
  jsonDepthMax: 32,
  /** The highest `jsonDepthMax` that a server accepts. */
  jsonDepthCeiling: 256,

  // ---- views

  /** Series of one overview. */
  overviewSeriesMax: 100,
  /** Columns into which an overview divides its range: more than any screen has pixels. */
  overviewColumnsMax: 8_192,
  /** Columns of one overview, summed over all partitions. */
  overviewColumnsTogetherMax: 400_000,
  /** Versions listed for one experiment. */
  experimentVersionsMax: 10_000,
  /** Its uploads under way that are listed, of so many of the organization that are looked at. */
  experimentUploadsMax: 100,
  uploadsLookedAtMax: 1_000,
  /** Files of a run or logged model on one page of their list; also the default. */
  listedRunFilesMax: 5_000,
  /** Artifacts and folders on one page of a list of artifacts: the maximum, and the default. */
  listedArtifactsMax: 1_000,
  listedArtifactsUsual: 100,
  /** Files of an upload whose sent bytes are asked of the store: the largest ones. */
  lookedAtFilesMax: 100,
  /** Bytes of a file that the service passes through at once, for a preview. */
  filePartBytesMax: 4 * 1_048_576,
  /** Points that one overview reads one by one. */
  overviewPointsMax: 32_000_000,
  /** The same on the axis of another metric, whose points are sorted in memory. */
  overviewPairedPointsMax: 4_194_304,
  /** Partitions of the series of one request, counted as often as they are named. */
  viewPartitionsMax: 1_000_000,
  /** Points of one line of `points`. */
  viewPointsMax: 10_000,
  /** Places on an axis for which one `points` finds the nearest points. */
  viewPlacesMax: 100,
  /** Characters of `filter` of `points.csv`: what fits into a request line. */
  pointsCsvFilterCharactersMax: 8_000,
  /** Characters of a list in the address of `points.csv`, which must fit into a request line. */
  pointsCsvListCharactersMax: 7_000,
  /** Experiments named in the address of a Parquet file; a query finds any number. */
  exportExperimentsMax: 250,
  /**
   * Keys of metas that become columns of `experiments.parquet`; its column `meta` has all of them.
   */
  exportMetaColumnsMax: 1_000,
  /** Points of one `points`, summed over all lines. */
  viewPointsTogetherMax: 400_000,
  /** Weight of earlier points in smoothing, by points or by x. */
  emaWeightMax: 0.999,
  /** Distance on the axis over which a weight of smoothing counts. */
  smoothUnitMin: 1e-300,
  /** Standard deviation of a Gaussian, in points. */
  gaussPointsMax: 1_000,
  /** Points times neighbours of one overview, summed over all Gaussians. */
  gaussProductsMax: 1_000_000_000,
  /** A query of the table, in UTF-16 units. */
  queryCharactersMax: 8_192,
  /** Characters of the text after `~`, and of any other search text. */
  patternCharactersMax: 256,
  /** Tests and searches of a query. */
  queryTestsMax: 24,
  /** Values of one query, summed over its `in` lists. */
  queryChoicesMax: 200,
  /** Nested brackets of a query. */
  queryDepthMax: 16,
  tableRowsMax: 1_000,
  tableColumnsMax: 100,
  /** Fields that a table is sorted by. */
  tableSortsMax: 3,
  tableCursorCharactersMax: 40_000,
  /** Characters shown in a row of a table: of a description, an error, or a text. */
  tableTextCharactersMax: 256,
  /** Colours of which one is chosen for an experiment. */
  coloursMax: 10,
  /** Names, or values of a field, in one reply. */
  fieldsReturnedMax: 200,
  /** Names of metas, and of metrics, compared with one of a query that no experiment has. */
  fieldsComparedMax: 10_000,
  /** Experiments counted for one name in a reply of `fields`. */
  fieldExperimentsMax: 1_000,
  /** Values of one field counted in a reply of `fields`: those of the newest experiments. */
  fieldValuesCountedMax: 20_000,
  /** Places of a meta changed by one edit. */
  metaEditsMax: 100,
  /** Member names in the path of a place that an edit changes. */
  metaPathMax: 32,
  /** Experiments compared by one `difference`. */
  differenceExperimentsMax: 100,
  /** Keys in its reply. */
  differenceKeysMax: 1_000,
  /** Keys compared by it, and bytes of one key. */
  differenceKeysComparedMax: 20_000,
  differenceKeyBytesMax: 512,
  /** Characters of a value that it shows. */
  differenceTextCharactersMax: 1_024,
  /** Metrics in its reply, unless more are asked for. */
  differenceMetricsMax: 200,
  /** Summaries in its reply: metrics, times the experiments compared. */
  differenceSummariesMax: 20_000,
  /** Experiments of the rest in a comparison `apart`, and values of metas counted for it. */
  differenceOthersMax: 200_000,
  differenceValuesMax: 5_000_000,
  /** Fields by which experiments are grouped; keys of partitions likewise. */
  groupKeysMax: 4,
  /** Experiments that one request for groups names, and that it groups at all. */
  groupNamedMax: 1_000,
  groupExperimentsMax: 200_000,
  /** Groups in a reply, unless more are asked for, and at most. */
  groupsUsual: 20,
  groupsMax: 200,
  groupColumnsMax: 2_048,
  /** Replies of these sizes are compressed: smaller ones gain nothing, larger ones delay others. */
  compressedFromBytes: 16_384,
  compressedBytesMax: 16_777_216,
  /** Time for one request's groups. */
  groupsMsMax: 30_000,
  /** Characters of a saved address, which must fit into a request line with the page's own part. */
  savedAddressCharactersMax: 12_000,
  /** Saved views of a person in an organization; reports likewise. */
  savedPerPersonMax: 100,
  /** Saved views shared in an organization; reports likewise. */
  savedPerOrganizationMax: 500,
  /** Workspaces shared in an organization, or of a person in it: one a folder, and one of all. */
  workspacesMax: 500,
  /** Bytes of the layout of one, as JSON. */
  layoutBytesMax: 32_768,
  /** Names in one list of a layout. */
  layoutNamesMax: 500,
  /** Names and patterns of a section, or of a chart. */
  layoutPatternsMax: 50,
  layoutSectionsMax: 100,
  layoutChartsMax: 500,
  /** Versions kept of a workspace, the present one with them. */
  workspaceVersionsMax: 20,
  reportBlocksMax: 100,
  /** Bytes of all blocks of a report, as JSON. */
  reportBytesMax: 131_072,
  /** Characters of one text of a report. */
  reportTextCharactersMax: 32_000,
  /** Experiments named by a chart of a report. */
  reportExperimentsMax: 100,
  /** Experiments of a query whose media a report shows, where it does not say how many. */
  reportMediaRunsUsual: 6,
  /** Rows of a table in a report. */
  reportRowsMax: 100,
  reportPictureBytesMax: 4 * 1_048_576,
  /** Width times height: a browser needs four bytes for each. */
  reportPicturePixelsMax: 50_000_000,
  reportPicturesMax: 200,
  /** Bytes of the pictures of all reports of an organization. */
  reportPictureBytesPerOrganizationMax: 1_073_741_824,
  /** Longest wait of `changes`: proxies give up on a reply after 30 or 60 seconds. */
  changesWaitMsMax: 25_000,

  // ---- tools of agents

  /** Bytes of the parameters of an agent's message, beside the arguments of its tool. */
  agentParamsBytesMax: 16_384,
  /** Bytes of an answer of a tool. */
  toolAnswerBytesMax: 32_768,
  /** Characters of a text that stay in an answer that is too long. */
  toolTextKeptCharacters: 256,
  /** Experiments, artifacts or models in one, and versions of a model. */
  toolRowsMax: 100,
  toolColumnsMax: 20,
  /** Keys of a config, names, and metrics of one experiment, in an answer. */
  toolKeysMax: 100,
  toolNamesMax: 100,
  toolMetricsMax: 50,
  /** Experiments compared, and metrics of each. */
  toolComparedMax: 20,
  toolComparedMetricsMax: 20,
  /** Metrics read at once, their lines by partition, and columns of each. */
  toolSeriesMax: 5,
  toolLinesMax: 10,
  toolSeriesColumnsMax: 100,
  /** Lines of a console, and characters of each. */
  toolLinesReadMax: 200,
  toolLineCharactersMax: 1_000,
  /** Tags added, and removed, by one call, and characters of each. */
  toolTagsMax: 20,
  toolTagCharactersMax: 100,

  // ---- media, texts and histograms over steps

  /** Experiments, and series, of one request for what was logged. */
  loggedExperimentsMax: 100,
  loggedSeriesMax: 100,
  /** Series of one experiment that are found by name and step, the first ones logged. */
  loggedSeriesPerExperimentMax: 10_000,
  /** Characters (UTF-16 units) of a name; what was logged under a longer one is not found by it. */
  loggedNameCharactersMax: 1_000,
  /** Names in one reply. */
  loggedNamesMax: 1_000,
  /** Steps in one reply, and items that are looked at for them. */
  loggedStepsMax: 5_000,
  loggedStepsReadMax: 200_000,
  /** Series times experiments of one request for the nearest items. */
  loggedNearestMax: 1_000,
  /** Items of one step, series and experiment in a reply, as many as one call may log. */
  loggedTogetherMax: 108,
  loggedItemsUsual: 100,
  loggedItemsMax: 1_000,
  loggedCursorCharactersMax: 4_000,
  /** States in one reply, of all lanes together, and texts read for it. */
  loggedStatesMax: 5_000,
  loggedTextsReadMax: 50_000,
  loggedHistogramColumnsMax: 512,
  loggedHistogramBinsMax: 256,
  /** Histograms and their bins read for one reply, and columns times bins of all its maps. */
  loggedHistogramsReadMax: 20_000,
  loggedBinsReadMax: 2_000_000,
  loggedHistogramCellsMax: 1_000_000,
  /** Maps, and lanes of texts, of one experiment: one for each metadata. */
  loggedLanesMax: 100,
  /** Bins of a histogram that are read from its annotation. */
  loggedBinsMax: 512,

  // ---- the console of a run

  /** A longer line is sent as several. UTF-16 code units. */
  consoleLineCharactersMax: 16_384,
  consoleSpansMax: 1_024,
  consoleLinesMax: 10_000,
  consoleBodyBytesMax: 8_388_608,
  consoleSourceCharactersMax: 64,
  consoleHostCharactersMax: 256,
  /** Processes that print into one experiment's console. */
  consoleSourcesMax: 4_096,
  consoleReadUsual: 200,
  consoleReadMax: 10_000,
  consolePatternMax: 1_000,

  // ---- attempts of a run

  /** Time from one beat of a process that lives to the next. */
  attemptBeatMs: 30_000,
  /** A process that has not ended and is not heard of for so long is silent: three beats. */
  attemptSilentMs: 90_000,
  attemptIdCharactersMax: 64,
  attemptTextCharactersMax: 500,
  attemptLaunchesMax: 4,
  attemptVariablesMax: 32,
  attemptEvidenceMax: 16,
  /** Processes of all attempts of one experiment. */
  attemptProcessesMax: 4_096,
  attemptsReadMax: 1_000,

  // ---- artifacts (v1)

  /** Bytes of an artifact's path, and of a file's name in a version: slash-separated. */
  pathBytesMax: 1_024,
  /** Bytes of one segment of such a path, between slashes. */
  pathSegmentBytesMax: 255,
  versionNameCharactersMax: 128,
  /** Aliases of the versions of one artifact, or of one registered model. */
  aliasesMax: 1_000,
  /** Registered models of an organization, and versions of one. */
  registeredModelsMax: 10_000,
  modelVersionsMax: 10_000,
  modelNameCharactersMax: 256,
  modelDescriptionCharactersMax: 5_000,
  /** Models on a page of their list, and versions on that of one. */
  modelsListedMax: 200,
  modelVersionsListedMax: 100,
  /** Models, or versions, on one page of a search. */
  registryPageMax: 1_000,
  /** Uses of versions that the lineage of one experiment has, and characters of a role. */
  usesPerExperimentMax: 10_000,
  lineageRoleCharactersMax: 128,
  /** Links of one kind, such as versions that a run wrote, in one reply. */
  lineageLinksMax: 1_000,
  /** Links between the first and the farthest node of a graph, its nodes, and all its links. */
  lineageDepthMax: 20,
  lineageDepthUsual: 4,
  lineageNodesMax: 2_000,
  lineageNodesUsual: 1_000,
  lineageEdgesMax: 10_000,
  /** Changes of aliases on one page of their history. */
  aliasChangesPerPageMax: 200,
  filesPerVersionMax: 5_000,
  /** 5 TiB. */
  fileBytesMax: 5 * 1_024 ** 4,
  /** Parts of one upload: what one reply of `versions/begin` can hold. */
  partsPerUploadMax: 10_000,
  /** Parts of a file above which `partSize` grows, as far as `partBytesMax` allows. */
  partsPerFileAim: 1_000,
  partBytesMin: 8 * 1_048_576,
  /** 5 GiB, the maximum of S3. */
  partBytesMax: 5 * 1_024 ** 3,
  signedUrlLifetimeMs: 60 * 60 * 1_000,
  /** Age at which a pending upload is aborted; rules of stores for such begin at 7 days. */
  pendingUploadLifetimeMs: 6 * 24 * 60 * 60 * 1_000,
  /** Files of one run or logged model, as written by MLflow's clients. */
  filesPerOwnerMax: 100_000,
  /** Longest time that sending one such file may take. */
  fileSendingMsMax: 24 * 60 * 60 * 1_000,
  /**
   * Size of the parts in which such a file goes to a bucket: 8 MiB, up to this for a large file.
   */
  passedPartBytesMax: 64 * 1_048_576,
  /** Pending uploads of one artifact; a further one aborts the oldest. */
  pendingUploadsPerArtifactMax: 16,
  /** `cloud`, `region` and `source` of a place. */
  placeCharactersMax: 128,
  /** Location ids in `exclude`. */
  excludedLocationsMax: 1_000,
  versionsPerPageMax: 200,
  filesPerPageMax: 5_000,
  /** Bytes of the metas of one page of `versions/list`. */
  metaBytesPerPageMax: 4 * 1_048_576,
  /** Files with signed addresses in a page of `versions/list` or a reply of `artifacts/open`. */
  signedFilesPerPageMax: 100,
  artifactsPerPageMax: 1_000,
  noteNameCharactersMax: 128,
  noteBytesMax: 65_536,
  notesPerArtifactMax: 1_000,
  /** Names of locations, connections and API keys. */
  labelCharactersMax: 128,
  locationsPerOrganizationMax: 1_000,
  /** Connected clouds; the organization's view has a setup script of some KiB for each. */
  connectionsPerOrganizationMax: 100,
  usageDaysDefault: 30,
  usageDaysMax: 366,
  /** Distinct places of writers and readers in one day of usage. */
  usagePlacesPerDayMax: 1_000,
  /** Locations or places shown separately in the view of usage; the others are summed. */
  usageGroupsMax: 12,

  // ---- people

  emailCharactersMax: 320,
  passwordCharactersMin: 8,
  passwordCharactersMax: 1_024,
  /** A session of the web application; signing out ends it earlier. */
  sessionLifetimeMs: 14 * 24 * 60 * 60 * 1_000,
  /** The one-time link of the first start. */
  setupLinkLifetimeMs: 60 * 60 * 1_000,
  invitationLifetimeMs: 7 * 24 * 60 * 60 * 1_000,
  accessTokenLifetimeMs: 60 * 60 * 1_000,
  /** Each use issues a new token with the same lifetime. */
  refreshTokenLifetimeMs: 90 * 24 * 60 * 60 * 1_000,
  authorizationCodeLifetimeMs: 60 * 1_000,
  deviceCodeLifetimeMs: 10 * 60 * 1_000,
  /** Shortest interval between a device's requests for its token. */
  devicePollIntervalMs: 5_000,
  /**
   * Wrong user codes entered by a person; then none is accepted while a code of that time lives.
   */
  deviceCodeTriesMax: 5,
  /** Living sessions of a person; a further one ends the oldest. */
  sessionsPerPersonMax: 100,
  /** Living sign-ins of the command line; a further one ends the oldest. */
  grantsPerPersonMax: 100,
  openInvitationsPerOrganizationMax: 1_000,
  /** Keys that are not revoked. */
  apiKeysPerOrganizationMax: 1_000,
  auditEventsPerPageMax: 1_000,
  /** Events on a page of the view of the audit log, which people read. */
  auditViewEventsMax: 200,
  /** Actors offered for filtering. */
  auditActorsReturnedMax: 500,

  // ---- sign-on

  signOnAddressCharactersMax: 1_000,
  signOnTextCharactersMax: 300,
  signOnSecretCharactersMax: 1_000,
  signOnDomainCharactersMax: 253,
  signOnDomainsMax: 50,
  /** Characters of a group's name, and groups that are given roles. */
  signOnGroupCharactersMax: 300,
  signOnRolesMax: 200,
  /** Living personal tokens of one member. */
  tokensPerPersonMax: 100,
  tokenDaysMax: 3_650,
  /** Experiments that a guest link shows: as many as a page compares. */
  guestExperimentsMax: 100,
  guestLinkDaysMax: 90,
  /** Valid guest links of an organization. */
  guestLinksPerOrganizationMax: 500,
  /** Requests a second of all guests of an organization. */
  guestRequestsPerSecond: 100,
  /** Time between the page that leads to the identity provider and the return from it. */
  signOnLifetimeMs: 10 * 60 * 1_000,
  /** Groups that a provider may name for a person; more are refused, not cut. */
  signOnGroupsMax: 1_000,

  /** Bytes of a SCIM message; a group with 10,000 members is some 900 KB. */
  scimBodyBytesMax: 4_194_304,
  /** Users and groups that a provider may send, in all and on one page. */
  scimUsersMax: 50_000,
  scimGroupsMax: 1_000,
  scimPageMax: 200,
  /** Members named by one request, and operations of one request. */
  scimMembersMax: 20_000,
  scimOperationsMax: 1_000,

  // ---- the trash

  /** Experiments or entries that one request trashes, restores or purges. */
  trashedAtOnceMax: 500,
  /** Entries on a page of the trash. */
  trashEntriesMax: 200,
  trashDaysMax: 3_650,
  /** Retention rules of an organization. */
  retentionRulesMax: 100,
  retentionDaysMax: 36_500,
  /** Best experiments, or last versions, that a rule keeps. */
  retentionKeptMax: 10_000,
  /** Items shown when a rule is tried: the first that it would take. */
  retentionShownMax: 200,

  /** Characters of a User-Agent that are kept. */
  deviceCharactersMax: 256,
} as const;
