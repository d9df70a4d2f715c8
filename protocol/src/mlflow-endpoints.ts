import { limits } from "./limits.ts";
import { mlflowErrors } from "./mlflow-errors.ts";
import * as Type from "./type.ts";

const openObject = (title: string, description: string) =>
  Type.Unsafe<object>({ type: "object", title, description });

/** MLflow defines its own messages; the members that are read are in server/src/http/mlflow. */
const MlflowRequest = openObject(
  "MlflowRequest",
  "A message of MLflow's REST interface, as protobuf prints it: unknown fields are ignored.",
);
const MlflowReply = openObject(
  "MlflowReply",
  "A message of MLflow's REST interface; 64-bit integers have all their digits.",
);

const common = {
  errorForm: mlflowErrors,
  credentials: ["api_key", "oauth"],
  basic: true,
  errors: [
    "bad_request",
    "unauthorized",
    "forbidden",
    "experiment_not_found",
    "experiment_deleted",
    "series_deleted",
    "model_not_found",
    "limit_exceeded",
    "storage_unavailable",
    "storage_full",
  ],
  extension: true,
} as const;

const reply = { kind: "json", status: 200, schema: MlflowReply } as const;
const messageRequest = {
  kind: "json",
  schema: MlflowRequest,
  bytesMax: limits.mlflowBodyBytesMax,
} as const;
const withoutBody = { ...common, request: { kind: "none" }, reply } as const;
const withMessage = { ...common, request: messageRequest, reply } as const;

function get<Path extends string>(path: Path, summary: string) {
  return { ...withoutBody, method: "GET", path: `/api/2.0/mlflow/${path}`, summary } as const;
}

function post<Path extends string>(path: Path, summary: string) {
  return { ...withMessage, method: "POST", path: `/api/2.0/mlflow/${path}`, summary } as const;
}

const model = "/api/2.0/mlflow/logged-models/{modelId}";

/** Logged models, the only resource that MLflow names in paths. */
const modelEndpoints = {
  mlflowCreateModel: post("logged-models", "Makes a logged model, whose files are pending."),
  mlflowSearchModels: post(
    "logged-models/search",
    "Logged models that fit a filter, in an order, by pages.",
  ),
  mlflowGetModel: get(
    "logged-models/{modelId}",
    "A logged model with its params, tags and metrics.",
  ),
  mlflowFinalizeModel: {
    ...withMessage,
    method: "PATCH",
    path: model,
    summary: "Sets whether the files of a logged model are complete.",
  },
  mlflowDeleteModel: {
    ...withoutBody,
    method: "DELETE",
    path: model,
    summary: "Marks a logged model as deleted; nothing of it is removed.",
  },
  mlflowLogModelParams: post(
    "logged-models/{modelId}/params",
    "Stores params of a logged model, which then never change.",
  ),
  mlflowSetModelTags: {
    ...withMessage,
    method: "PATCH",
    path: `${model}/tags`,
    summary: "Sets tags of a logged model.",
  },
  mlflowDeleteModelTag: {
    ...withoutBody,
    method: "DELETE",
    path: `${model}/tags/{tagKey}`,
    summary: "Removes a tag of a logged model.",
  },
} as const;
const ofRegistry = {
  ...common,
  errors: [...common.errors, "conflict", "not_implemented"],
  reply,
} as const;

function registryRead<Path extends string>(path: Path, summary: string) {
  const row = { ...ofRegistry, method: "GET", request: { kind: "none" } } as const;
  return { ...row, path: `/api/2.0/mlflow/${path}`, summary } as const;
}

/** MLflow's clients send a message also where they delete. */
function registryWrite<Method extends "POST" | "PATCH" | "DELETE", Path extends string>(
  method: Method,
  path: Path,
  summary: string,
) {
  const row = { ...ofRegistry, method, request: messageRequest } as const;
  return { ...row, path: `/api/2.0/mlflow/${path}`, summary } as const;
}

/** Registered models: docs/artifacts.md says what they are here. */
const registryEndpoints = {
  mlflowCreateRegisteredModel: registryWrite(
    "POST",
    "registered-models/create",
    "Makes a registered model.",
  ),
  mlflowGetRegisteredModel: registryRead(
    "registered-models/get",
    "A registered model with its tags, aliases and the highest version of each stage.",
  ),
  mlflowRenameRegisteredModel: registryWrite(
    "POST",
    "registered-models/rename",
    "Renames a registered model.",
  ),
  mlflowUpdateRegisteredModel: registryWrite(
    "PATCH",
    "registered-models/update",
    "Sets its description.",
  ),
  mlflowDeleteRegisteredModel: registryWrite(
    "DELETE",
    "registered-models/delete",
    "Removes a registered model with its versions; the files to which they refer stay.",
  ),
  mlflowSearchRegisteredModels: registryRead(
    "registered-models/search",
    "Registered models that fit a filter, in an order, by pages.",
  ),
  mlflowGetLatestVersions: registryWrite(
    "POST",
    "registered-models/get-latest-versions",
    "The highest version of each stage.",
  ),
  mlflowListLatestVersions: registryRead(
    "registered-models/get-latest-versions",
    "The same, asked in the address.",
  ),
  mlflowSetRegisteredModelTag: registryWrite(
    "POST",
    "registered-models/set-tag",
    "Sets a tag of a model.",
  ),
  mlflowDeleteRegisteredModelTag: registryWrite(
    "DELETE",
    "registered-models/delete-tag",
    "Removes a tag.",
  ),
  mlflowSetRegisteredModelAlias: registryWrite(
    "POST",
    "registered-models/alias",
    "Sets or moves an alias to a version of a registered model.",
  ),
  mlflowDeleteRegisteredModelAlias: registryWrite(
    "DELETE",
    "registered-models/alias",
    "Removes an alias.",
  ),
  mlflowGetModelVersionByAlias: registryRead(
    "registered-models/alias",
    "The version to which an alias points.",
  ),
  mlflowCreateModelVersion: registryWrite(
    "POST",
    "model-versions/create",
    "Adds a version to a model.",
  ),
  mlflowGetModelVersion: registryRead("model-versions/get", "A version of a registered model."),
  mlflowUpdateModelVersion: registryWrite(
    "PATCH",
    "model-versions/update",
    "Sets the description of a version.",
  ),
  mlflowTransitionStage: registryWrite(
    "POST",
    "model-versions/transition-stage",
    "Moves a version to a stage: Staging and Production are aliases.",
  ),
  mlflowDeleteModelVersion: registryWrite(
    "DELETE",
    "model-versions/delete",
    "Removes a version and its aliases; the files to which it refers stay.",
  ),
  mlflowSearchModelVersions: registryRead(
    "model-versions/search",
    "Versions of models that fit a filter, in an order, by pages.",
  ),
  mlflowGetDownloadUri: registryRead(
    "model-versions/get-download-uri",
    "Where the files of a version are read.",
  ),
  mlflowSetModelVersionTag: registryWrite(
    "POST",
    "model-versions/set-tag",
    "Sets a tag of a version.",
  ),
  mlflowDeleteModelVersionTag: registryWrite(
    "DELETE",
    "model-versions/delete-tag",
    "Removes a tag.",
  ),
} as const;
/** Reads of files; rows that send something say so. */
const files = {
  ...withoutBody,
  method: "GET",
  errors: [...common.errors, "file_not_found", "not_ready", "data_corrupted", "upstream"],
} as const;
const filePath = "/api/2.0/mlflow-artifacts/artifacts/{path}";
const parts = {
  ...files,
  errors: [...files.errors, "not_implemented"],
  method: "POST",
  request: messageRequest,
  takesRest: true,
} as const;
const fileReply = {
  kind: "bytes",
  status: 200,
  otherStatuses: [206, 304, 307, 412, 416],
  isTyped: true,
} as const;

const open = {
  errorForm: mlflowErrors,
  method: "GET",
  credentials: [],
  request: { kind: "none" },
  errors: [],
  extension: true,
} as const;

/**
 * The endpoints of MLflow clients, also answered below `/ajax-api/`. MLflow's experiments are
 * folders and its runs are experiments: docs/decisions/0021.
 */
export const mlflowEndpoints = {
  mlflowCreateExperiment: post("experiments/create", "Makes a folder at the root."),
  mlflowSearchExperiments: post("experiments/search", "Folders that fit a filter, by pages."),
  mlflowListExperiments: get("experiments/search", "The same, asked in the address."),
  mlflowGetExperiment: get("experiments/get", "A folder as an experiment of MLflow."),
  mlflowGetExperimentByName: get("experiments/get-by-name", "The same, by its path of names."),
  mlflowDeleteExperiment: post("experiments/delete", "Marks a folder and its runs as deleted."),
  mlflowRestoreExperiment: post("experiments/restore", "Takes these marks away."),
  mlflowUpdateExperiment: post("experiments/update", "Renames a folder."),
  mlflowSetExperimentTag: post("experiments/set-experiment-tag", "Sets a tag of a folder."),
  mlflowDeleteExperimentTag: post(
    "experiments/delete-experiment-tag",
    "Removes a tag of an experiment.",
  ),
  mlflowCreateRun: post("runs/create", "Makes an experiment that runs, in a folder."),
  mlflowUpdateRun: post("runs/update", "Changes state, end or name of a run."),
  mlflowDeleteRun: post("runs/delete", "Marks a run as deleted; nothing of it is removed."),
  mlflowRestoreRun: post("runs/restore", "Takes this mark away."),
  mlflowGetRun: get("runs/get", "A run with its params, tags and latest metrics."),
  mlflowSearchRuns: post("runs/search", "Runs that fit a filter, in an order, by pages."),
  mlflowLogMetric: post("runs/log-metric", "Stores a point."),
  mlflowLogParam: post("runs/log-parameter", "Stores a param, which then never changes."),
  mlflowSetTag: post("runs/set-tag", "Sets a tag of a run."),
  mlflowDeleteTag: post("runs/delete-tag", "Removes a tag of a run."),
  mlflowLogBatch: post("runs/log-batch", "Stores points, params and tags, all or none."),
  mlflowLogInputs: {
    ...post("runs/log-inputs", "Stores which data sets and models a run read."),
    // The profile of one data set may have 16,777,215 characters.
    request: { ...messageRequest, bytesMax: limits.mlflowLongBodyBytesMax },
  },
  mlflowLogModel: post("runs/log-model", "Adds a model to a tag, as clients of old do."),
  mlflowSearchDatasets: post("experiments/search-datasets", "Data sets that runs of folders read."),
  mlflowLogOutputs: post("runs/outputs", "Stores which models a run made."),
  mlflowMetricHistory: get("metrics/get-history", "Every point of a metric, by pages."),
  mlflowMetricHistories: get("metrics/get-history-bulk", "Points of a metric of many runs."),
  mlflowSampledHistories: get(
    "metrics/get-history-bulk-interval",
    "Points of a metric of many runs, evenly chosen, with the first and the last.",
  ),
  ...modelEndpoints,
  ...registryEndpoints,
  mlflowPutFile: {
    ...files,
    method: "PUT",
    path: filePath,
    takesRest: true,
    summary: "Stores a file of a run or a logged model, in the place of the one before.",
    request: { kind: "bytes" },
  },
  mlflowReadFile: {
    ...files,
    path: filePath,
    takesRest: true,
    summary: "A file, or a range of it; at a bucket the address of it there (307).",
    reply: fileReply,
  },
  mlflowDeleteFiles: {
    ...files,
    method: "DELETE",
    path: filePath,
    takesRest: true,
    summary: "Removes a file, or all that are below a path.",
  },
  mlflowStartParts: {
    ...parts,
    path: "/api/2.0/mlflow-artifacts/mpu/create/{path}",
    summary: "Begins a file that is sent in parts, and returns the parts' addresses at the bucket.",
  },
  mlflowCompleteParts: {
    ...parts,
    path: "/api/2.0/mlflow-artifacts/mpu/complete/{path}",
    summary: "Makes the file of its parts, in the place of the one before.",
    request: { ...messageRequest, bytesMax: limits.mlflowLongBodyBytesMax },
  },
  mlflowAbortParts: {
    ...parts,
    path: "/api/2.0/mlflow-artifacts/mpu/abort/{path}",
    summary: "Aborts a file that is sent in parts, and frees its parts.",
  },
  mlflowSignFile: {
    ...files,
    path: "/api/2.0/mlflow-artifacts/presigned/{path}",
    takesRest: true,
    summary: "The signed address of a file's bytes, and how many they are.",
  },
  mlflowListModelFiles: {
    ...files,
    path: `${model}/artifacts/directories`,
    summary: "Files and folders of a logged model, right below a path of its own.",
  },
  mlflowReadModelFile: {
    ...files,
    path: `${model}/artifacts/files`,
    summary: "A file of a logged model, which the address names.",
    reply: fileReply,
  },
  mlflowPutRunFile: {
    ...files,
    method: "POST",
    path: "/api/2.0/mlflow/upload-artifact",
    summary: "Stores a file of a run, which the address names, as MLflow's pages do it.",
    request: { kind: "bytes" },
  },
  mlflowListFiles: {
    ...files,
    path: "/api/2.0/mlflow-artifacts/artifacts",
    summary: "Files and folders right below the path that the address names.",
  },
  mlflowListRunFiles: {
    ...get("artifacts/list", "The same for a run, with paths from the run on."),
    errors: files.errors,
  },
  mlflowGetRunFile: {
    ...files,
    path: "/get-artifact",
    summary: "A file of a run, which the address names.",
    reply: fileReply,
  },
  mlflowGetVersionFile: {
    ...open,
    path: "/model-versions/get-artifact",
    doubledSlash: true,
    summary:
      "Always refused: files of versions of models are those of their runs and logged models.",
    reply: fileReply,
    errors: ["bad_request", "not_implemented"],
  },
  mlflowVersion: {
    ...open,
    path: "/version",
    summary: "The version of MLflow whose interface this is.",
    reply: { kind: "text", status: 200 },
  },
  mlflowHealth: {
    ...open,
    path: "/health",
    summary: "Whether the process lives, as MLflow clients ask it.",
    reply: { kind: "text", status: 200 },
  },
  mlflowServerInfo: {
    ...open,
    path: "/api/3.0/mlflow/server-info",
    summary: "Server properties that MLflow's clients read first.",
    reply,
  },
} as const;
