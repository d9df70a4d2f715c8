/**
 * Every number of the wire, by name. "Characters" are Unicode code points, "bytes" are UTF-8 bytes.
 * What an operator may change (body size, depth, rates) is a default here.
 */
export const limits = {
  /** `messageId`, and the optional `correlationId` of a request: 1 to this many characters. */
  messageIdCharactersMax: 200,
  /** Envelopes in one request to an `/events` endpoint: 1 to this many. */
  eventsPerRequestMax: 1_000,
  /** Ids that a request names (experiment, folder, token, slug): longer ones are refused unread. */
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
  /** Free JSON metas (`open`, `error`, `annotate`, versions): size of the compact JSON text. */
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
  /** A body that needs no credential: it must cost next to nothing to read. Never compressed. */
  openBodyBytesMax: 65_536,
  /** A v1 body that lists neither files nor parts. */
  setupBodyBytesMax: 262_144,
  /** A message of MLflow's clients; a batch may have 1,000,000 bytes. */
  mlflowBodyBytesMax: 4_194_304,
  /** One that names the parts of a file, whose long addresses clients send back, or data sets. */
  mlflowLongBodyBytesMax: 33_554_432,
  /** Beginnings of artifact locations that an organization allows. */
  mlflowLocationsMax: 100,
  /** What describes the data sets of one run, and those of a page of runs. */
  runDatasetBytesMax: 67_108_864,
  /**
   * A v1 body that lists 5,000 files: names of 1,024 bytes are 3,072 when escaped, with their
   * members 15.5 MB; besides them 10,000 ETags of 32 digits are 0.4 MB, a meta 64 KiB.
   */
  filesBodyBytesMax: 16 * 1_048_576,
  /** Nesting of objects and arrays in a request body. Default of the server. */
  jsonDepthMax: 32,
  /** The most that a server can be set to accept. */
  jsonDepthCeiling: 256,

  // ---- views

  /** Series that one overview names. */
  overviewSeriesMax: 100,
  /** Columns into which an overview divides its range: more than the pixels of any screen. */
  overviewColumnsMax: 8_192,
  /** Columns of all partitions of one overview together. */
  overviewColumnsTogetherMax: 400_000,
  /** Versions that are listed of one experiment. */
  experimentVersionsMax: 10_000,
  /** Files of a run or logged model in one page of their list, and as many when nothing is said. */
  listedRunFilesMax: 5_000,
  /** Artifacts and folders of one page of a list of artifacts, and how many are usual. */
  listedArtifactsMax: 1_000,
  listedArtifactsUsual: 100,
  /** Files of an upload of which the store is asked how much has come: the largest ones. */
  lookedAtFilesMax: 100,
  /** Bytes of a file that pass through the service at once, for a look at it. */
  filePartBytesMax: 4 * 1_048_576,
  /** Points that one overview may have to look at, one by one. */
  overviewPointsMax: 32_000_000,
  /** The same on the axis of another metric, which is put in order in memory. */
  overviewPairedPointsMax: 4_194_304,
  /** Partitions that the series of one request have together, as often as they are named. */
  viewPartitionsMax: 1_000_000,
  /** Points that one line of `points` may have. */
  viewPointsMax: 10_000,
  /** Places of an axis to which one `points` looks for the nearest. */
  viewPlacesMax: 100,
  /** `filter` of `points.csv`: what a request line may carry. */
  pointsCsvFilterCharactersMax: 8_000,
  /** A list in the address of `points.csv`, which has to fit into a request line. */
  pointsCsvListCharactersMax: 7_000,
  /** Experiments that the address of a Parquet file names; a query finds as many as there are. */
  exportExperimentsMax: 250,
  /** Keys of metas that are columns of `experiments.parquet`; its column `meta` has all of them. */
  exportMetaColumnsMax: 1_000,
  /** Points of all lines of one `points` together. */
  viewPointsTogetherMax: 400_000,
  /** Weight of what came before in an exponential moving average. */
  emaWeightMax: 0.999,
  /** Standard deviation of a Gaussian, in points. */
  gaussPointsMax: 1_000,
  /** Points times neighbours of all Gaussians of one overview together. */
  gaussProductsMax: 1_000_000_000,
  /** A query of the table, in UTF-16 units. */
  queryCharactersMax: 8_192,
  /** What stands behind `~`, and any other text that is searched for. */
  patternCharactersMax: 256,
  /** Tests and searches of a query. */
  queryTestsMax: 24,
  /** Values of all its `in` together. */
  queryChoicesMax: 200,
  /** Brackets of a query around each other. */
  queryDepthMax: 16,
  tableRowsMax: 1_000,
  tableColumnsMax: 100,
  /** Fields that a table is sorted by, one after the other. */
  tableSortsMax: 3,
  tableCursorCharactersMax: 40_000,
  /** Characters of a description, of an error, and of a text that a row of a table shows. */
  tableTextCharactersMax: 256,
  /** Names, or values of a field, of one reply. */
  fieldsReturnedMax: 200,
  /** Experiments that are counted of one name in a reply of `fields`. */
  fieldExperimentsMax: 1_000,
  /** Values of one field that are counted in a reply of `fields`: the newest experiments'. */
  fieldValuesCountedMax: 20_000,
  /** Places of a meta that one edit changes. */
  metaEditsMax: 100,
  /** Member names on the way to a place that an edit changes. */
  metaPathMax: 32,
  /** Experiments that one `difference` compares. */
  differenceExperimentsMax: 100,
  /** Keys of its reply. */
  differenceKeysMax: 1_000,
  /** Keys that it compares, and bytes of one. */
  differenceKeysComparedMax: 20_000,
  differenceKeyBytesMax: 512,
  /** Characters of a value that it shows. */
  differenceTextCharactersMax: 1_024,
  /** Metrics of its reply. */
  differenceMetricsMax: 200,
  /** Experiments that some are set apart from, and values of metas that are counted for that. */
  differenceOthersMax: 200_000,
  differenceValuesMax: 5_000_000,
  /** An address has to fit into a request line, with what else a page puts there. */
  savedAddressCharactersMax: 12_000,
  /** Saved views, and reports, that a person keeps in an organization: so many of each. */
  savedPerPersonMax: 100,
  /** The same of those that an organization shares. */
  savedPerOrganizationMax: 500,
  reportBlocksMax: 100,
  /** All blocks of a report, as JSON. */
  reportBytesMax: 131_072,
  /** One text of a report. */
  reportTextCharactersMax: 32_000,
  /** Experiments that a chart of a report names. */
  reportExperimentsMax: 100,
  /** Rows of a table in a report. */
  reportRowsMax: 100,
  /** How long `changes` may wait: proxies give a reply up after 30 or 60 seconds. */
  changesWaitMsMax: 25_000,

  // ---- artifacts (v1)

  /** Path of an artifact, and name of a file in a version: slash-separated. */
  pathBytesMax: 1_024,
  /** One word between two slashes of such a path. */
  pathSegmentBytesMax: 255,
  versionNameCharactersMax: 128,
  filesPerVersionMax: 5_000,
  /** 5 TiB. */
  fileBytesMax: 5 * 1_024 ** 4,
  /** Parts of one upload: what one reply of `versions/begin` can carry. */
  partsPerUploadMax: 10_000,
  /** `partSize` grows so that a file has no more parts than this, if `partBytesMax` allows it. */
  partsPerFileAim: 1_000,
  partBytesMin: 8 * 1_048_576,
  /** 5 GiB, the most that S3 takes. */
  partBytesMax: 5 * 1_024 ** 3,
  signedUrlLifetimeMs: 60 * 60 * 1_000,
  /** A pending upload is aborted after this long; stores' rules for such begin at 7 days. */
  pendingUploadLifetimeMs: 6 * 24 * 60 * 60 * 1_000,
  /** Files of one run or logged model, as MLflow's clients write them. */
  filesPerOwnerMax: 100_000,
  /** Sending one such file may take this long. */
  fileSendingMsMax: 24 * 60 * 60 * 1_000,
  /** Parts in which such a file goes to a bucket are 8 MiB, or up to this for a large file. */
  passedPartBytesMax: 64 * 1_048_576,
  /** Pending uploads of one artifact; the oldest is aborted beyond it. */
  pendingUploadsPerArtifactMax: 16,
  /** `cloud`, `region` and `source` of a place. */
  placeCharactersMax: 128,
  /** Location ids in `exclude`. */
  excludedLocationsMax: 1_000,
  versionsPerPageMax: 200,
  filesPerPageMax: 5_000,
  /** Metas of one page of `versions/list` together. */
  metaBytesPerPageMax: 4 * 1_048_576,
  /** Files that one page of `versions/list` or one reply of `artifacts/open` signs. */
  signedFilesPerPageMax: 100,
  artifactsPerPageMax: 1_000,
  noteNameCharactersMax: 128,
  noteBytesMax: 65_536,
  notesPerArtifactMax: 1_000,
  /** Names of locations, connections and API keys. */
  labelCharactersMax: 128,
  locationsPerOrganizationMax: 1_000,
  /** Connected clouds; each has a setup script of some KiB in the view of the organization. */
  connectionsPerOrganizationMax: 100,
  usageDaysDefault: 30,
  usageDaysMax: 366,
  /** Different places of writers and readers that one day of usage tells apart. */
  usagePlacesPerDayMax: 1_000,
  /** Locations or places that the view of usage tells apart; the others are together. */
  usageGroupsMax: 12,

  // ---- people

  emailCharactersMax: 320,
  passwordCharactersMin: 8,
  passwordCharactersMax: 1_024,
  /** A session of the web application; it ends earlier when it is signed out. */
  sessionLifetimeMs: 14 * 24 * 60 * 60 * 1_000,
  /** The one-time link of the first start. */
  setupLinkLifetimeMs: 60 * 60 * 1_000,
  invitationLifetimeMs: 7 * 24 * 60 * 60 * 1_000,
  accessTokenLifetimeMs: 60 * 60 * 1_000,
  /** Each use gives a new one that lives as long again. */
  refreshTokenLifetimeMs: 90 * 24 * 60 * 60 * 1_000,
  authorizationCodeLifetimeMs: 60 * 1_000,
  deviceCodeLifetimeMs: 10 * 60 * 1_000,
  /** Least time between two questions of a device for its token. */
  devicePollIntervalMs: 5_000,
  /** Wrong user codes that a person enters; then none is taken while a code of that time lives. */
  deviceCodeTriesMax: 5,
  /** Living ones; the next one ends the oldest. */
  sessionsPerPersonMax: 100,
  /** Living sign-ins of the command line; the next one ends the oldest. */
  grantsPerPersonMax: 100,
  openInvitationsPerOrganizationMax: 1_000,
  /** Keys that are not revoked. */
  apiKeysPerOrganizationMax: 1_000,
  auditEventsPerPageMax: 1_000,
  /** Events on a page of the view of the audit log: those that a person reads. */
  auditViewEventsMax: 200,
  /** Actors that are named to choose from. */
  auditActorsReturnedMax: 500,

  // ---- sign-on

  signOnAddressCharactersMax: 1_000,
  signOnTextCharactersMax: 300,
  signOnSecretCharactersMax: 1_000,
  signOnDomainCharactersMax: 253,
  signOnDomainsMax: 50,
  /** Characters of a group's name, and groups that roles are given to. */
  signOnGroupCharactersMax: 300,
  signOnRolesMax: 200,
  /** Living personal tokens of one member. */
  tokensPerPersonMax: 100,
  tokenDaysMax: 3_650,
  /** Between the page that leads to the identity provider and the way back. */
  signOnLifetimeMs: 10 * 60 * 1_000,
  /** Groups of a person that a provider may name; more are refused, not cut. */
  signOnGroupsMax: 1_000,

  /** A message of an identity provider by SCIM; a group with 10,000 members is some 900 KB. */
  scimBodyBytesMax: 4_194_304,
  /** Users and groups that a provider may send, and of one page. */
  scimUsersMax: 50_000,
  scimGroupsMax: 1_000,
  scimPageMax: 200,
  /** Members that one request names, and operations of one. */
  scimMembersMax: 20_000,
  scimOperationsMax: 1_000,

  // ---- the trash

  /** Experiments or entries that one request deletes, restores or purges. */
  trashedAtOnceMax: 500,
  /** Entries on a page of the trash. */
  trashEntriesMax: 200,
  trashDaysMax: 3_650,
  /** Retention rules of an organization. */
  retentionRulesMax: 100,
  retentionDaysMax: 36_500,
  /** The best experiments, or the last versions, that a rule keeps. */
  retentionKeptMax: 10_000,
  /** What a rule would take, as trying it shows: the first ones. */
  retentionShownMax: 200,

  /** A User-Agent is kept so far. */
  deviceCharactersMax: 256,
} as const;
