import {
  type EndpointDefinition,
  type EndpointName,
  endpoints,
  type EventNameOf,
} from "@lossless/protocol";
import { columnParts, columnsBody } from "../../columns-body.ts";
import type { HttpRequest, JsonObject } from "../../http.ts";
import { organizations } from "../../service.ts";
import { place } from "../artifact-caller.ts";
import { event, uniqueName } from "../callers.ts";
import { groupOf, pictureOf, ruleOf, type Things, userOf } from "./of-acme.ts";

/** A request to an operation; what its address has in braces is in `at`. */
export interface Asked {
  at?: Record<string, string>;
  query?: Record<string, string>;
  body?: unknown;
  headers?: Record<string, string>;
}

export function requestTo(name: EndpointName, asked: Asked): Omit<HttpRequest, "credential"> {
  const { method, path }: EndpointDefinition = endpoints[name];
  const { at = {}, query = {}, body, headers = {} } = asked;
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, key: string) =>
    (at[key] ?? "x").split("/").map(encodeURIComponent).join("/"),
  );
  const search = new URLSearchParams(query).toString();
  return { method, path: search === "" ? filled : `${filled}?${search}`, headers, body };
}

/** With what acme asks an operation. */
export function credentialOfAcme(
  name: EndpointName,
  { owner, scim, experimentToken }: Record<"owner" | "scim" | "experimentToken", string>,
): string {
  const { credentials }: EndpointDefinition = endpoints[name];
  if (credentials.includes("scim")) return scim;
  if (credentials.includes("experiment_token")) return experimentToken;
  return credentials.includes("session") ? owner : organizations.acme.key;
}

/**
 * Requests to each operation that names something, each thing that it can name, and good for
 * whoever may name it. An operation that names nothing has one that is good.
 */
export function requestsOf(t: Things): Partial<Record<EndpointName, Asked[]>> {
  const artifact = { artifact: t.artifact };
  const version = { ...artifact, version: "000000000001" };
  const files = [{ name: t.file, size: t.word.length }];
  const epoch = Number(t.epoch);
  const ids = { experimentIds: [t.experiment] };
  const series = [{ experimentId: t.experiment, seriesName: t.series }];
  const all = { xAxis: "step" };
  const owner = { owner: t.run };
  const byRun = { run_id: t.run };
  const model = { modelId: t.model };
  const pair = { key: t.word, value: "x" };
  const runFile = `${t.mlflowExperiment}/${t.run}/artifacts/${t.file}`;
  const scim = { "content-type": "application/scim+json" };
  const experimentId = t.experiment;
  const logged = [{ kind: "text", name: t.word }];
  const aws = { roleArn: "arn:aws:iam::123456789012:role/x" };
  const ofPoint = { messageId: "p-0", step: 0, timestampMs: 1, metricValue: 1 };
  const point = { ...ofPoint, metricName: t.series, meta: {} };
  return {
    organizationEvents: organizationEventsOf(t).map((body) => ({ body: [body] })),
    experimentEvents: [
      {
        at: { experimentId },
        body: [event("experiment.annotate", { experimentId, annotation: "x", meta: {} })],
      },
    ],
    recordColumns: [{ at: { experimentId }, body: columnsBody(columnParts([point])) }],
    appendConsole: [{ at: { experimentId }, body: { source: { id: "x" }, first: 0, lines: [] } }],
    readConsole: [{ body: { experimentId } }],
    searchConsole: [{ body: { experimentId, text: "x" } }],
    reportAttempt: [
      {
        at: { experimentId },
        body: { attempt: "x", process: { id: "x" }, beganAgoMs: 0, beatAgoMs: 0 },
      },
    ],
    readAttempts: [{ body: { experimentId } }],
    querySeries: [
      { body: event("query.experimentseries", { experimentId, filter: [], ...all }) },
      { body: event("query.series", { experimentId, seriesName: t.series, filter: [], ...all }) },
    ],
    authStatus: [{}],
    mcp: [
      { body: toolCall("describe_experiment", { experiment: t.slug }) },
      { body: toolCall("console_tail", { experiment: t.experiment }) },
    ],
    mcpWrite: [
      { body: toolCall("annotate_experiment", { experiment: t.slug, text: "x" }) },
      { body: toolCall("move_experiment", { experiment: t.slug, folder: "" }) },
    ],
    openArtifact: [
      { query: { artifact: `${t.artifact}-x` }, body: { mode: "fork", place, source: t.artifact } },
    ],
    beginVersion: [
      { query: { ...artifact, version: "000000000009" }, body: { epoch, place, files, meta: {} } },
    ],
    resignUpload: [{ query: { ...artifact, upload: t.upload }, body: { epoch } }],
    commitUpload: [
      {
        query: { ...artifact, upload: t.upload },
        body: { epoch, files: [{ name: t.file, etags: ["x"] }] },
      },
    ],
    readVersion: [{ query: version }],
    listVersions: [{ query: artifact }],
    listArtifacts: [{ query: { under: t.word } }],
    listAliases: [{ query: artifact }],
    setAlias: [{ query: { ...artifact, alias: t.word }, body: { version: "000000000001" } }],
    removeAlias: [{ query: { ...artifact, alias: t.word } }],
    listAliasChanges: [{ query: artifact }, { query: { ...artifact, alias: t.word } }],
    readNote: [{ query: { ...artifact, note: "note.md" } }],
    writeNote: [
      { query: { ...artifact, note: "other.md" }, body: Buffer.from("x"), headers: bytes },
    ],
    readVersionLineage: [{ query: version }],
    readLineageGraph: [{ query: { experimentId } }, { query: version }],
    readRunLineage: [{ query: { experimentId } }],
    recordUse: [{ body: { experimentId, artifact: t.artifact, version: "latest" } }],
    listModels: [{ query: { search: t.word } }],
    readModel: [{ query: { model: t.word } }],
    readModelVersion: [{ query: { model: t.word, version: `@${t.word}` } }],
    changeModel: [{ query: { model: t.word }, body: { description: "d" } }],
    linkVersion: [
      { query: { model: uniqueName("mine") }, body: { artifact: t.artifact, version: "latest" } },
    ],
    setModelAlias: [{ query: { model: t.word, alias: "best" }, body: { version: 1 } }],
    removeModelAlias: [{ query: { model: t.word, alias: "best" } }],
    listModelAliasChanges: [{ query: { model: t.word } }],
    readOrganization: [{}],
    createConnection: [{ body: { cloud: "aws", name: uniqueName("mine") } }],
    completeConnection: [{ query: { id: t.connection }, body: { cloud: "aws", aws } }],
    deleteConnection: [{ query: { id: t.connection } }],
    createLocation: [
      { body: { kind: "created_s3", connection: t.connection, region: "us-east-1" } },
    ],
    updateLocation: [{ query: { id: t.location }, body: { name: uniqueName("mine") } }],
    readMlflowLocations: [{}],
    setMlflowLocations: [{ body: { allowed: [] } }],
    readUsage: [{}],
    listApiKeys: [{}],
    createApiKey: [{ body: { name: uniqueName("mine") } }],
    revokeApiKey: [{ query: { id: t.key } }],
    whoami: [{}],
    readSession: [{}],
    switchOrganization: [{ body: { organization: t.organization } }],
    listOrganizations: [{}],
    listPeople: [{}],
    changeRole: [{ query: { id: t.person }, body: { role: "admin" } }],
    listInvitations: [{}],
    createInvitation: [{ body: { role: "member" } }],
    revokeInvitation: [{ query: { id: t.invitation } }],
    readAudit: [{}],
    listGuestLinks: [{}],
    createGuestLink: [
      { body: { name: uniqueName("mine"), days: 1, ...ids } },
      { body: { name: uniqueName("mine"), days: 1, reportId: t.report } },
    ],
    revokeGuestLink: [{ query: { id: t.guestLink } }],
    setGuestSettings: [{ body: { membersShare: true } }],
    readOverview: [{ body: { series, ...all, columns: 10 } }],
    readGroups: [
      { body: { ...ids, seriesName: t.series, by: [], ...all, columns: 10 } },
      { body: { query: t.word, seriesName: t.series, by: ["slug"], ...all, columns: 10 } },
      { body: { folderId: t.folder, seriesName: t.series, by: ["folder"], ...all, columns: 10 } },
    ],
    readPoints: [
      { body: { series, ...all, pointsMax: 10 } },
      { body: { series, ...all, pointsMax: 10, places: [0] } },
    ],
    readPointsCsv: [{ query: { experimentId, seriesName: t.series, ...all } }],
    readChanges: [{ body: { experiments: [{ experimentId, revision: 0 }], waitMs: 1 } }],
    waitUntil: [{ body: { experimentId, until: "done", waitMs: 0 } }],
    readTable: [
      { body: { query: t.word, limit: 10 } },
      { body: { folderId: t.folder, limit: 10 } },
    ],
    readExperimentGroups: [
      { body: { query: t.word, by: ["slug"], limit: 10 } },
      { body: { folderId: t.folder, by: [`meta.${t.word}`], limit: 10 } },
    ],
    readTableCsv: [
      { query: { query: t.word, by: "slug" } },
      { query: { query: t.word } },
      { query: { folderId: t.folder } },
    ],
    readFields: [{ body: { text: t.word } }, { body: { field: `meta.${t.word}` } }],
    readDifference: [{ body: ids }, { body: { query: t.word } }, { body: { folderId: t.folder } }],
    readLoggedNames: [{ body: ids }],
    readLoggedSteps: [{ body: { ...ids, series: logged } }],
    readLoggedNearest: [{ body: { ...ids, series: logged, step: 1 } }],
    readLoggedItems: [{ body: { ...ids, ...logged[0] } }],
    readLoggedTexts: [{ body: { ...ids, name: t.word } }],
    readLoggedHistograms: [{ body: { ...ids, name: t.word } }],
    readFolders: [{}],
    readExperimentArtifacts: [{ query: { experimentId } }],
    editExperiment: [{ body: { experimentId, meta: [{ path: [uniqueName("mine")], after: 1 }] } }],
    readNewAnnotations: [{ query: { experimentId } }],
    addNote: [{ body: { experimentId, messageId: "x", annotation: "x" } }],
    exportPoints: [{ query: { experimentIds: t.experiment } }],
    exportExperiments: [
      { query: { folderId: t.folder } },
      { query: { experimentIds: t.experiment } },
    ],
    exportAnnotations: [{ query: { query: t.word } }, { query: { experimentIds: t.experiment } }],
    exportLineage: [{ query: { query: t.word } }, { query: { experimentIds: t.experiment } }],
    exportLines: [{ query: { query: t.word } }, { query: { experimentIds: t.experiment } }],
    viewArtifacts: [{ query: { under: t.word } }, { query: { search: t.word } }],
    viewArtifact: [{ query: artifact }],
    readSentBytes: [{ query: { ...artifact, upload: t.upload } }],
    readFileAddress: [{ query: { ...version, file: t.file } }],
    readFilePart: [{ query: { ...version, file: t.file } }],
    readFileFrame: [{ query: { ...version, file: t.file } }],
    viewRunFiles: [{ query: owner }, { query: { owner: t.model } }],
    readRunFileAddress: [{ query: { ...owner, file: t.file } }],
    readRunFilePart: [{ query: { ...owner, file: t.file } }],
    listSavedViews: [{}],
    createSavedView: [
      { body: { name: uniqueName("mine"), scope: "own", address: "/experiments" } },
    ],
    changeSavedView: [
      {
        query: { id: t.view },
        body: { revision: Number(t.viewRevision), address: "/experiments" },
      },
    ],
    deleteSavedView: [{ query: { id: t.view, revision: String(Number(t.viewRevision) + 1) } }],
    listWorkspaces: [{}],
    readWorkspaces: [{}, { query: { folderId: t.folder } }],
    listWorkspaceVersions: [{ query: { id: t.workspace } }],
    saveWorkspace: [{ body: { scope: "own", folderId: t.folder, revision: 0, layout: {} } }],
    deleteWorkspace: [{ query: { id: t.workspace, revision: "1" } }],
    listReports: [{}],
    createReport: [{ body: { name: uniqueName("mine"), scope: "own", blocks: [] } }],
    readReport: [{ query: { id: t.report } }],
    changeReport: [
      { query: { id: t.report }, body: { revision: Number(t.reportRevision), blocks: [] } },
    ],
    addReportPicture: [{ query: { id: t.report }, body: pictureOf(t.word), headers: bytes }],
    readReportPicture: [{ query: { id: t.report, picture: t.picture } }],
    deleteReport: [{ query: { id: t.report, revision: String(Number(t.reportRevision) + 1) } }],
    readUsageView: [{}],
    readAuditView: [{}, { query: { actor: t.owner } }, { query: { subject: t.key } }],
    readAuditTerms: [{}],
    listSignIns: [{}],
    endSignIn: [{ query: { id: t.signIn } }],
    trashExperiments: [{ body: { experimentIds: [t.spareExperiment] } }],
    trashSeries: [{ body: { experimentId, seriesNames: [t.series] } }],
    trashFolder: [{ body: { folderId: t.spareFolder } }],
    trashVersions: [{ body: { artifact: t.artifact, versions: ["000000000001"] } }],
    listTrash: [{}],
    restoreTrash: [{ body: { ids: [t.trashEntry] } }],
    purgeTrash: [{ body: { ids: [t.otherTrashEntry] } }],
    readTrashSettings: [{}],
    setTrashSettings: [{ body: { days: 7 } }],
    readOrganizationContents: [{}],
    trashOrganization: [{ body: { name: "acme" } }],
    listDeletedOrganizations: [{}],
    restoreOrganization: [{ body: { organizationId: t.organization } }],
    freeSlug: [{ body: { slug: `${t.word}/other` } }],
    listRetentionRules: [{}],
    createRetentionRule: [{ body: { name: uniqueName("mine"), rule: ruleOf(t.folder) } }],
    changeRetentionRule: [
      {
        query: { id: t.rule },
        body: {
          revision: Number(t.ruleRevision),
          name: uniqueName(uniqueName("mine")),
          rule: ruleOf(null),
        },
      },
    ],
    tryRetentionRule: [
      { body: { rule: ruleOf(t.folder) } },
      { body: { rule: ruleOf(null), id: t.rule } },
    ],
    deleteRetentionRule: [{ query: { id: t.rule, revision: String(Number(t.ruleRevision) + 1) } }],
    readSignOn: [{}],
    readScim: [{}],
    listTokens: [{}, { query: { of: "all" } }],
    createToken: [
      { body: { name: uniqueName("mine"), scope: "read", days: 1, account: t.serviceAccount } },
    ],
    removePerson: [{ query: { id: t.serviceAccount } }],
    revokeToken: [{ query: { id: t.personalToken } }],
    createServiceAccount: [{ body: { name: uniqueName("mine"), role: "member" } }],
    scimServiceProvider: [{}],
    scimResourceTypes: [{}],
    scimResourceType: [{ at: { name: "User" } }],
    scimSchemas: [{}],
    scimSchema: [{ at: { name: "urn:ietf:params:scim:schemas:core:2.0:User" } }],
    scimListUsers: [{}, { query: { filter: `userName eq "${t.word}@acme.test"` } }],
    scimReadUser: [{ at: { userId: t.user } }],
    scimCreateUser: [{ body: userOf(uniqueName("mine")), headers: scim }],
    scimReplaceUser: [{ at: { userId: t.user }, body: userOf(t.word), headers: scim }],
    scimChangeUser: [{ at: { userId: t.user }, body: patchOf({ active: true }), headers: scim }],
    scimListGroups: [{}],
    scimReadGroup: [{ at: { groupId: t.group } }],
    scimCreateGroup: [
      { body: { ...groupOf(uniqueName("mine")), members: [{ value: t.user }] }, headers: scim },
    ],
    scimReplaceGroup: [{ at: { groupId: t.group }, body: groupOf(t.word), headers: scim }],
    scimChangeGroup: [
      { at: { groupId: t.group }, body: patchOf({ displayName: "x" }), headers: scim },
    ],
    scimDeleteGroup: [{ at: { groupId: t.group } }],
    scimDeleteUser: [{ at: { userId: t.user } }],
    mlflowCreateExperiment: [{ body: { name: uniqueName("mine") } }],
    mlflowSearchExperiments: [{ body: { filter: `name = '${t.mlflowName}'`, max_results: 10 } }],
    mlflowListExperiments: [{ query: { max_results: "10" } }],
    mlflowGetExperiment: [{ query: { experiment_id: t.mlflowExperiment } }],
    mlflowGetExperimentByName: [{ query: { experiment_name: t.mlflowName } }],
    mlflowUpdateExperiment: [
      { body: { experiment_id: t.mlflowExperiment, new_name: `${t.word}-3` } },
    ],
    mlflowSetExperimentTag: [{ body: { experiment_id: t.mlflowExperiment, ...pair } }],
    mlflowDeleteExperimentTag: [{ body: { experiment_id: t.mlflowExperiment, key: t.word } }],
    mlflowCreateRun: [{ body: { experiment_id: t.mlflowExperiment, start_time: 1 } }],
    mlflowGetRun: [{ query: byRun }, { query: { run_id: t.experiment } }],
    mlflowUpdateRun: [{ body: { ...byRun, run_name: uniqueName("mine") } }],
    mlflowSearchRuns: [{ body: { experiment_ids: [t.mlflowExperiment] } }],
    mlflowLogMetric: [{ body: { ...byRun, key: "m", value: 1, timestamp: 1, step: 1 } }],
    mlflowLogParam: [{ body: { ...byRun, key: "p", value: "1" } }],
    mlflowSetTag: [{ body: { ...byRun, key: "t", value: "1" } }],
    mlflowDeleteTag: [{ body: { ...byRun, key: t.word } }],
    mlflowLogBatch: [
      { body: { ...byRun, metrics: [{ key: "b", value: 1, timestamp: 1, step: 1 }] } },
    ],
    mlflowLogInputs: [
      {
        body: {
          ...byRun,
          datasets: [{ dataset: { name: "d", digest: "d", source_type: "local", source: "{}" } }],
        },
      },
    ],
    mlflowLogModel: [
      {
        body: {
          ...byRun,
          model_json: JSON.stringify({
            ...byRun,
            artifact_path: "m",
            flavors: {},
            utc_time_created: "2020-01-01 00:00:00",
            model_uuid: "1",
          }),
        },
      },
    ],
    mlflowSearchDatasets: [{ body: { experiment_ids: [t.mlflowExperiment] } }],
    mlflowLogOutputs: [{ body: { ...byRun, models: [{ model_id: t.model, step: 1 }] } }],
    mlflowMetricHistory: [{ query: { ...byRun, metric_key: t.word } }],
    mlflowMetricHistories: [{ query: { ...byRun, metric_key: t.word } }],
    mlflowSampledHistories: [{ query: { run_ids: t.run, metric_key: t.word } }],
    mlflowCreateModel: [{ body: { experiment_id: t.mlflowExperiment, name: uniqueName("mine") } }],
    mlflowSearchModels: [{ body: { experiment_ids: [t.mlflowExperiment] } }],
    mlflowGetModel: [{ at: model }],
    mlflowFinalizeModel: [{ at: model, body: { model_id: t.model, status: "LOGGED_MODEL_READY" } }],
    mlflowLogModelParams: [{ at: model, body: { params: [{ key: "p", value: "1" }] } }],
    mlflowSetModelTags: [{ at: model, body: { tags: [pair] } }],
    mlflowDeleteModelTag: [{ at: { ...model, tagKey: t.word } }],
    mlflowCreateRegisteredModel: [{ body: { name: uniqueName("mine") } }],
    mlflowGetRegisteredModel: [{ query: { name: t.word } }],
    mlflowSearchRegisteredModels: [{ query: { filter: `name = '${t.word}'` } }],
    mlflowUpdateRegisteredModel: [{ body: { name: t.word, description: "d" } }],
    mlflowGetLatestVersions: [{ body: { name: t.word } }],
    mlflowListLatestVersions: [{ query: { name: t.word } }],
    mlflowSetRegisteredModelTag: [{ body: { name: t.word, ...pair } }],
    mlflowDeleteRegisteredModelTag: [{ body: { name: t.word, key: t.word } }],
    mlflowSetRegisteredModelAlias: [{ body: { name: t.word, alias: "best", version: "1" } }],
    mlflowGetModelVersionByAlias: [{ query: { name: t.word, alias: t.word } }],
    mlflowDeleteRegisteredModelAlias: [{ body: { name: t.word, alias: t.word } }],
    mlflowCreateModelVersion: [{ body: { name: t.word, source: `models:/${t.word}/1` } }],
    mlflowGetModelVersion: [{ query: { name: t.word, version: "1" } }],
    mlflowUpdateModelVersion: [{ body: { name: t.word, version: "1", description: "d" } }],
    mlflowTransitionStage: [{ body: { name: t.word, version: "1", stage: "Staging" } }],
    mlflowSearchModelVersions: [{ query: { filter: `name = '${t.word}'` } }],
    mlflowGetDownloadUri: [{ query: { name: t.word, version: "1" } }],
    mlflowSetModelVersionTag: [{ body: { name: t.word, version: "1", ...pair } }],
    mlflowDeleteModelVersionTag: [{ body: { name: t.word, version: "1", key: t.word } }],
    mlflowDeleteModelVersion: [{ body: { name: t.word, version: "2" } }],
    mlflowRenameRegisteredModel: [{ body: { name: t.word, new_name: uniqueName("mine") } }],
    mlflowDeleteRegisteredModel: [{ body: { name: `${t.word}-2` } }],
    mlflowReadFile: [{ at: { path: runFile } }],
    mlflowSignFile: [{ at: { path: runFile } }],
    mlflowPutFile: [{ at: { path: `${runFile}-2` }, body: Buffer.from("x"), headers: bytes }],
    mlflowStartParts: [{ at: { path: runFile }, body: { path: t.file, num_parts: 1 } }],
    mlflowCompleteParts: [
      { at: { path: runFile }, body: { path: t.file, upload_id: t.upload, parts: [] } },
    ],
    mlflowAbortParts: [{ at: { path: runFile }, body: { path: t.file, upload_id: t.upload } }],
    mlflowListModelFiles: [{ at: model }],
    mlflowReadModelFile: [{ at: model, query: { artifact_file_path: t.file } }],
    mlflowPutRunFile: [
      {
        query: { run_uuid: t.run, path: uniqueName("mine") },
        body: Buffer.from("x"),
        headers: bytes,
      },
    ],
    mlflowListFiles: [{ query: { path: `${t.mlflowExperiment}/${t.run}/artifacts` } }],
    mlflowListRunFiles: [{ query: byRun }],
    mlflowGetRunFile: [{ query: { run_uuid: t.run, path: t.file } }],
    mlflowDeleteFiles: [{ at: { path: `${runFile}-2` } }],
    mlflowDeleteModel: [{ at: model }],
    mlflowDeleteRun: [{ body: byRun }],
    mlflowRestoreRun: [{ body: byRun }],
    mlflowDeleteExperiment: [{ body: { experiment_id: t.mlflowExperiment } }],
    mlflowRestoreExperiment: [{ body: { experiment_id: t.mlflowExperiment } }],
  };
}

/** These name nothing that another could have: they are about whoever asks. */
export const ofOneself: readonly EndpointName[] = [
  ...(["endSession", "changePassword", "eraseAccount"] as const),
  ...(["setSignOn", "removeSignOn", "createScimToken", "endScim"] as const),
  ...(["writePart", "readObject", "readGuestVisit"] as const),
];

const bytes = { "content-type": "application/octet-stream" };

/** A message of an agent that calls a tool. */
export function toolCall(name: string, given: JsonObject): JsonObject {
  return { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: given } };
}

function patchOf(value: JsonObject): JsonObject {
  const Operations = [{ op: "replace", value }];
  return { schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"], Operations };
}

type OrganizationEvent<Name = EventNameOf<"organization">> = Name extends `svc.v2.${infer Short}`
  ? Short
  : never;

/** An event that is missing here is a type error. */
function organizationEventsOf(t: Things) {
  const experiment = { experimentId: t.experiment };
  const either = (more: JsonObject = {}): JsonObject[] => [
    { ...experiment, ...more },
    { experimentSlug: t.slug, ...more },
  ];
  const data: Record<OrganizationEvent, JsonObject[]> = {
    "folder.create": [{ name: uniqueName("mine"), parentFolderId: t.folder }],
    "folder.update": [
      { folderId: t.folder, name: uniqueName(uniqueName("mine")) },
      { folderId: t.spareFolder, parentFolderId: t.folder },
    ],
    "folder.delete": [{ folderId: t.emptyFolder }],
    "foldertree.read": [{}],
    // A slug of another organization is free in one's own.
    "experiment.open": [],
    "experiment.tokenRefresh": [{ ...experiment, experimentToken: t.experimentToken }],
    "experiment.move": either({ folderId: t.folder }),
    "query.experiment": either(),
    "query.catalog": either(),
    "query.annotations": either(),
    "query.attributes": either(),
    "query.experiments": [{ experimentIds: [t.experiment] }],
    "query.revisions": [{ experimentIds: [t.experiment] }],
  };
  return Object.entries(data).flatMap(([name, all]) => all.map((one) => event(name, one)));
}
