/** Whoever may ask: what they show, and as whom. */
export const callers = [
  "nobody",
  "key",
  "member",
  "admin",
  "owner",
  "member at the command line",
  "owner at the command line",
  "owner's token to read",
  "owner's token to write",
  "owner's token of the role",
  "member's token of the role",
  "viewer",
  "viewer's token of the role",
  "viewer's token to read",
  "token of the experiment",
  "token of another experiment",
  "identity provider",
  "guest",
] as const;
export type CallerName = (typeof callers)[number];

/** `+`: what is asked is judged, not who asks; else the digit behind the 40. */
export type Answer = "+" | "1" | "3";

interface Row {
  /** To the callers, in their order. */
  answers: string;
  operations: string;
}

/**
 * Written by hand, and not taken from the table of endpoints, of which the service is made: what is
 * changed there has to be changed here, too.
 */
const rows: Record<string, Row> = {
  "is open to everybody": {
    answers: "+ + + + + + + + + + + + + + + + + +",
    operations: `
      openapi healthz readyz createSession acceptInvitation oauthMetadata oauthToken
      oauthDevice oauthRevoke authorizePage authorize devicePage approveDevice startPage
      openGuestLink guestPage guestsPage signInPage signIn signOut joinPage join readIssuer readIssuerKeys beginSignOn
      finishSignOn mlflowGetVersionFile mlflowVersion mlflowHealth mlflowServerInfo
      experimentsPage experimentPage comparePage reportsPage reportPage slugPage artifactsPage
      artifactPage modelsPage modelPage lineagePage peoplePage keysPage tokensPage signOnPage trashPage rulesPage locationsPage
      connectionsPage usagePage auditPage accountPage webAsset
    `,
  },
  "is signed in its address": {
    answers: "3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3 3",
    operations: "writePart readObject",
  },
  "is the identity provider's": {
    answers: "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 + 1",
    operations: `
      scimServiceProvider scimResourceTypes scimResourceType scimSchemas scimSchema
      scimListUsers scimReadUser scimCreateUser scimReplaceUser scimChangeUser scimDeleteUser
      scimListGroups scimReadGroup scimCreateGroup scimReplaceGroup scimChangeGroup
      scimDeleteGroup
    `,
  },
  "is the experiment's own": {
    answers: "1 1 1 1 1 1 1 1 1 1 1 1 1 1 + 1 1 1",
    operations: "experimentEvents recordColumns appendConsole reportAttempt",
  },
  // Events of organizationEvents are judged one by one.
  "reads what is recorded": {
    answers: "1 + + + + + + + + + + + + + 1 1 1 1",
    operations: "querySeries authStatus",
  },
  // Which things they name is judged where they are named: guests.test.ts.
  "reads what is recorded, guests what their link shows": {
    answers: "1 + + + + + + + + + + + + + 1 1 1 +",
    operations: "organizationEvents",
  },
  "reads, guests what their link shows": {
    answers: "1 + + + + + + + + + + + + + 1 1 1 +",
    operations: `
      readVersion readOverview readGroups readPoints readPointsCsv readChanges readTable readDifference
      readExperimentArtifacts readNewAnnotations readFileAddress readFilePart readFileFrame
      viewRunFiles readRunFileAddress readRunFilePart readConsole searchConsole readAttempts
      readReport readLoggedNames readLoggedSteps readLoggedNearest readLoggedItems
      readLoggedTexts readLoggedHistograms readFolders listSavedViews readRunLineage
      readReportPicture
    `,
  },
  "is the guest's": {
    answers: "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 +",
    operations: "readGuestVisit",
  },
  "reads as a member": {
    answers: "1 3 + + + + + + + + + 3 3 3 1 1 1 3",
    operations: "listGuestLinks",
  },
  reads: {
    answers: "1 + + + + + + + + + + + + + 1 1 1 3",
    operations: `
      waitUntil listVersions listArtifacts readNote readOrganization readUsage listApiKeys whoami
      readTableCsv readExperimentGroups readFields exportPoints exportExperiments exportAnnotations exportLineage exportLines
      viewArtifacts viewArtifact readSentBytes listReports readUsageView listTrash
      readTrashSettings listRetentionRules readMlflowLocations listWorkspaces readWorkspaces
      listWorkspaceVersions listAliases listAliasChanges listModels readModel readModelVersion
      listModelAliasChanges readVersionLineage readLineageGraph
    `,
  },
  writes: {
    answers: "1 + + + + + + 3 + + + 3 3 3 1 1 1 3",
    operations: `
      openArtifact beginVersion resignUpload commitUpload writeNote editExperiment addNote
      trashExperiments trashSeries trashFolder trashVersions restoreTrash tryRetentionRule
      setAlias removeAlias changeModel linkVersion setModelAlias removeModelAlias recordUse
    `,
  },
  "reads as a person": {
    answers: "1 3 + + + + + + + + + + + + 1 1 1 3",
    operations: "listPeople listTokens",
  },
  "writes as a person": {
    answers: "1 3 + + + + + 3 + + + 3 3 3 1 1 1 3",
    operations: `
      createReport changeReport deleteReport addReportPicture createGuestLink revokeGuestLink
    `,
  },
  "writes for oneself": {
    answers: "1 3 + + + + + 3 + + + + + 3 1 1 1 3",
    operations: `
      createSavedView changeSavedView deleteSavedView saveWorkspace deleteWorkspace createToken
      revokeToken
    `,
  },
  "reads as an admin": {
    answers: "1 3 3 + + 3 + 3 3 + 3 3 3 3 1 1 1 3",
    operations: "listInvitations readAudit readAuditView readAuditTerms readSignOn readScim",
  },
  "writes as an admin": {
    answers: "1 3 3 + + 3 + 3 3 + 3 3 3 3 1 1 1 3",
    operations: `
      createConnection completeConnection deleteConnection createLocation updateLocation
      createApiKey revokeApiKey changeRole removePerson createInvitation revokeInvitation
      purgeTrash setTrashSettings freeSlug createRetentionRule changeRetentionRule
      deleteRetentionRule createServiceAccount setMlflowLocations setGuestSettings
    `,
  },
  "reads as an owner": {
    answers: "1 3 3 3 + 3 + 3 3 + 3 3 3 3 1 1 1 3",
    operations: "readOrganizationContents",
  },
  "writes as an owner": {
    answers: "1 3 3 3 + 3 + 3 3 + 3 3 3 3 1 1 1 3",
    operations: "trashOrganization setSignOn removeSignOn createScimToken endScim",
  },
  "reads for the person alone": {
    answers: "1 3 + + + + + + + + + + + + 1 1 1 1",
    operations: "listOrganizations listDeletedOrganizations",
  },
  "writes for the person alone": {
    answers: "1 3 + + + + + 3 + + + + + 3 1 1 1 1",
    operations: "restoreOrganization",
  },
  "is of the session itself": {
    answers: "1 3 + + + 3 3 3 3 3 3 + 3 3 1 1 1 1",
    operations: `
      readSession switchOrganization endSession changePassword eraseAccount listSignIns
      endSignIn
    `,
  },
  "reads as MLflow's clients": {
    answers: "1 + 1 1 1 + + + + + + 1 + + 1 1 1 1",
    operations: `
      mlflowSearchExperiments mlflowListExperiments mlflowGetExperiment
      mlflowGetExperimentByName mlflowGetRun mlflowSearchRuns mlflowSearchDatasets
      mlflowMetricHistory mlflowMetricHistories mlflowSampledHistories mlflowSearchModels
      mlflowGetModel mlflowReadFile mlflowSignFile mlflowListModelFiles mlflowReadModelFile
      mlflowListFiles mlflowListRunFiles mlflowGetRunFile mlflowGetRegisteredModel
      mlflowSearchRegisteredModels mlflowGetLatestVersions mlflowListLatestVersions
      mlflowGetModelVersionByAlias mlflowGetModelVersion mlflowSearchModelVersions
      mlflowGetDownloadUri
    `,
  },
  "reads as an agent": {
    answers: "1 + 1 1 1 + + + + + + 1 + + 1 1 1 1",
    operations: "mcp",
  },
  "writes as an agent": {
    answers: "1 + 1 1 1 + + 3 + + + 1 3 3 1 1 1 1",
    operations: "mcpWrite",
  },
  "writes as MLflow's clients": {
    answers: "1 + 1 1 1 + + 3 + + + 1 3 3 1 1 1 1",
    operations: `
      mlflowCreateExperiment mlflowDeleteExperiment mlflowRestoreExperiment
      mlflowUpdateExperiment mlflowSetExperimentTag mlflowDeleteExperimentTag mlflowCreateRun
      mlflowUpdateRun mlflowDeleteRun mlflowRestoreRun mlflowLogMetric mlflowLogParam
      mlflowSetTag mlflowDeleteTag mlflowLogBatch mlflowLogInputs mlflowLogModel
      mlflowLogOutputs mlflowCreateModel mlflowFinalizeModel mlflowDeleteModel
      mlflowLogModelParams mlflowSetModelTags mlflowDeleteModelTag mlflowPutFile
      mlflowDeleteFiles mlflowStartParts mlflowCompleteParts mlflowAbortParts mlflowPutRunFile
      mlflowCreateRegisteredModel mlflowRenameRegisteredModel mlflowUpdateRegisteredModel
      mlflowDeleteRegisteredModel mlflowSetRegisteredModelTag mlflowDeleteRegisteredModelTag
      mlflowSetRegisteredModelAlias mlflowDeleteRegisteredModelAlias mlflowCreateModelVersion
      mlflowUpdateModelVersion mlflowTransitionStage mlflowDeleteModelVersion
      mlflowSetModelVersionTag mlflowDeleteModelVersionTag
    `,
  },
};

/** How an operation answers each caller, by its name. Each stands in one row. */
export function whoMay(): Map<string, Record<CallerName, Answer>> {
  const table = new Map<string, Record<CallerName, Answer>>();
  for (const { answers, operations } of Object.values(rows)) {
    const row = answers.split(" ");
    const byCaller = Object.fromEntries(callers.map((caller, at) => [caller, row[at]]));
    for (const name of operations.trim().split(/\s+/)) {
      if (table.has(name)) throw new Error(`${name} stands in two rows`);
      table.set(name, byCaller as Record<CallerName, Answer>);
    }
  }
  return table;
}

/** Operations that only read, by their row of the table. */
export function readsByTable(): string[] {
  return Object.entries(rows).flatMap(([row, { operations }]) =>
    row.startsWith("reads") ? operations.trim().split(/\s+/) : [],
  );
}
