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
  "token of the experiment",
  "token of another experiment",
  "identity provider",
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
    answers: "+ + + + + + + + + + + + + +",
    operations: `
      openapi healthz readyz createSession acceptInvitation oauthMetadata oauthToken
      oauthDevice oauthRevoke authorizePage authorize devicePage approveDevice startPage
      signInPage signIn signOut joinPage join readIssuer readIssuerKeys beginSignOn
      finishSignOn mlflowGetVersionFile mlflowVersion mlflowHealth mlflowServerInfo
      experimentsPage experimentPage comparePage reportsPage reportPage slugPage artifactsPage
      artifactPage peoplePage keysPage tokensPage signOnPage trashPage rulesPage locationsPage
      connectionsPage usagePage auditPage accountPage webAsset
    `,
  },
  "is signed in its address": {
    answers: "3 3 3 3 3 3 3 3 3 3 3 3 3 3",
    operations: "writePart readObject",
  },
  "is the identity provider's": {
    answers: "1 1 1 1 1 1 1 1 1 1 1 1 1 +",
    operations: `
      scimServiceProvider scimResourceTypes scimResourceType scimSchemas scimSchema
      scimListUsers scimReadUser scimCreateUser scimReplaceUser scimChangeUser scimDeleteUser
      scimListGroups scimReadGroup scimCreateGroup scimReplaceGroup scimChangeGroup
      scimDeleteGroup
    `,
  },
  "is the experiment's own": {
    answers: "1 1 1 1 1 1 1 1 1 1 1 + 1 1",
    operations: "experimentEvents appendConsole reportAttempt",
  },
  // Events of organizationEvents are judged one by one.
  "reads what is recorded": {
    answers: "1 + + + + + + + + + + 1 1 1",
    operations: "organizationEvents querySeries authStatus",
  },
  reads: {
    answers: "1 + + + + + + + + + + 1 1 1",
    operations: `
      readVersion listVersions listArtifacts readNote readOrganization readUsage listApiKeys
      whoami readOverview readPoints readPointsCsv readChanges readTable readTableCsv
      readFields readDifference readFolders readExperimentArtifacts readNewAnnotations
      exportPoints exportExperiments exportAnnotations exportLines viewArtifacts viewArtifact
      readSentBytes readFileAddress readFilePart readFileFrame viewRunFiles readRunFileAddress
      readRunFilePart readConsole searchConsole readAttempts listSavedViews listReports readReport readUsageView listTrash
      readTrashSettings listRetentionRules readMlflowLocations readLoggedNames readLoggedSteps
      readLoggedNearest readLoggedItems readLoggedTexts readLoggedHistograms
    `,
  },
  writes: {
    answers: "1 + + + + + + 3 + + + 1 1 1",
    operations: `
      openArtifact beginVersion resignUpload commitUpload writeNote editExperiment addNote
      trashExperiments trashSeries trashFolder trashVersions restoreTrash tryRetentionRule
    `,
  },
  "reads as a person": {
    answers: "1 3 + + + + + + + + + 1 1 1",
    operations: "listPeople listTokens",
  },
  "writes as a person": {
    answers: "1 3 + + + + + 3 + + + 1 1 1",
    operations: `
      createSavedView changeSavedView deleteSavedView createReport changeReport deleteReport
      createToken revokeToken
    `,
  },
  "reads as an admin": {
    answers: "1 3 3 + + 3 + 3 3 + 3 1 1 1",
    operations: "listInvitations readAudit readAuditView readAuditTerms readSignOn readScim",
  },
  "writes as an admin": {
    answers: "1 3 3 + + 3 + 3 3 + 3 1 1 1",
    operations: `
      createConnection completeConnection deleteConnection createLocation updateLocation
      createApiKey revokeApiKey changeRole removePerson createInvitation revokeInvitation
      purgeTrash setTrashSettings freeSlug createRetentionRule changeRetentionRule
      deleteRetentionRule createServiceAccount setMlflowLocations
    `,
  },
  "reads as an owner": {
    answers: "1 3 3 3 + 3 + 3 3 + 3 1 1 1",
    operations: "readOrganizationContents",
  },
  "writes as an owner": {
    answers: "1 3 3 3 + 3 + 3 3 + 3 1 1 1",
    operations: "trashOrganization setSignOn removeSignOn createScimToken endScim",
  },
  "reads for the person alone": {
    answers: "1 3 + + + + + + + + + 1 1 1",
    operations: "listOrganizations listDeletedOrganizations",
  },
  "writes for the person alone": {
    answers: "1 3 + + + + + 3 + + + 1 1 1",
    operations: "restoreOrganization",
  },
  "is of the session itself": {
    answers: "1 3 + + + 3 3 3 3 3 3 1 1 1",
    operations: `
      readSession switchOrganization endSession changePassword eraseAccount listSignIns
      endSignIn
    `,
  },
  "reads as MLflow's clients": {
    answers: "1 + 1 1 1 + + + + + + 1 1 1",
    operations: `
      mlflowSearchExperiments mlflowListExperiments mlflowGetExperiment
      mlflowGetExperimentByName mlflowGetRun mlflowSearchRuns mlflowSearchDatasets
      mlflowMetricHistory mlflowMetricHistories mlflowSampledHistories mlflowSearchModels
      mlflowGetModel mlflowReadFile mlflowSignFile mlflowListModelFiles mlflowReadModelFile
      mlflowListFiles mlflowListRunFiles mlflowGetRunFile
    `,
  },
  "writes as MLflow's clients": {
    answers: "1 + 1 1 1 + + 3 + + + 1 1 1",
    operations: `
      mlflowCreateExperiment mlflowDeleteExperiment mlflowRestoreExperiment
      mlflowUpdateExperiment mlflowSetExperimentTag mlflowDeleteExperimentTag mlflowCreateRun
      mlflowUpdateRun mlflowDeleteRun mlflowRestoreRun mlflowLogMetric mlflowLogParam
      mlflowSetTag mlflowDeleteTag mlflowLogBatch mlflowLogInputs mlflowLogModel
      mlflowLogOutputs mlflowCreateModel mlflowFinalizeModel mlflowDeleteModel
      mlflowLogModelParams mlflowSetModelTags mlflowDeleteModelTag mlflowPutFile
      mlflowDeleteFiles mlflowStartParts mlflowCompleteParts mlflowAbortParts mlflowPutRunFile
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
